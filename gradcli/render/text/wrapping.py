"""Text on lines: it breaks between words and terms, where brackets are fewest; no number, name or operator is split."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

HANG = 2  # columns before the second line of a text, and before those after it
# Costs of a break before a factor, before a remark, between other tokens, before a comma or around a bracket, inside a
# power, and inside a wide token.
FACTOR, REMARK, SPLIT, APART, POWER, FOLD = 0.5, 0.75, 500, 700, 800, 900
NUMBER = r"(?:(?<![\w)\].])-)?(?<![\w.])(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?\b"
NAME = r"--?[^\W\d][\w-]*|\.?[\w∂]+"  # also an option, and a part of `layer.weight`
OPERATOR = r"\*\*|//|->|<-|[<>=!+*/@-]=|\.\.\."
GLUE = "\u00a0"  # a space before a remark, which rather stays on the line
TOKEN = re.compile(rf"{GLUE}+\S+|\s+|{NUMBER}|{NAME}|{OPERATOR}|.", re.DOTALL)
OPERATORS = frozenset((*"+-*/@=·×−→←<>", "**", "//", "->", "<-", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/="))


class Token(NamedTuple):
    """A piece of a text that is not split, with the cost of a line that begins with it; no line begins with a space."""

    start: int
    end: int
    columns: int
    cost: float


def wrapped(text: str, width: int, hang: int = HANG) -> list[slice]:
    """Return the lines of a text; all but the first have `hang` columns fewer."""
    if cell_len(text) <= width:
        return [slice(0, len(text))]
    pieces = list(tokens(text, width - hang))
    lines: list[slice] = []
    first = 0
    while first < len(pieces):
        last = _end(pieces, first, width - hang * bool(lines))
        end = pieces[last].start if last < len(pieces) else len(text)
        lines.append(slice(pieces[first].start, len(text[:end].rstrip())))
        first = last
    return lines


def lines_of(text: str, width: int | None, hang: int = HANG) -> list[str]:
    """Return the lines of a text, indented; the text itself where no width is given."""
    if width is None:
        return [text]
    return [" " * (hang * bool(number)) + text[part] for number, part in enumerate(wrapped(text, width, hang))]


def beginning(text: str, width: int, ellipsis: str) -> str:
    """Return a text as it is, or where it is too wide the tokens at its beginning that fit, with an ellipsis."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    ends = [match.end() for match in TOKEN.finditer(text[: width + 1])]
    fitting = [end for end in ends[:-1] if cell_len(text[:end]) <= room]
    return (text[: fitting[-1]] if fitting else set_cell_size(text, room)).rstrip() + ellipsis


def widest(text: str) -> int:
    """Return the columns of the widest token."""
    return max((cell_len(match[0]) for match in TOKEN.finditer(text)), default=0)


def tokens(text: str, width: int) -> Iterator[Token]:
    """Yield the tokens of a text; one wider than a line is cut."""
    depth, behind, before = 0, "", ""  # the token behind, and the one before it
    for match in TOKEN.finditer(text):
        token, columns = match[0], cell_len(match[0])
        depth -= token in ")]}" and depth > 0
        yield from _folded(Token(match.start(), match.end(), columns, _cost(token, behind, before, depth)), text, width)
        depth += token in "([{"
        behind, before = token, behind


def _cost(token: str, behind: str, before: str, depth: int) -> float:
    if token.isspace() or not cell_len(token):
        return float("inf")
    if behind.isspace():
        return SPLIT if before in OPERATORS else depth
    if token[0] == GLUE:
        return REMARK  # rather than inside brackets
    if "**" in (token, behind):
        return POWER
    if token in ",;:([)]}":
        return APART
    return depth + FACTOR if token in "·*" else SPLIT


def _folded(token: Token, text: str, width: int) -> Iterator[Token]:
    if token.columns <= width or token.cost == float("inf"):
        yield token
        return
    cost = token.cost
    for place in range(token.start, token.end):
        columns = cell_len(text[place])
        yield Token(place, place + 1, columns, cost if columns else float("inf"))
        cost = FOLD


def _end(pieces: Sequence[Token], first: int, room: int) -> int:
    """Return the token that the next line begins with.

    Where a line can end without a split, it ends behind its first third with the fewest brackets open.
    """
    best, least = first + 1, (float("inf"), True, 0.0, 0)
    used = shown = 0
    for place in range(first, len(pieces)):
        token = pieces[place]
        if place > first and token.cost != float("inf"):
            is_late = shown * 3 >= room
            price = (max(token.cost, SPLIT), not is_late, token.cost * is_late, -place)
            if price < least:
                best, least = place, price
        used += token.columns
        if token.cost != float("inf"):
            shown = used
            if used > room:
                return best
    return len(pieces)
