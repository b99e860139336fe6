"""Places in the source: the span of a node, and the places that an exception came through."""

from __future__ import annotations

import ast

from gradcli.facts import dataclass
from gradcli.source import Source, Span


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a source."""

    node: ast.AST
    source: Source

    @property
    def span(self) -> Span:
        return span_of(self.node, self.source)

    @property
    def line(self) -> int:
        return int(getattr(self.node, "lineno", 1))


PLACES = "gradcli_places"  # the attribute of an exception that holds its places, innermost first
SHOWN = 50  # of the calls that an exception came through


def span_of(node: ast.AST, source: Source) -> Span:
    """Return the characters of a node for the caret, within one line."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end_line, end_column = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column + 1)
    text = source.line(line)
    last = len(text) if end_line != line else _characters(text, end_column)
    start = source.offset(line)
    return Span(start + _characters(text, column), start + max(last, 1))


def _characters(text: str, bytes_before: int) -> int:
    """Count characters, where the syntax tree counts bytes of UTF-8."""
    return bytes_before if text.isascii() else len(text.encode()[:bytes_before].decode(errors="ignore"))


def note_place(error: BaseException, place: Place) -> None:
    """Note where an exception came from, unless a closer place is known."""
    if PLACES not in error.__dict__:  # past what a class of the snippet says about its attributes
        error.__dict__[PLACES] = [place]


def note_call(error: BaseException, place: Place) -> None:
    """Note the call that an exception came through; the place itself if no closer one is known."""
    places = error.__dict__.setdefault(PLACES, [place])
    if len(places) < SHOWN and places[-1] is not place:
        places.append(place)
