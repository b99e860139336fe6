"""The names of torch, numpy and Python's library that each lesson uses, read from its syntax.

The lessons are the samples, and the snippets in the tests of what people do with the engine: explain, ask why, hand in
homework. Tests of single functions are none: they would find a use for everything that is there.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Where lessons are; of the tests of the interpreter and of torch's functions only those that are written as lessons.
FOLDERS = (
    "README.md samples tests/benchmarks tests/commands tests/explanation tests/faults tests/findings tests/fuzz "
    "tests/homework tests/live tests/render tests/script/python/lessons.txt tests/script/snippets "
    "tests/script/timeline tests/script/torch/lessons.txt"
)
KNOWN_AS = {"F": "torch.nn.functional", "nn": "torch.nn", "np": "numpy", "optim": "torch.optim", "torch": "torch"}


def lessons() -> Iterator[Path]:
    for folder in FOLDERS.split():
        path = ROOT / folder
        yield from sorted(x for x in path.rglob("*") if x.is_file()) if path.is_dir() else [path]


def texts(path: Path) -> Iterator[str]:
    """Yield the Python programs in a file: its own text, the cells of a notebook, the blocks of a page."""
    if path.suffix not in (".ipynb", ".md", ".py", ".txt"):
        return
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        yield from ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    elif path.suffix == ".md":
        yield from re.findall(r"```py\w*\n(.*?)```", text, re.DOTALL)
    elif path.suffix == ".txt":
        yield from re.split(r"^# ----.*$", text, flags=re.MULTILINE)
    else:
        yield text


def names(text: str) -> set[str]:
    """Return the names that a program uses: `torch.nn.Linear`, and `.sum` of any attribute; of texts in it, too."""
    try:
        nodes = list(ast.walk(ast.parse(re.sub(r"^[%!].*", "", text, flags=re.MULTILINE))))
    except SyntaxError:
        return set()
    known_as, used = dict(KNOWN_AS), set[str]()
    for node in nodes:
        if isinstance(node, ast.Import):
            known_as |= {x.asname or x.name.partition(".")[0]: x.name if x.asname else x.name.partition(".")[0]
                         for x in node.names}  # fmt: skip
            used |= {x.name for x in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported = {x.asname or x.name: f"{node.module}.{x.name}" for x in node.names}
            known_as |= imported
            used |= set(imported.values())
    for node in nodes:
        if isinstance(node, ast.Attribute):
            used.add(f".{node.attr}")
            used.add(dotted(node, known_as))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            used |= names(node.value)
    return used


def dotted(node: ast.Attribute, known_as: dict[str, str]) -> str:
    """Return `torch.nn.Linear` of `nn.Linear`; an empty text where the first name is no module."""
    parts: list[str] = []
    part: ast.expr = node
    while isinstance(part, ast.Attribute):
        parts.append(part.attr)
        part = part.value
    return ".".join([known_as[part.id], *reversed(parts)]) if isinstance(part, ast.Name) and part.id in known_as else ""


@cache
def index() -> dict[Path, frozenset[str]]:
    """Return the names that each lesson uses."""
    return {path: frozenset(name for text in texts(path) for name in names(text)) for path in lessons()}


@cache
def used_names() -> frozenset[str]:
    return frozenset().union(*index().values())
