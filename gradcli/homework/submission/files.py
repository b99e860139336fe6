"""The files that hold submissions, named or in folders; others of a folder are named in a warning."""

from __future__ import annotations

import codecs
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.homework.submission.names import identity
from gradcli.source import visible
from gradcli.workers.files import refuse_overwriting

PROGRAMS = (".py", ".ipynb")
TYPED = (".txt", ".answers", ".md", ".html", *PROGRAMS)  # endings that no report has by itself
ENDINGS = (*TYPED, ".json", ".csv")
BESIDE = (
    "submission_metadata.yml",
    "variants.json",
    "timestamp.txt",
)  # what systems, and gradcli itself, write beside submissions
ABOUT = re.compile(r"(?:readme|licen[cs]e|contributing)(?:\..*)?", re.IGNORECASE)  # of a folder of code
PACKED = (".zip", ".rar", ".7z", ".gz", ".tgz", ".tar")
TABLES = (".xlsx", ".xlsm", ".xls", ".ods", ".numbers")
HIDDEN = (".", "~$")  # begin the names of files that systems and offices keep beside others
LEFT_BEHIND = ("__MACOSX", "Thumbs.db", "desktop.ini")  # by systems, in archives and folders
SHOWN = 3  # names of files
STANDARD_INPUT = "standard input"
MOST = 2**28  # bytes of it


@dataclass(frozen=True, slots=True)
class File:
    """One file, and the folder in which it was found; None where it is named itself, and then links are followed.

    `problem` says why it is not read; `data` is what standard input held, which has a name but no ending.
    """

    path: Path
    folder: Path | None = None
    problem: str = ""
    data: bytes | None = None

    @property
    def kind(self) -> str:
        if self.data is None:
            return self.path.suffix.lower()
        text = self.data.removeprefix(codecs.BOM_UTF8).lstrip()
        first = text.partition(b"\n")[0]
        is_table = b"," in first and not re.search(rb"[=:#]", first)  # answers are written `dz/dx = 14`
        return ".json" if text[:1] == b"{" else ".csv" if is_table else ".txt"


Place = tuple[str, str]  # the real path of a folder and a name in it, which all paths to one entry share


def places_of(paths: Iterable[str], others: list[File]) -> dict[Place, File]:
    """Return the named files, existing or not, and the submissions in named folders, sorted, each at its place.

    In a folder these are files with known endings, or its only file, whatever it is called; a README only where it is
    alone. A file that is named and lies in a named folder counts as named. Links, which are not followed, pipes and all
    else in a folder that is neither a file nor a folder are among them, and refused when they are read.

    Files with other endings go into the list of `others`, as a student may have handed one in.
    """
    real = cache(os.path.realpath)  # of folders, which have many files

    def place(path: Path) -> Place:
        return real(os.path.dirname(path)), path.name  # noqa: PTH120 (much faster than Path.parent)

    files: dict[Place, File] = {}
    for name in paths:
        if name == "-":
            if ("", name) not in files:
                files["", name] = File(Path(STANDARD_INPUT), data=standard_input())
            continue
        if not os.path.isdir(name):  # noqa: PTH112 (Path.is_dir raises where a folder above may not be read)
            if name.lower().endswith((*PACKED, *TABLES)):  # of a class: no student is called after it
                is_table = name.lower().endswith(TABLES)
                raise unread(
                    name, "it is a sheet of an office: save it as CSV" if is_table else "it is packed: unpack it"
                )
            files[place(Path(name))] = File(Path(name))
            continue
        for file, is_taken in taken(list(files_in(Path(name)))):
            if is_taken:
                files.setdefault(place(file.path), file)
            else:
                others.append(file)
    return files


def warn_of(others: Sequence[File]) -> None:
    """Warn of files that are not graded, if there are some."""
    examples = ", ".join(visible(file.path.name) for file in others[:SHOWN])
    more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
    if others:
        known = ", ".join(ENDINGS)
        warnings.warn(f"not graded: {examples}{more} (the files of a folder end in {known})", stacklevel=2)


