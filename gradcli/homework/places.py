"""Where things stand in an assignment file; tomllib reads values and forgets their places."""

from __future__ import annotations

import re

from gradcli.source import Source, Span

HEADER = re.compile(r"^[ \t]*\[\[?[^\]\n]+\]\]?[ \t]*(?:#.*)?$", re.MULTILINE)
QUESTION = re.compile(r"\s*\[\[\s*question\s*\]\]")


class Places:
    """Looks keys and texts up; where nothing is found, the whole section is the place."""

    def __init__(self, source: Source) -> None:
        self.source = source
        starts = [found.start() for found in HEADER.finditer(source.text)]
        ends = [*starts[1:], len(source.text)]
        self.sections = list(zip(starts, ends, strict=True))
        self.questions = [s for s in self.sections if QUESTION.match(source.text, s[0])]

    def section(self, question: int | None, name: str = "") -> Span:
        """A question by its number from 0, a table by its name, or what stands before all tables."""
        if question is not None:
            return Span(*self.questions[question]) if question < len(self.questions) else Span(0, 0)
        for start, end in self.sections:
            if name and re.match(rf"\s*\[\s*{re.escape(name)}\s*\]", self.source.text[start:end]):
                return Span(start, end)
        return Span(0, self.sections[0][0] if self.sections else len(self.source.text))

    def key(self, section: Span, key: str) -> Span:
        """The key where it is set, `key = ...`; else the section's header."""
        found = re.compile(rf"(?:^|[{{,])[ \t]*[\"']?({re.escape(key)})[\"']?[ \t]*=", re.MULTILINE).search(
            self.source.text, *section
        )
        if found:
            return Span(*found.span(1))
        return Span(section.start, section.start + len(self.source.text[slice(*section)].split("\n")[0]))

    def text(self, section: Span, text: str, after: str = "") -> Span | None:
        """A text as it is written, behind a key; None where it is written with escapes."""
        start = self.key(section, after).end if after else section.start
        found = self.source.text.find(text, start, section.end) if text else -1
        return None if found < 0 else Span(found, found + len(text))
