"""The files that hold submissions, and their text; other files of a folder are named in a warning."""

from __future__ import annotations

import os
import stat
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.source import visible

ENDINGS = (".txt", ".answers", ".md", ".json", ".csv")
SHOWN = 3  # names of files


def files_of(paths: Iterable[str]) -> list[Path]:
    """Return the named files, whether they exist or not, and the submissions in named folders, sorted, each once.

    Warns of other files in the folders: a student may have handed one in.
    """
    found: dict[Path, None] = {}
    others: list[Path] = []
    for name in paths:
        path = Path(name)
        if name == "-":
            raise unread("standard input", "a submission is a file, whose name says who handed it in")
        if not path.is_dir():
            found[path] = None
            continue
        for folder, inner, names in os.walk(path, onerror=_refuse):
            inner[:] = sorted(part for part in inner if not part.startswith("."))
            for file in (Path(folder, one) for one in sorted(names) if not one.startswith(".")):
                if file.suffix.lower() in ENDINGS:
                    found[file] = None
                else:
                    others.append(file)
    if others:
        examples = ", ".join(visible(one.name) for one in others[:SHOWN])
        more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        known = ", ".join(ENDINGS)
        warnings.warn(f"not graded: {examples}{more} (the files of a folder end in {known})", stacklevel=2)
    return list(found)


def files_to_grade(names: Sequence[str], output: str) -> list[Path]:
    """Return the files to grade. Raises UsageError where there are none, or where `output` would replace them."""
    if not names:
        raise UsageError(
            "E002",
            "there is no submission",
            help="name files or folders, such as gradcli check week1.toml answers/",
        )
    found, target = files_of(names), Path(output).resolve()
    if output != "-" and target in {Path(name).resolve() for name in names} | {f.parent.resolve() for f in found}:
        raise UsageError(
            "E023", f"{visible(output)} holds submissions", help="write to another place, such as -o reports/"
        )
    files = [file for file in found if file.resolve() != target]  # a report of the last time is no submission
    if not files:
        raise UsageError("E003", "there are no submissions in the folder", help="they end in .txt, .json or .csv")
    return files


def _refuse(error: OSError) -> None:
    raise unread(str(error.filename), error.strerror or "it cannot be opened")


def unread(name: str, why: str) -> UsageError:
    return UsageError("E003", f"cannot read {visible(name)}: {why}", help="check the path of the submission")


def students_of(files: Sequence[Path]) -> list[str]:
    """Return the student of each file: its stem, or its path where files in several folders have the same stem."""
    counts = Counter(file.stem for file in files)
    return [file.stem if counts[file.stem] == 1 else str(file) for file in files]


def read_file(path: Path, largest: int) -> tuple[str, str]:
    """Return the text of a file and "", or "" and the reason why it cannot be read; `largest` is in bytes."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            return "", "not a file"
        with path.open("rb") as file:
            data = file.read(largest + 1) if facts.st_size <= largest else b""
    except (OSError, ValueError) as error:
        return "", f"it cannot be read: {getattr(error, 'strerror', None) or 'not the name of a file'}"
    if facts.st_size > largest or len(data) > largest:
        size = max(facts.st_size, len(data)) / 2**20
        return "", f"it has {size:.1f} MB, and a submission has {largest // 2**20} at most"
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        return "", "it is not UTF-8 text: save it as a text file, UTF-8"
    return ("", "it is binary data, not text") if "\x00" in text else (text, "")
