"""The text of a file: what a student may have put in its place is neither followed nor waited for."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from gradcli.homework.submission.files import File

FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a pipe is not waited for
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
SAMPLE = 400  # bytes
BINARY = re.compile(r"[\x00-\x06\x0e-\x1a]")  # what no text has
DAMAGED = re.compile(r"[\x00-\x06\x0e-\x1a\udc80-\udcff]")  # the same, and bytes of another encoding
ALONE = re.compile(r"\r(?!\n)")
PICTURE = "it is a picture, not text: type the answers into a text file"
DOCUMENT = "it is a document, not text: save it as plain text, or export it as CSV"
OTHERS = {  # the files that students hand in for a text, by the bytes that they begin with
    b"%PDF": "it is a PDF, not text: write the answers into a text file",
    b"PK\x03\x04": "it is a zip archive, or a document of an office: unpack it, or save it as plain text or CSV",
    b"\x1f\x8b": "it is an archive, not text: unpack it",
    b"7z\xbc\xaf": "it is an archive, not text: unpack it",
    b"Rar!": "it is an archive, not text: unpack it",
    b"\xd0\xcf\x11\xe0": DOCUMENT,
    b"{\\rtf": DOCUMENT,
    b"\x89PNG": PICTURE,
    b"\xff\xd8\xff": PICTURE,
}
KINDS = {
    stat.S_IFLNK: "it is a link, and links in a folder are not followed: the file itself must be there",
    stat.S_IFDIR: "it is a folder, not a file",
    stat.S_IFIFO: "it is a pipe, not a file",
    stat.S_IFSOCK: "it is a socket, not a file",
    stat.S_IFCHR: "it is a device, not a file",
    stat.S_IFBLK: "it is a device, not a file",
}


class UnreadError(Exception):
    """A file that is not read; the message says why."""


def read_file(file: File, largest: int, *, is_table: bool = False) -> tuple[str, str]:
    """Return the text of a file and "", or "" and the reason why it cannot be read; `largest` is in bytes.

    The text of a table may have what no text has, `DAMAGED`: that is the fault of the rows it stands in.
    """
    try:
        data = bytes_of(file, largest)
    except UnreadError as error:
        return "", str(error)
    except (OSError, ValueError) as error:
        return "", f"it cannot be read: {getattr(error, 'strerror', None) or 'not the name of a file'}"
    return decoded(data, is_table=is_table)


def decoded(data: bytes, *, is_table: bool = False) -> tuple[str, str]:
    """Return a text and "", or "" and the reason why it is none; of a table as `read_file` does."""
    for start, why in OTHERS.items():
        if data.startswith(start):
            return "", why
    if is_table:
        text = mended(data)
        head = text.partition("\n")[0]
        if re.search("[,;\t]", head) and not DAMAGED.search(head):
            return text, ""
    for encoding in encodings_of(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return ("", "it is binary data, not text") if BINARY.search(text) else (text, "")
    return "", "it is not UTF-8 text: save it as a text file, UTF-8"


def mended(data: bytes) -> str:
    """Return the text of a table, with bytes that are no text as surrogates.

    With some letters in UTF-8 it is UTF-8 with faults, and cp1252 with none. Where lines end otherwise, a carriage
    return alone ends none, and is written so that it is a fault of its row.
    """
    encoding, *others = encodings_of(data)
    text = data.decode(encoding, "surrogateescape" if others else "replace")
    if others and not data.startswith(codecs.BOM_UTF8) and not re.search("[^\x00-\x7f\udc80-\udcff]", text):
        text = data.decode("cp1252", "surrogateescape")
    return ALONE.sub("\x0e", text) if re.match("[^\r\n]*\r?\n", text) else text


def encodings_of(data: bytes) -> tuple[str, ...]:
    """Return the encodings that a file may have, likely ones first; without its mark UTF-16 is known by its zeros."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return ("utf-16",)
    start = data[:SAMPLE]
    if len(start) > 1 and len(data) % 2 == 0 and start.count(0) > len(start) / 4:
        return ("utf-16-le",) if start[1::2].count(0) > start[::2].count(0) else ("utf-16-be",)
    return ("utf-8-sig", "cp1252")


def bytes_of(file: File, largest: int) -> bytes:
    """Return what a regular file holds. Raises UnreadError for anything else and for too much, and OSError."""
    if file.problem:
        raise UnreadError(file.problem)
    if file.data is not None:
        data, size = file.data, len(file.data)
    else:
        descriptor = opened(file)
        with os.fdopen(descriptor, "rb") as stream:
            size = os.fstat(descriptor).st_size
            data = stream.read(largest + 1) if size <= largest else b""
        size = max(size, len(data))
    if size > largest:
        raise UnreadError(f"it has {size / 2**20:.1f} MB, and a submission has {largest // 2**20} at most")
    return data


def opened(file: File) -> int:
    """Return the descriptor of a regular file; raises UnreadError for anything else.

    It is looked at before, for opening a device may act on it, and must be the same after. In a folder no link is
    followed, also not in place of a folder in it.
    """
    with folder_of(file) as (folder, name):
        before = os.stat(name, dir_fd=folder, follow_symlinks=file.folder is None)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadError(KINDS.get(stat.S_IFMT(before.st_mode), "it is not a file"))
        descriptor = os.open(name, FLAGS | (NO_LINK if file.folder else 0), dir_fd=folder)
    if not os.path.samestat(before, os.fstat(descriptor)):
        os.close(descriptor)
        raise UnreadError("another file took its place while it was opened")
    return descriptor


@contextmanager
def folder_of(file: File) -> Iterator[tuple[int | None, str]]:
    """Open the folder of a file that was found in a folder, step by step from there; give the name of the file in it.

    A file that is named, or a platform that cannot, has None and the path.
    """
    if file.folder is None or os.open not in os.supports_dir_fd:
        yield None, str(file.path)
        return
    *folders, name = file.path.relative_to(file.folder).parts
    descriptor = os.open(file.folder, FOLDER)
    try:
        for part in folders:
            inner = os.open(part, FOLDER | NO_LINK, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor, name
    finally:
        os.close(descriptor)
