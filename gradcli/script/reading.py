"""The cells of a file: a Python file is one, a notebook has several, a Markdown page has its fenced blocks."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Any

from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.source import Source

PAGES = (".md", ".markdown", ".qmd", ".rmd")
FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")
PYTHON = ("python", "py", "python3", "ipython", "ipython3", "pycon", "torch", "pytorch")
PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: |$)")


@dataclass(frozen=True)
class Snippet:
    """The cells of a snippet; `echo` says whether the last expression of a cell is printed, as notebooks do.

    `omitted` are the lines for the notebook and not for Python, each with its place.
    """

    cells: tuple[Source, ...]
    echo: bool = False
    omitted: tuple[str, ...] = ()


def read_snippet(text: str, name: str) -> Snippet:
    """Return the cells of a file, by the ending of its name; raise UsageError for a notebook or page without any."""
    text = text.removeprefix("\ufeff")
    if name.lower().endswith(".ipynb"):
        return notebook(text, name)
    if name.lower().endswith(PAGES):
        return Snippet(tuple(page(text, name)), echo=True)
    return Snippet((Source(text, name),))


def notebook(text: str, name: str) -> Snippet:
    """The code cells of a notebook."""
    import json

    try:
        document = json.loads(text)
        written = document["cells"] if "cells" in document else document["worksheets"][0]["cells"]  # before version 4
        code = [cell for cell in written if cell["cell_type"] == "code"]
        sources = [_joined(cell["source" if "source" in cell else "input"]) for cell in code]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise UsageError("E012", f"{name} is not a notebook", help="export it as .ipynb or as a .py file") from None
    if not sources:
        raise UsageError("E012", f"{name} has no code cells", help="write a code cell, or give a .py file")
    omitted: list[str] = []
    cells = []
    for number, source in enumerate(sources, 1):
        cell = f"{name} cell {number}"
        cells.append(Source(plain(source, cell, omitted), cell))
    return Snippet(tuple(cells), echo=True, omitted=tuple(omitted))


def _joined(source: Any) -> str:
    return source if isinstance(source, str) else "".join(str(line) for line in source)


def plain(source: str, cell: str, omitted: list[str]) -> str:
    """Return the Python of a cell: `%matplotlib inline` and `!pip install` become empty lines, to keep line numbers.

    Of `%time x = f()` and `%%time` the Python remains; a cell in another language (`%%bash`) has none.
    """
    if is_python(source):
        return source
    lines = source.split("\n")
    for number, line in enumerate(lines):
        command = line.strip()
        if not command.startswith(("%", "!", "?")) and not re.fullmatch(r"[\w.]+\?{1,2}", command):
            continue
        timed = re.match(r"%time\s+(?=\S)", command)
        lines[number] = line[: len(line) - len(line.lstrip())] + command[timed.end() :] if timed else ""
        omitted.append(f"{cell}, line {number + 1}: {timed[0].strip() if timed else command}")
        if command.startswith("%%") and not command.startswith(("%%time", "%%capture")):
            return "\n" * source.count("\n")
    return "\n".join(lines)


def is_python(source: str) -> bool:
    """Whether Python can read a text, in which a line that begins with % then continues the one above."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def page(text: str, name: str) -> list[Source]:
    """The Python blocks of a Markdown page; each keeps the line numbers of the page."""
    sources = [source for first, lines in fenced(text) for source in block(first, lines, name)]
    if not sources:
        raise UsageError("E012", f"{name} has no Python blocks", help="fence them with ```python and ```")
    return sources


def fenced(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of each Python block, without the indent of its fence, and how many lines are above it."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    number = 0
    while number < len(lines):
        opening = FENCE.fullmatch(lines[number])
        number += 1
        if opening is None:
            continue
        first, fence, indent = number, opening["fence"], len(opening["indent"])
        while number < len(lines) and not is_closing(lines[number], fence):
            number += 1
        if is_python_block(opening["info"]):
            yield first, [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[first:number]]
        number += 1


def is_closing(line: str, fence: str) -> bool:
    line = line.strip()
    return len(line) >= len(fence) and not line.strip(fence[0])


def is_python_block(info: str) -> bool:
    """Whether words after a fence mean Python: `python`, `{.python}`, `python title="a"`, `{code-cell} ipython3`."""
    words = [word.lower() for word in re.findall(r"[\w+-]+", info)]
    return words[:1] == ["code-cell"] or bool(words and words[0] in PYTHON)


def block(first: int, lines: list[str], name: str) -> Iterator[Source]:
    """Yield the cells of a block: one, or one for each `>>>` of a session with prompts, without its output."""
    if not next((line for line in lines if line.strip()), "").lstrip().startswith(">>>"):
        yield Source("\n" * first + "\n".join(lines), name)
        return
    starts = [number for number, line in enumerate(lines) if line.lstrip().startswith(">>>")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        typed = [PROMPT.sub("", line) if PROMPT.match(line) else "" for line in lines[start:end]]
        yield Source("\n" * (first + start) + "\n".join(typed), name)
