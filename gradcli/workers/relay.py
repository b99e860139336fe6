"""The output of a child on its way to the standard streams: whole documents, and texts up to a limit."""

from __future__ import annotations

import re
import sys
from typing import Any

from gradcli.workers.channel import ERR, FILE, OUT
from gradcli.workers.limits import Limits, written

# What a terminal would obey or show as nothing, but for line ends and colours; and what may become one of these.
CONTROL = re.compile(rb"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]")
UNFINISHED = re.compile(rb"(?:\x1b(?:\[[0-9;]{0,40})?|\xc2)\Z")


class TooLargeError(Exception):
    """A document is larger than its limit."""


class Relay:
    """Passes texts on; `most` is the number of bytes that each stream may have.

    A line of text is passed on when it is whole, so that it can be cut at a line's end, except on a terminal, where a
    person waits for it. A document waits until the end, and is passed on whole or not at all; so does a file.
    """

    def __init__(self, *, is_document: bool) -> None:
        self.is_document = is_document
        self.most = Limits().output
        self.sizes = {OUT: 0, ERR: 0, FILE: 0}
        self.line = b""  # the beginning of a line of standard output
        self.tails = {OUT: b"", ERR: b""}  # the beginning of a colour, or of a character
        self.document: list[bytes] = []
        self.path: str | None = None  # of a file
        self.file: list[bytes] = []
        self.is_file_whole = False

    def write(self, kind: int, data: bytes) -> None:
        """Pass on a part of a text, or keep a part of a document; TooLargeError where that has too many bytes."""
        before = self.sizes[kind]
        self.sizes[kind] += len(data)
        is_cut = self.sizes[kind] > self.most
        if kind == FILE or (self.is_document and kind == OUT):
            if is_cut:
                raise TooLargeError
            (self.file if kind == FILE else self.document).append(data)
            return
        if before > self.most:
            return
        if is_cut:
            data = data[: self.most - before]
        if kind == ERR:
            self._pass_line()
            end = data.rfind(b"\n") + 1 if is_cut else len(data)
            self.pass_on(ERR, data[:end])
            return
        is_prompt = not is_cut and sys.stdout.isatty()
        text = self.line + data
        end = len(text) if is_prompt else text.rfind(b"\n") + 1
        self.line = b"" if is_cut else text[end:]
        self.pass_on(OUT, text[:end])

    def pass_on(self, kind: int, text: bytes) -> None:
        """Write a text on its stream; a terminal gets colours, and no other control."""
        stream = sys.stdout if kind == OUT else sys.stderr
        if stream.isatty():
            text = self.tails[kind] + text
            end = UNFINISHED.search(text)
            text, self.tails[kind] = (text[: end.start()], end[0]) if end else (text, b"")
            text = CONTROL.sub(b"?", text)
        passed(stream, text)

    def finish(self, *, is_whole: bool) -> None:
        """Pass on the last line, or the document if it is whole, and say where a text was cut."""
        self._pass_line()
        if self.document and is_whole:
            for part in self.document:
                self.pass_on(OUT, part)
        self.document = []
        if any(size > self.most for size in self.sizes.values()):
            note = f"note: the output has more than {written(self.most)} and was cut; --max-output SIZE allows more\n"
            passed(sys.stderr, note.encode())
        if is_whole and self.is_file_whole and self.path is not None:
            from gradcli.workers.files import written as opened

            with opened(self.path) as stream:
                stream.writelines(self.file)
        self.file = []

    def _pass_line(self) -> None:
        line, self.line = self.line, b""
        self.pass_on(OUT, line)


def passed(stream: Any, *parts: bytes) -> None:
    """Write bytes on a standard stream, at once."""
    for part in parts:
        if part:
            stream.buffer.write(part)
    if any(parts):
        stream.buffer.flush()
