"""Files that are written whole or not at all: a temporary file beside, then renamed; devices and pipes directly."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from gradcli.errors import UsageError
from gradcli.source import visible

DIRECT = ("/dev/fd/", "/dev/std", "/proc/")  # files that somebody has open: renaming another onto them would miss it
FULL = {os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT)}


def unwritten_error(path: str, reason: str | None) -> UsageError:
    """Return the error for an output that cannot be written."""
    help = "make room, or write to another place" if reason in FULL else "check the path after -o"
    return UsageError("E011", f"cannot write {visible(path)}: {reason}", help=help)


def refuse_unwritable(path: str) -> None:
    """Raise UsageError where nothing can be written at a path, before the work for it begins."""
    try:
        at = Path(path)
        if at.is_symlink():
            with suppress(FileNotFoundError):
                at.stat()  # which fails where links go in a circle
        folder = at.resolve().parent
        reason: str | None = None
        if at.is_dir():
            reason = "it is a folder"
        elif at.exists() and not os.access(at, os.W_OK):
            reason = "it is protected"
        elif is_replaceable(at) and not folder.is_dir():
            reason = "there is no such folder"
        elif is_replaceable(at) and not os.access(folder, os.W_OK):
            reason = "its folder cannot be written"
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = getattr(error, "strerror", None) or "not a file name"
    if reason is not None:
        raise unwritten_error(path, reason)


def refuse_overwriting(path: str, inputs: Iterable[str]) -> None:
    """Raise UsageError where an output is a file that is read, whatever it is called there; `-` is standard input."""
    try:
        target = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return
    for name in inputs if stat.S_ISREG(target.st_mode) else ():
        with suppress(OSError, ValueError):
            if os.path.samestat(target, os.fstat(0) if name == "-" else os.stat(name)):  # noqa: PTH116
                raise UsageError("E013", f"{visible(path)} is the input, too", help="write to another file")


def is_folder(path: str) -> bool:
    """Return whether an output is a folder, or is to be one."""
    return path != "-" and (path.endswith("/") or Path(path).is_dir())


def is_replaceable(path: Path) -> bool:
    """Return whether there is a regular file or nothing at a path."""
    return not str(path).startswith(DIRECT) and (path.is_file() or not path.exists())


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a path to write; a regular file is there when all is written, and a link is followed.

    Raises UsageError where it cannot be written; after another error nothing has changed.
    """
    try:
        at = Path(path)
        if not is_replaceable(at):
            with at.open("wb") as stream:
                yield stream
            return
        target = at.resolve()
        with beside(target) as part, part.open("xb") as stream:
            yield stream
    except BrokenPipeError:
        raise
    except (OSError, RuntimeError) as error:
        raise unwritten_error(path, getattr(error, "strerror", None) or "not a file name") from None


@contextmanager
def open_text_output(path: str) -> Iterator[TextIO]:
    """Open a path to write text, as `written` does."""
    with open_output(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8", "backslashreplace")
        try:
            yield text
        finally:
            text.detach()


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Give a name beside a path, and put what is written there in its place, with its mode, when all is written."""
    part = path.with_name(f".{os.urandom(8).hex()}.part")
    try:
        yield part
        if path.is_file() and not path.is_symlink():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()
