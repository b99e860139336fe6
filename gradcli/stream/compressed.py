"""A gzip file that is read to the place where it is damaged: all that stands before comes out, and then the error."""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Any

GZIP = 31  # zlib's number for data with the header of gzip, whose check sums it compares
CHUNK = 2**14  # compressed bytes that are read at a time: one that is damaged is read again, byte by byte


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
            found = self._decompressed(size) if self.waiting else self._broken_off()
            if found:
                return found
        raise self.damage

    def _decompressed(self, size: int) -> bytes:
        before = self.member.copy()
        try:
            found: bytes = self.member.decompress(self.waiting, size)
        except zlib.error:
            found = salvaged(before, self.waiting)
            self.damage = Damaged("is damaged" if self.count or found else "is no gzip data")
        if self.member.eof:
            self.waiting, self.member = self.member.unused_data, None
            self.count += 1
        else:
            self.waiting = self.member.unconsumed_tail
        return found

    def _broken_off(self) -> bytes:
        self.damage = Damaged("ends in the middle of its compressed data")
        rest: bytes = self.member.flush()
        return rest


def salvaged(member: Any, data: bytes) -> bytes:
    """Return what data gives up to the byte that is wrong."""
    found: list[bytes] = []
    with suppress(zlib.error):
        found.extend(member.decompress(data[at : at + 1]) for at in range(len(data)))
    return b"".join(found)
