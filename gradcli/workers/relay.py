"""The output of a child on its way to the standard streams: whole documents, and texts up to a limit."""

from __future__ import annotations

import codecs
import re
import sys
import time
from typing import Any

from gradcli.source import visible
from gradcli.workers.channel import ERR, FILE, OUT
from gradcli.workers.limits import Limits, size_text

# Text that a terminal might obey, hide or reorder; the first alternative is a colour, which is allowed.
DOUBTFUL = re.compile(r"\x1b\[[0-9;]*m|\x1b|[^\x1b\n\t -~]+")
UNFINISHED = re.compile(r"\x1b(?:\[[0-9;]{0,40})?\Z")  # the beginning of a colour, perhaps
JOINERS = "\u200c\u200d"  # invisible characters within words and emoji


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
        self.waited = 0.0  # seconds in which readers took nothing
        self.line = bytearray()  # the beginning of a line of standard output
        self.tails = {OUT: "", ERR: ""}  # the beginning of a colour
        self.decoders: dict[int, codecs.IncrementalDecoder] = {}
        self.document = bytearray()
        self.path: str | None = None  # of a file
        self.file = bytearray()
        self.is_file_whole = False

    def write(self, kind: int, data: bytes) -> None:
        """Pass on a part of a text, or keep a part of a document; TooLargeError where that has too many bytes."""
        before = self.sizes[kind]
        self.sizes[kind] += len(data)
        is_cut = self.sizes[kind] > self.most
        if kind == FILE or (self.is_document and kind == OUT):
            if is_cut:
                raise TooLargeError
            (self.file if kind == FILE else self.document).extend(data)
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
        end = len(data) if is_prompt else data.rfind(b"\n") + 1
        if end:  # else the line goes on, and need not be searched again
            line, self.line = self.line + data[:end], bytearray()
            self.pass_on(OUT, line)
        if is_cut:
            self.line.clear()
        else:
            self.line += data[end:]

    def pass_on(self, kind: int, text: bytes | bytearray) -> None:
        """Write a text on its stream; a terminal gets colours, and no other control."""
        stream = sys.stdout if kind == OUT else sys.stderr
        if stream.isatty():
            if kind not in self.decoders:
                self.decoders[kind] = codecs.getincrementaldecoder(stream.encoding)("replace")
            shown = self.tails[kind] + self.decoders[kind].decode(text)
            end = UNFINISHED.search(shown)
            shown, self.tails[kind] = (shown[: end.start()], end[0]) if end else (shown, "")
            text = without_controls(shown).encode(stream.encoding, "replace")
        before = time.monotonic() - time.process_time()
        write_bytes(stream, text)
        self.waited += max(0.0, time.monotonic() - time.process_time() - before)

    def finish(self, *, is_whole: bool) -> None:
        """Pass on the last line, or the document if it is whole, and say where a text was cut."""
        self._pass_line()
        if self.document and is_whole:
            self.pass_on(OUT, self.document)
        self.document = bytearray()
        if any(size > self.most for size in self.sizes.values()):
            note = f"note: the output has more than {size_text(self.most)} and was cut; --max-output SIZE allows more\n"
            write_bytes(sys.stderr, note.encode())
        if is_whole and self.is_file_whole and self.path is not None:
            from gradcli.workers.files import open_output as opened

            with opened(self.path) as stream:
                stream.write(self.file)
        self.file = bytearray()

    def _pass_line(self) -> None:
        line, self.line = self.line, bytearray()
        self.pass_on(OUT, line)


def without_controls(text: str) -> str:
    """Return a text without control characters other than colours."""
    return DOUBTFUL.sub(harmless, text)


def harmless(match: re.Match[str]) -> str:
    """Return the harmless text that a terminal gets in place of a doubtful one."""
    text = match[0]
    if text.isprintable() or (text[0] == "\x1b" and len(text) > 1):
        return text
    return "".join(c if c in JOINERS or visible(c) == c else "?" for c in text)


def write_bytes(stream: Any, text: bytes | bytearray) -> None:
    """Write bytes on a standard stream, at once."""
    if text:
        stream.buffer.write(text)
        stream.buffer.flush()
