"""The sources of records: a file, a compressed file, standard input."""

from __future__ import annotations

import codecs
import os
import re
import select
import stat
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, UsageError
from gradcli.source import visible
from gradcli.stream.compressed import Damaged, compression, unpacked

PIECE = 2**19  # bytes that are read at a time: ten thousand records, whose values fit into a processor's cache
LITTLE = 2**13  # where each record takes its time: results come soon, and processes have the same share
FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}
RETURNS = re.compile(rb"\r[^\r\n]")
UNNAMED = 7  # characters: a longer ending is none of a format, as that of a temporary file


def ending(path: str) -> str | None:
    """Return the format of text that a file's name ends in."""
    return next((format for ending, format in FORMATS.items() if uncompressed(path).endswith(ending)), None)


def uncompressed(path: str) -> str:
    """Return a name in small letters, without the ending that says how the file is compressed."""
    return path.lower().removesuffix(compression(path))


def refuse_unknown(paths: Sequence[str], endings: Collection[str]) -> None:
    """Refuse names with the ending of an unknown format, whose content would be a guess; UsageError."""
    for path in paths:
        ending = Path(uncompressed(path)).suffix
        if (
            ending[1:2].isalpha()
            and len(ending) <= UNNAMED
            and ending not in FORMATS
            and Path(path).suffix not in endings
        ):
            raise UsageError(
                "E014",
                f"the ending of {visible(path)} says no format that is known here: {', '.join([*FORMATS, *endings])}",
                help="rename it, or say what it is, such as --format csv",
            )


class Input:
    """The bytes of a file, of standard input for `-`; compressed ones are read decompressed.

    `piece` is the number of bytes that are read at a time. UsageError where there is nothing to read.
    """

    def __init__(self, path: str, piece: int = PIECE) -> None:
        self.piece = piece
        self.path = path
        self.name = "standard input" if path == "-" else path
        try:
            self.file: Any = _standard_input() if path == "-" else Path(path).open("rb")  # noqa: SIM115
            self.facts = _facts(self.file)
            if self.facts is not None and stat.S_ISDIR(self.facts.st_mode):
                raise IsADirectoryError(21, "Is a directory")
            # The first bytes of a pipe are waited for later.
            self.reader: Any = None if self.size is None else self._unpacked()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a file name"
            raise UsageError("E003", f"cannot read {self.name}: {reason}", help="check the path after -i") from None
        self.failure: EvaluationError | None = None

    def _unpacked(self) -> Any:
        """Return what reads the bytes; the file is closed where nothing does."""
        try:
            return unpacked(self.file, self.path, self.piece)
        except BaseException:
            self.file.close()
            raise

    @property
    def size(self) -> int | None:
        """The bytes of a file on a disk; None of a pipe or a terminal."""
        return self.facts.st_size if self.facts is not None and stat.S_ISREG(self.facts.st_mode) else None

    def pieces(self) -> Iterator[bytes | None]:
        """Yield the bytes that have arrived, as UTF-8 without a byte order mark; None before the input is waited for.

        Of UTF-16 the mark is what is known by, and of lines that end in carriage returns alone the first bytes.

        A piece has all bytes that have arrived, up to a limit: they do not wait for later ones.
        EvaluationError where it cannot be read on.
        """
        decoder: Any = None
        has_returns, is_first = False, True
        while True:
            if self.is_paused():
                yield None
            piece = data = self.read()
            if is_first:
                if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    decoder = codecs.getincrementaldecoder("utf-16")("replace")
                piece = data.removeprefix(codecs.BOM_UTF8)
            if decoder is not None:
                piece = decoder.decode(data, final=not data).encode(errors="replace")
            if is_first:
                has_returns = b"\n" not in piece and RETURNS.search(piece) is not None
            if piece:
                yield piece.replace(b"\r", b"\n") if has_returns else piece
            if not data:
                return
            is_first = False

    def is_paused(self) -> bool:
        """Return whether reading would wait for somebody."""
        if self.facts is None or self.size is not None or sys.platform == "win32":
            return False
        return not select.select([self.file], [], [], 0)[0]

    def read(self) -> bytes:
        """Return the next bytes, or none at the end; an error waits until all bytes before it are read."""
        if self.failure is not None:
            raise self.failure
        parts: list[bytes] = []
        size = 0
        try:
            self.reader = self.reader or self._unpacked()
            while size < self.piece and not (parts and self.is_paused()):
                piece = self.reader.read1(self.piece - size)
                if not piece:
                    break
                parts.append(piece)
                size += len(piece)
        except (Damaged, OSError) as error:
            if isinstance(error, Damaged):
                message, help = f"{self.name} {error}", "make or fetch the file again"
            else:
                message, help = f"cannot read {self.name}: {error.strerror}", ""
            self.failure = EvaluationError("E227", message, help=help)
            if not parts:
                raise self.failure from None
        return b"".join(parts)

    def close(self) -> None:
        self.file.close()


def _standard_input() -> Any:
    if sys.stdin is None:
        raise OSError(9, "it is closed")
    return sys.stdin.buffer


def _facts(file: Any) -> os.stat_result | None:
    """Return the status of an open file; None of a file that is only in memory."""
    try:
        return os.fstat(file.fileno())
    except (OSError, ValueError):
        return None
