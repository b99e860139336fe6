"""Source text: lines and columns, text made safe to print, and did-you-mean."""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

LINE_END = re.compile(r"\r\n?|\n")  # as Python reads lines


class Span(NamedTuple):
    """A half-open range of character offsets in the source text."""

    start: int
    end: int


class Position(NamedTuple):
    """A line and a column, both counted from 1."""

    line: int
    column: int


class Source:
    """A text with a name to call it by in messages (`expression`, a file's name, `value of x`)."""

    def __init__(self, text: str, name: str = "expression") -> None:
        self.text = text
        self.name = name
        self._starts = [0, *(end.end() for end in LINE_END.finditer(text))]

    def position(self, offset: int) -> Position:
        """The line and column of a character offset."""
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def offset(self, line: int) -> int:
        """Return the offset of the start of a line (counted from 1)."""
        return self._starts[line - 1]

    def line(self, number: int) -> str:
        """The text of a line (counted from 1), without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


_shipped: dict[Path, str] = {}  # texts of files, for a process that opens none


def shipped(path: Path) -> str:
    """Return the text of a file that comes with gradcli, perhaps in a zip file. OSError where there is none."""
    loader: Any = __spec__.loader
    return _shipped[path] if path in _shipped else str(loader.get_data(str(path)), "utf-8")


def hold_shipped(*folders: Path) -> None:
    """Keep the texts of all files in folders but modules."""
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.suffix.startswith(".py"):
                _shipped[path] = path.read_text(encoding="utf-8")


def visible(text: str) -> str:
    """The text with control and invisible formatting characters written out, safe for any terminal."""
    if text.isprintable():
        return text
    return "".join(_escape(c) for c in text)


def _escape(character: str) -> str:
    if character == "\t":
        return " "
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def width(text: str) -> int:
    """Return the number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    wide_characters = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide_characters - sum(unicodedata.combining(c) != 0 for c in text)


def docstring(function: Callable[..., Any]) -> str:
    """Return the docstring of a function, also under `python -OO`, which leaves it in the source alone."""
    if function.__doc__ is not None or sys.flags.optimize < 2:
        return function.__doc__ or ""
    import ast
    import inspect
    from textwrap import dedent

    with suppress(OSError, TypeError, SyntaxError):
        (definition,) = ast.parse(dedent(inspect.getsource(function))).body
        return ast.get_docstring(definition, clean=False) or "" if isinstance(definition, ast.FunctionDef) else ""
    return ""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The closest known name, or an empty string when none is close."""
    from difflib import get_close_matches

    folded = {candidate.lower(): candidate for candidate in names}
    close = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else ""
