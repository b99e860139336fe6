"""A grammar as a text file, and texts drawn from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

SYMBOL = re.compile(r"\{\{|\}\}|\{(\w+)\}")
DEEPEST = 6  # symbols in each other
MOST = 60  # symbols in a text

Word = Callable[[Random], str]
Grammar = Mapping[str, list[str]]


def read(path: Path) -> Grammar:
    """Return the productions of each symbol; a line that goes on is indented by two spaces."""
    found: dict[str, list[str]] = {}
    productions: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            productions.append(line[2:])
        elif line.startswith("  "):
            productions[-1] += f"\n{line[2:]}"
        elif line and not line.startswith("#"):
            productions = found[line] = []
    return found


class Text:
    """One text drawn from a grammar: `words` draw the symbols that have no productions."""

    def __init__(self, grammar: Grammar, words: Mapping[str, Word], random: Random) -> None:
        self.grammar, self.words, self.random = grammar, words, random
        self.count = 0

    def of(self, symbol: str, depth: int = 0) -> str:
        self.count += 1
        if symbol in self.words:
            return self.words[symbol](self.random)
        productions = self.grammar[symbol]
        is_last = depth >= DEEPEST or self.count > MOST
        return self.expanded(productions[0] if is_last else self.random.choice(productions), depth)

    def expanded(self, production: str, depth: int) -> str:
        lines = production.split("\n")
        return "\n".join(self.line(line, depth) for line in lines)

    def line(self, line: str, depth: int) -> str:
        """A line with its symbols expanded; what they bring in more lines is indented as the line is."""
        text = line.lstrip(" ")
        indent = " " * (len(line) - len(text))

        def expand(found: re.Match[str]) -> str:
            return self.of(found[1], depth + 1) if found[1] else found[0][0]

        return indent + SYMBOL.sub(expand, text).replace("\n", f"\n{indent}")
