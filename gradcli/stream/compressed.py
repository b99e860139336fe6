"""Compressed files: one of gzip is read to the place where it is damaged, for all before it comes out, then the error.

What a file is compressed with, its name says, or its first bytes where its name says nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from gradcli.errors import UsageError
from gradcli.source import visible
from gradcli.stream.arrow.library import pyarrow

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
