"""Boxes and edges that are to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np
from rich.cells import cell_len, set_cell_size

from gradcli.explanation.model import Local, Value
from gradcli.facts import dataclass
from gradcli.language.tree import Expression, Number
from gradcli.language.unparser import unparse
from gradcli.render.display_options import Asked
from gradcli.render.lesson.readable import ENTRYWISE, label
from gradcli.render.text.numbers import number, short
from gradcli.render.text.wrapping import beginning
from gradcli.source import visible

Role = Literal["name", "value", "grad", "fact", "mark"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a box; with a `label` it is a row of a table."""

    text: str
    role: Role
    label: str = ""


@dataclass(frozen=True, slots=True)
class Vertex:
    """A box; `look` says what it stands for, `sentence` says it in words. One that `is_marked` stands out."""

    id: str
    look: Literal["leaf", "data", "op", "backward"]
    lines: tuple[Line, ...]
    sentence: str
    is_output: bool = False
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """An edge; a label that `is_quiet` says that nothing happens to a gradient there, `flows` whether one passes."""

    source: str
    target: str
    label: str
    sentence: str
    is_quiet: bool = False
    flows: bool = True
    is_backward: bool = False
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Sketch:
    """The whole graph."""

    title: str
    vertices: tuple[Vertex, ...]
    arcs: tuple[Arc, ...]


WIDEST = 36  # columns of a line in a box
WIDE = 26  # columns of a label
FEW = 6  # entries of a tensor whose numbers are shown
MANY = 60  # entries of a tensor whose numbers are shown where they are asked for
NARROW = 24  # columns of a matrix on one line
WHOLE = 400  # columns in which all entries fit
ROWS = 8  # of such a tensor on lines of their own


def cut(text: str, width: int, asked: Asked) -> str:
    """Return the text, or its beginning: whole words and terms if they are more than half of what fits."""
    short = beginning(text, width, asked.ellipsis)
    if cell_len(short) * 2 >= min(width, cell_len(text)):
        return short
    return set_cell_size(text, width - len(asked.ellipsis)).rstrip() + asked.ellipsis


def numerals(value: Value, asked: Asked) -> list[str]:
    """Return a number, a tensor with few entries, or a shape; of a wide matrix the shape, then each row by itself."""
    array, written = np.asarray(value), tensor(value, asked)
    if written.startswith("[[") and len(written) > NARROW and array.ndim == 2 and len(array) <= ROWS:
        rows = (short(row, asked.digits, ascii=asked.ascii, width=WHOLE) for row in array)
        return [f"shape {array.shape}", *rows]
    return [written]


def tensor(value: Value, asked: Asked) -> str:
    """Return a number, the numbers of a tensor with few entries, or its shape."""
    shape = np.shape(value)
    if (shape and asked.values == "shape") or np.size(value) > (MANY if asked.values == "full" else FEW):
        return f"shape {shape}"
    if shape:
        return short(value, asked.digits, ascii=asked.ascii, width=WHOLE)
    return number(np.asarray(value)[()], asked.precision)


def formula(tree: Expression, asked: Asked, width: int) -> str:
    return cut(visible(unparse(tree, multiply=asked.times)), width, asked)


def edge_label(local: Local, asked: Asked, ranks: Mapping[str, int]) -> str:
    """`2·x = 4`, or a number alone, such as `-1`; for a structured operation, which has none, the rule: `g @ B.T`."""
    entrywise = asked.times if asked.ascii else ENTRYWISE

    def write(tree: Expression) -> str:
        return label(tree, ranks, partial(formula, asked=asked, width=WIDE), entrywise)

    if local.formula is None:
        return write(local.rule)
    text = write(local.formula)
    is_large = local.value is None or np.size(local.value) > FEW or asked.values in ("none", "shape")
    if is_large or isinstance(local.formula, Number):
        return text
    result = tensor(local.value, asked)
    return text if text == result else f"{text} = {result}"
