"""Where in the source something happens: the span of a node, and the place that an exception came from."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradcli.source import Source, Span


@dataclass(frozen=True)
class Place:
    """A node of a source, and the function that it stands in."""

    node: ast.AST
    source: Source

    @property
    def span(self) -> Span:
        return span_of(self.node, self.source)

    @property
    def line(self) -> int:
        return int(getattr(self.node, "lineno", 1))


PLACES = "gradcli_places"  # the attribute of an exception that holds its places, innermost first


def span_of(node: ast.AST, source: Source) -> Span:
    """The characters of a node that the caret shows: what was called or operated on, within one line."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end_line, end_column = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column + 1)
    text = source.line(line)
    last = len(text) if end_line != line else _characters(text, end_column)
    start = source.offset(line)
    return Span(start + _characters(text, column), start + max(last, 1))


def _characters(text: str, bytes_before: int) -> int:
    """The tree counts bytes of UTF-8; people count characters."""
    return bytes_before if text.isascii() else len(text.encode()[:bytes_before].decode(errors="ignore"))


def placed(error: BaseException, place: Place) -> None:
    """Note where an exception came from, unless a closer place is known."""
    if not hasattr(error, PLACES):
        setattr(error, PLACES, [place])


def called_from(error: BaseException, place: Place) -> None:
    """Note the call of a function of the snippet that an exception came through."""
    places = getattr(error, PLACES, None)
    if places is not None and len(places) < 50 and places[-1] is not place:
        places.append(place)
