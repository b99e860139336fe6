"""The cells of a file: a Python file is one, a notebook has several, a Markdown page has its fenced blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gradcli.errors import UsageError
from gradcli.source import Source

FENCE = r"^(?P<fence>`{3,}|~{3,})[ \t]*(?P<word>[\w+-]*)[^\n]*\n(?P<body>.*?)^(?P=fence)[ \t]*$"
PYTHON = ("python", "py", "python3", "torch", "pytorch")


@dataclass(frozen=True)
class Snippet:
    """What is to be run; `echo` says whether the last expression of a cell is printed, as notebooks do."""

    cells: tuple[Source, ...]
    echo: bool = False


def read_snippet(text: str, name: str) -> Snippet:
    """The cells of a file, by the ending of its name; UsageError for a notebook or page without any."""
    if name.endswith(".ipynb"):
        return Snippet(tuple(notebook(text, name)), echo=True)
    if name.endswith((".md", ".markdown")):
        return Snippet(tuple(fenced(text, name)), echo=True)
    return Snippet((Source(text, name),))


def notebook(text: str, name: str) -> list[Source]:
    """The code cells of a notebook; lines that talk to the notebook and not to Python are left out."""
    import json

    try:
        document = json.loads(text)
        cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
        sources = [_joined(cell["source"]) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError("E012", f"{name} is not a notebook", help="export it as .ipynb or as a .py file") from None
    if not sources:
        raise UsageError("E012", f"{name} has no code cells", help="write a code cell, or give a .py file")
    return [Source(_plain(source), f"{name} cell {number}") for number, source in enumerate(sources, 1)]


def _joined(source: Any) -> str:
    return source if isinstance(source, str) else "".join(str(line) for line in source)


def _plain(source: str) -> str:
    """`%matplotlib inline` and `!pip install` become empty lines, so that line numbers stay."""
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.split("\n"))


def fenced(text: str, name: str) -> list[Source]:
    """The Python blocks of a Markdown page; each keeps the line numbers of the page."""
    found = []
    for match in re.finditer(FENCE, text, re.M | re.S):
        if match["word"].lower() in PYTHON:
            above = text.count("\n", 0, match.start("body"))
            found.append(Source("\n" * above + match["body"], name))
    if not found:
        raise UsageError("E012", f"{name} has no Python blocks", help="fence them with ```python and ```")
    return found
