"""The destinations of results: a file, a compressed file, standard output; whole lines only, whatever happens."""

from __future__ import annotations

import gzip
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from gradcli.errors import GradcliError
from gradcli.source import visible
from gradcli.workers.files import is_replaceable, refuse_unwritable, unwritten_error
from gradcli.workers.interruption import signals_held

ATOMIC = 4096  # bytes that a pipe on Linux takes whole or not at all; POSIX promises 512
MEMBER = 2**18  # bytes of text that are compressed together: the part of a file that is there whole or not at all


@contextmanager
def written_text(path: str) -> Iterator[Output]:
    """Give an output; a regular file is there when all is written, before that and after an error it is `PATH.part`."""
    if path == "-" or not is_replaceable(Path(path)):
        with closing(Output(path)) as output:
            yield output
        return
    refuse_unwritable(path)
    target = Path(path).resolve()
    temporary = target.with_name(f"{target.name}.part")
    temporary.unlink(missing_ok=True)
    try:
        with closing(Output(path, temporary)) as output:
            yield output
        with suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except GradcliError as error:
        if temporary.exists() and temporary.stat().st_size:
            notice = f"{visible(temporary.name)} has the results before it"
            error.help = f"{error.help}; {notice}" if error.help else notice
        raise
    finally:
        if temporary.exists() and not temporary.stat().st_size:
            temporary.unlink()


class Output:
    """Takes texts of whole lines; a name that ends in `.gz` is written compressed, the same bytes for the same text.

    The file is made anew at the path `part`, if that is given.
    """

    def __init__(self, path: str, part: Path | None = None) -> None:
        self.path = path
        try:
            self.file: Any = sys.stdout.buffer if path == "-" else opened(path, part)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a file name"
            raise unwritten_error(path, reason) from None
        if path == "-":
            sys.stdout.flush()
        self.is_compressed = path != "-" and path.lower().endswith(".gz")
        self.member = bytearray()  # the text that is to be compressed
        self.is_empty = True
        try:
            self.descriptor: int | None = self.file.fileno()
            mode = os.fstat(self.descriptor).st_mode
        except (OSError, ValueError):
            self.descriptor, mode = None, 0
        self.is_pipe, self.is_regular = stat.S_ISFIFO(mode), stat.S_ISREG(mode)
        self.is_terminal = self.descriptor is not None and os.isatty(self.descriptor)

    def write(self, text: bytes | memoryview) -> None:
        """Write whole lines; a full disk and a reader that went away leave whole lines only."""
        if self.is_regular and not self.is_compressed:
            self._write_all(text)
            return
        text = bytes(text)
        if self.is_terminal:
            text = "\n".join(map(visible, text.decode().split("\n"))).encode()
        if self.is_compressed:
            self.member += text
            while end := self.member.find(b"\n", MEMBER) + 1:
                self._compress(end)
        elif self.descriptor is None:
            self.file.write(text)
        elif self.is_pipe:
            for lines in parts(text):
                self._write_all(lines)
        else:
            self._write_all(text)

    def _write_all(self, text: bytes | memoryview) -> None:
        assert self.descriptor is not None
        # An interruption waits where it could break a line: a pipe that is read takes a long line in pieces.
        with nullcontext() if self.is_pipe and len(text) <= ATOMIC else signals_held():
            count = 0
            try:
                while count < len(text):
                    count += os.write(self.descriptor, text[count : count + 2**24] if count else text)
            except OSError:
                line_end = 0 if self.is_compressed else bytes(text[:count]).rfind(b"\n") + 1
                self._take_back(count - line_end)
                raise

    def _compress(self, end: int) -> None:
        """Write a part of the text that waits, compressed by itself; nothing comes after one that failed."""
        with signals_held():
            text, remaining = self.member[:end], self.member[end:]
            self.member = bytearray()
            self._write_all(gzip.compress(text, 6, mtime=0))
            self.member, self.is_empty = remaining, False

    def _take_back(self, count: int) -> None:
        """Cut the beginning of a line, or of a compressed part, off a file on a full disk."""
        if count > 0 and self.is_regular and self.descriptor is not None:
            with suppress(OSError):
                end = os.lseek(self.descriptor, 0, os.SEEK_CUR) - count
                os.ftruncate(self.descriptor, end)
                os.lseek(self.descriptor, end, os.SEEK_SET)

    def close(self) -> None:
        """Finish a compressed file, also after an interruption, so that it can be read."""
        with signals_held():
            try:
                if self.is_compressed and (self.member or self.is_empty):
                    self._compress(len(self.member))
            finally:
                if self.path != "-":
                    self.file.close()


def opened(path: str, part: Path | None) -> Any:
    return Path(path).open("wb", buffering=0) if part is None else part.open("xb", buffering=0)


def parts(text: bytes) -> Iterator[bytes]:
    """Whole lines, as many as a pipe takes at once; a longer line alone."""
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > ATOMIC:
            end = text.rfind(b"\n", start, start + ATOMIC) + 1 or text.index(b"\n", start) + 1
        yield text[start:end]
        start = end
