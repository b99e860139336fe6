"""The sources of records: a file, a compressed file, standard input."""

from __future__ import annotations

import codecs
import os
import re
import select
import stat
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, UsageError
from gradcli.source import visible
from gradcli.stream.arrow.library import pyarrow

# Compressed files: one of gzip is read to the place where it is damaged, for all before it comes out, then the error.
#
# What a file is compressed with, its name says, or its first bytes where its name says nothing.


GZIP = 31  # zlib's number for data with the header of gzip, whose check sums it compares
CHUNK = 2**14  # compressed bytes that are read at a time: one that is damaged is read again, byte by byte


ENDINGS = (".gz", ".bz2", ".xz", ".zst")
MAGIC = {  # with which compressed bytes begin, and text does not
    b"\x1f\x8b": ".gz",
    **{b"BZh%d%s" % (level, block): ".bz2" for level in range(1, 10) for block in (b"1AY&SY", b"\x17rE8P\x90")},
    b"\xfd7zXZ\0": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
}
LARGEST = 2**28  # bytes of memory that a file of xz may ask for: the most that its own tool makes ask for a quarter


class Damaged(Exception):  # noqa: N818  a state of the file
    """Compressed data that cannot be read on from here; the text says why."""


class Gunzip:
    """The bytes in a file of one gzip member or of several."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.member: Any = None  # what is read now; None between two
        self.waiting = b""  # compressed bytes that are not read yet
        self.count = 0  # members before
        self.damage: Damaged | None = None

    def read1(self, size: int) -> bytes:
        """Return some bytes, `size` at most but where the damage is; none at the end. Raises Damaged."""
        while self.damage is None:
            if not self.waiting:
                self.waiting = self.file.read1(CHUNK)
            if self.member is None:
                self.waiting = self.waiting.lstrip(b"\0") if self.count else self.waiting  # padding, as on tapes
                if not self.waiting:
                    return b""
                self.member = zlib.decompressobj(GZIP)
            data = self._decompressed(size) if self.waiting else self._broken_off()
            if data:
                return data
        raise self.damage

    def _decompressed(self, size: int) -> bytes:
        before = self.member.copy()
        try:
            data: bytes = self.member.decompress(self.waiting, size)
        except zlib.error:
            data = salvage(before, self.waiting)
            self.damage = Damaged("is damaged" if self.count or data else "is no gzip data")
        if self.member.eof:
            self.waiting, self.member = self.member.unused_data, None
            self.count += 1
        else:
            self.waiting = self.member.unconsumed_tail
        return data

    def _broken_off(self) -> bytes:
        self.damage = Damaged("ends in the middle of its compressed data")
        data: bytes = self.member.flush()
        return data


def salvage(member: Any, data: bytes) -> bytes:
    """Return what data gives up to the byte that is wrong."""
    pieces: list[bytes] = []
    with suppress(zlib.error):
        pieces.extend(member.decompress(data[at : at + 1]) for at in range(len(data)))
    return b"".join(pieces)


class Unpacker:
    """The bytes in a file of one member of bzip2, xz or zstd, or of several."""

    def __init__(self, file: Any, make: Callable[[], Any], kind: str) -> None:
        self.file, self.make, self.kind = file, make, kind
        self.member: Any = None
        self.waiting = b""
        self.is_begun = False

    def read1(self, size: int) -> bytes:
        """Return some bytes, `size` at most; none at the end. Raises Damaged."""
        while True:
            if not self.waiting and (self.member is None or self.member.needs_input):
                self.waiting = self.file.read1(CHUNK)
                if not self.waiting and self.member is None:
                    return b""
                if not self.waiting:
                    raise Damaged("ends in the middle of its compressed data")
            self.member = self.member or self.make()
            try:
                data: bytes = self.member.decompress(self.waiting, size)
            except Exception as error:  # each library has its own
                raise Damaged("is damaged" if self.is_begun else f"is no {self.kind} data") from error
            self.waiting = self.member.unused_data if self.member.eof else b""
            self.member = None if self.member.eof else self.member
            self.is_begun = True
            if data:
                return data


class Prefixed:
    """A file of which the first bytes have been read."""

    def __init__(self, head: bytes, file: Any) -> None:
        self.head, self.file = head, file

    def read1(self, size: int) -> bytes:
        """Return some bytes, `size` at most; none at the end."""
        data, self.head = self.head[:size], self.head[size:]
        return data or self.file.read1(size)

    read = read1
    closed = False

    def close(self) -> None:
        """Leave the file to whoever opened it: pyarrow closes what it has read."""


class ByArrow:
    """The bytes in a file of zstd, as pyarrow reads them: it waits until there are as many as are asked for."""

    def __init__(self, file: Any) -> None:
        self.stream = pyarrow().CompressedInputStream(pyarrow().PythonFile(file, "r"), "zstd")

    def read1(self, size: int) -> bytes:
        """Return `size` bytes, or those before the end. Raises Damaged."""
        try:
            return bytes(self.stream.read(size))
        except OSError as error:
            is_short = "Truncated" in str(error)
            raise Damaged("ends in the middle of its compressed data" if is_short else "is damaged") from None


def compression(path: str) -> str:
    """Return the ending of a name that says how a file is compressed; "" where none does."""
    return next((ending for ending in ENDINGS if path.lower().endswith(ending)), "")


def unpacked(file: Any, path: str, size: int) -> Any:
    """Return a file with the bytes as they were before they were compressed, if they are; `size` is read at first.

    Raises UsageError where nothing at hand reads them.
    """
    kind = compression(path)
    if not kind:
        head = file.read1(size)
        while head and any(len(head) < len(magic) and magic.startswith(head) for magic in MAGIC):
            next_bytes = file.read1(size)
            if not next_bytes:
                break
            head += next_bytes
        file = Prefixed(head, file)
        kind = next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), "")
    if kind == ".gz":
        return Gunzip(file)
    if kind == ".bz2":
        return Unpacker(file, import_module("bz2").BZ2Decompressor, "bzip2")
    if kind == ".xz":
        lzma = import_module("lzma")
        return Unpacker(file, lambda: lzma.LZMADecompressor(memlimit=LARGEST), "xz")
    return zstd(file, path) if kind else file


def zstd(file: Any, path: str) -> Any:
    """Return the bytes in a file of zstd: Python reads them since 3.14, pyarrow before."""
    with suppress(ImportError):
        return Unpacker(file, import_module("compression.zstd").ZstdDecompressor, "zstd")
    try:
        return ByArrow(file)
    except UsageError:
        name = "standard input" if path == "-" else visible(path)
        message = f"{name} is compressed with zstd, which Python reads from 3.14 on, and pyarrow before"
        help = f"zstd -dc {'FILE' if path == '-' else visible(path)} | gradcli batch PROGRAM"
        raise UsageError("E014", message, help=help) from None


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
