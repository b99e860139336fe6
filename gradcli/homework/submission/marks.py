"""The marks around the parts of a line: bullets, brackets that are open, signs of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

OPENS = re.compile(r"\\begin\b|[\[({]")
CLOSES = re.compile(r"\\end\b|[\])}]")
BULLET = re.compile(
    r"(?:[-*•–·>+○▪]\s*|\(?(?:[a-zA-Z]{1,2}|\d{1,2}|[ivx]{1,4})\)\s*|(?:[a-zA-Z]|\d{1,2})\.\s+"
    r"|\[(?:[a-z ]|\d{1,2})\]\s*|\\item\b\s*)"
)
BULLETS = 3  # before one another: `- [x] a)`
IN_BRACKETS = re.compile(r"\[[^\[\]]+\]|\([^()]+\)")
SECTION = re.compile(r"\\(?:(?:sub)*section|paragraph|textbf|textit|underline|emph)\*?\{(?P<name>[^{}]*)\}:?\s*$")
SETTING = re.compile(
    r"\s*\\(?:begin|end)\{(?:align|equation|gather|document|itemize|enumerate|multline|split|aligned|center)\*?\}(?:\[[^\]]*\])?"
    r"|\s*\\(?:documentclass|usepackage|maketitle|newpage|noindent|bigskip|medskip|title|author|date)\b.*"
)
DISPLAYED = re.compile(r"\s*(?P<opens>\\\[|\\\(|\$\$)\s*(?P<inner>.*?)\s*(?:\\\]|\\\)|\$\$)[.,]?\s*$")
ALIGNED = re.compile(r"^(?P<label>[^&=]*)&\s*(?P<sign>=|\\approx\b|:=)\s*&?(?P<answer>.*)$")
ROW_END = re.compile(r"[,;]?\s*(?:\\\\)+$")


def untexed(line: str) -> str:
    """Return a line without the commands of LaTeX that only set it: a section's name, `x &= 3 \\\\` as `x = 3`."""
    if "\\" not in line and "&" not in line and "$$" not in line:
        return line
    line = SETTING.sub("", line)
    section = SECTION.fullmatch(line.strip())
    displayed = DISPLAYED.match(line)
    aligned = ALIGNED.match(line)
    if section:
        return section["name"]
    if displayed:
        return displayed["inner"]
    if aligned:
        sign = "≈" if "approx" in aligned["sign"] else "="
        return f"{aligned['label'].strip()} {sign} {ROW_END.sub('', aligned['answer'].strip())}"
    return line


def open_brackets(text: str) -> int:
    return len(OPENS.findall(text)) - len(CLOSES.findall(text))


def bulleted(line: str) -> Iterator[str]:
    """Yield a line as it stands, and without the bullet, number or letter before it."""
    yield line
    for _ in range(BULLETS):
        found = BULLET.match(line)
        if not found or found.end() == len(line):
            break
        line = line[found.end() :].strip()
        yield line


def unmarked(text: str) -> str:
    """Return a label without the marks of Markdown and LaTeX around it."""
    text = text.strip()
    text = text.strip("*`_$ ").strip() if text[:1] in "*`_$" or text[-1:] in "*`$" else text
    return text[1:-1] if IN_BRACKETS.fullmatch(text) else text


def closing_mark(text: str, place: int, answer: str) -> str:
    """Drop the mark that closes one which the label has opened: `$dp/dx = 3$`."""
    for mark in ("$", "`"):
        if text.startswith(mark) and text.count(mark, 0, place) == 1 and answer.rstrip().endswith(mark):
            return answer.rstrip()[:-1]
    return answer
