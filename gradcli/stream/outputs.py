"""The destinations of results: a file, a compressed file, standard output; whole lines only, whatever happens."""

from __future__ import annotations

import gzip
import os
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gradcli.errors import UsageError
from gradcli.source import visible

ATOMIC = 4096  # bytes that a pipe on Linux takes whole or not at all; POSIX promises 512


class Output:
    """Takes texts of whole lines; a name that ends in `.gz` is written compressed, the same bytes for the same text."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.file: Any = sys.stdout.buffer if path == "-" else Path(path).open("wb", buffering=0)  # noqa: SIM115
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a file name"
            raise UsageError("E011", f"cannot write {path}: {reason}", help="check the path after -o") from None
        if path == "-":
            sys.stdout.flush()
        self.compressor: Any = None
        if path != "-" and path.lower().endswith(".gz"):
            self.compressor = gzip.GzipFile(filename="", fileobj=self.file, mode="wb", mtime=0, compresslevel=6)
        try:
            self.descriptor: int | None = self.file.fileno()
            mode = os.fstat(self.descriptor).st_mode
        except (OSError, ValueError):
            self.descriptor, mode = None, 0
        self.is_pipe, self.is_regular = stat.S_ISFIFO(mode), stat.S_ISREG(mode)
        self.is_terminal = self.descriptor is not None and os.isatty(self.descriptor)

    def write(self, text: bytes) -> None:
        """Write whole lines; a full disk and a reader that went away leave whole lines only."""
        if self.is_terminal:
            text = "\n".join(map(visible, text.decode().split("\n"))).encode()
        if self.compressor is not None:
            self.compressor.write(text)
        elif self.descriptor is None:
            self.file.write(text)
        elif self.is_pipe:
            for part in parts(text):
                self._write_all(part)
        else:
            self._write_all(text)

    def _write_all(self, text: bytes) -> None:
        assert self.descriptor is not None
        with unbroken(text, self.is_pipe):
            written = 0
            try:
                while written < len(text):
                    written += os.write(self.descriptor, text[written : written + 2**24] if written else text)
            except OSError:
                self._take_back(written - text.rfind(b"\n", 0, written) - 1)
                raise

    def _take_back(self, count: int) -> None:
        """Cut the beginning of a line off a file on a full disk."""
        if count > 0 and self.is_regular and self.descriptor is not None:
            with suppress(OSError):
                end = os.lseek(self.descriptor, 0, os.SEEK_CUR) - count
                os.ftruncate(self.descriptor, end)
                os.lseek(self.descriptor, end, os.SEEK_SET)

    def close(self) -> None:
        """Finish a compressed file, also after an interruption, so that it can be read."""
        if self.compressor is not None:
            self.compressor.close()
        if self.path != "-":
            self.file.close()


def parts(text: bytes) -> Iterator[bytes]:
    """Whole lines, as many as a pipe takes at once; a longer line alone."""
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > ATOMIC:
            end = text.rfind(b"\n", start, start + ATOMIC) + 1 or text.index(b"\n", start) + 1
        yield text[start:end]
        start = end


@contextmanager
def unbroken(text: bytes, is_pipe: bool) -> Iterator[None]:
    """Let an interruption wait where it could break a line: a pipe that is read takes a long line in pieces."""
    if (is_pipe and len(text) <= ATOMIC) or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
