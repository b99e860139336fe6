"""The marks around the parts of a line: bullets, brackets that are open, signs of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

OPENS = re.compile(r"\\begin\b|[\[({]")
CLOSES = re.compile(r"\\end\b|[\])}]")
BULLET = re.compile(
    r"(?:[-*•–·>+○▪]\s*|\(?(?:[a-zA-Z]{1,2}|\d{1,2}|[ivx]{1,4})\)\s*|(?:[a-zA-Z]|\d{1,2})\.\s+|\[(?:[a-z]|\d{1,2})\]\s*)"
)


def open_brackets(text: str) -> int:
    return len(OPENS.findall(text)) - len(CLOSES.findall(text))


def bulleted(line: str) -> Iterator[str]:
    """Yield a line as it stands, and without the bullet, number or letter before it."""
    yield line
    found = BULLET.match(line)
    if found and found.end() < len(line):
        yield line[found.end() :].strip()


def unmarked(text: str) -> str:
    """Return a label without the marks of Markdown and LaTeX around it."""
    text = text.strip()
    return text.strip("*`_$ ").strip() if text[:1] in "*`_$" or text[-1:] in "*`$" else text


def closing_mark(text: str, place: int, answer: str) -> str:
    """Drop the mark that closes one which the label has opened: `$dp/dx = 3$`."""
    for mark in ("$", "`"):
        if text.startswith(mark) and text.count(mark, 0, place) == 1 and answer.rstrip().endswith(mark):
            return answer.rstrip()[:-1]
    return answer