def taken(entries: Sequence[tuple[File, bool]]) -> Iterator[tuple[File, bool]]:
    """Yield the entries of a folder and whether each is a submission; without what systems write beside them."""
    kept = [(file, is_regular) for file, is_regular in entries if file.path.name not in BESIDE]
    counts = Counter(parent(file) for file, _ in kept)
    kept = [
        (file, is_regular)
        for file, is_regular in kept
        if not (is_regular and ABOUT.fullmatch(file.path.name) and (counts[parent(file)] > 1 or is_loose(file, kept)))
    ]
    counts = Counter(parent(file) for file, _ in kept)
    for file, is_regular in kept:
        is_alone = counts[parent(file)] == 1 and not is_loose(file, kept)
        yield file, not is_regular or is_alone or file.kind in ENDINGS


def is_loose(file: File, entries: Sequence[tuple[File, bool]]) -> bool:
    """Return whether a file lies beside the folders of students."""
    return file.path.parent == file.folder and len(entries) > 1


def parent(file: File) -> str:
    return os.path.dirname(file.path)  # noqa: PTH120 (much faster than Path.parent)


def standard_input() -> bytes:
    """Return what standard input holds, up to more than any submission may."""
    try:
        return sys.stdin.buffer.read(MOST)
    except (AttributeError, OSError, ValueError):
        raise unread(STANDARD_INPUT, "it is closed") from None


def files_in(root: Path) -> Iterator[tuple[File, bool]]:
    """Yield the entries of a folder and of the folders in it, each with whether it is a regular file.

    Hidden ones, and what systems leave behind, are left out. A folder that cannot be opened is a file with a problem.
    Raises UsageError where the first cannot be.
    """
    folders = [root]
    while folders:
        folder = folders.pop()
        inner: list[Path] = []
        try:
            with os.scandir(folder) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.name.startswith(HIDDEN) or entry.name in LEFT_BEHIND:
                        continue
                    path = folder / entry.name
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(path)
                    else:
                        yield File(path, root), entry.is_file(follow_symlinks=False)
        except OSError as error:
            reason = error.strerror or "it cannot be opened"
            if folder == root:
                raise unread(str(folder), reason) from None
            yield File(folder, root, f"the folder cannot be read: {reason}"), False
        folders += reversed(inner)


def files_to_grade(names: Sequence[str], output: str, others: list[File]) -> list[File]:
    """Return the files to grade; `others` as in `places_of`.

    Raises UsageError where there are none, or where `output` would replace them.
    """
    if not names:
        raise UsageError(
            "E002", "there is no submission", help="name files or folders, such as gradcli check week1.toml answers/"
        )
    by_place, target = places_of(names, others), os.path.realpath(output)
    if output != "-" and target in {os.path.realpath(name) for name in names} | {folder for folder, _ in by_place}:
        raise UsageError(
            "E023", f"{visible(output)} holds submissions", help="write to another place, such as -o reports/"
        )
    if Path(output).suffix.lower() not in TYPED:
        by_place.pop(os.path.split(target), None)  # a report of the last time is no submission
    files = list(by_place.values())
    followed = (file for file in files if file.folder is None or not file.path.is_symlink())
    refuse_overwriting(output, ("-" if file.data is not None else str(file.path) for file in followed))
    if not files:
        raise UsageError("E003", "there are no submissions in the folder", help="they end in .txt, .json or .csv")
    return files


def unread(name: str, why: str) -> UsageError:
    return UsageError("E003", f"cannot read {visible(name)}: {why}", help="check the path of the submission")


def students_of(files: Sequence[File]) -> list[str]:
    """Return the student of each file: its stem, or its path where each student has a folder.

    That is so where several files of one stem are alone in their folders; a student who puts another beside it changes
    the name of nobody else.
    """
    folders = Counter(file.path.parent for file in files)
    alone = Counter(identity(file.path.stem) for file in files if folders[file.path.parent] == 1)
    return [
        str(file.path) if folders[file.path.parent] == 1 and alone[identity(file.path.stem)] > 1 else file.path.stem
        for file in files
    ]
