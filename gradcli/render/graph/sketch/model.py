"""Boxes and edges that are to be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Literal

import numpy as np
from rich.cells import cell_len, set_cell_size

from gradcli.explanation.model import Explanation, Local, Node, Value
from gradcli.facts import dataclass
from gradcli.language.tree import Expression, Name, Number, names
from gradcli.language.unparser import unparse
from gradcli.render.display_options import Asked
from gradcli.render.graph.labels import edges
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


# The boxes of tensors and the edges between them.


class Sketcher:
    """Writes the boxes and edges of one explanation."""

    def __init__(self, explanation: Explanation, asked: Asked) -> None:
        self.explanation = explanation
        self.asked = asked
        self.nodes = {node.id: node for node in explanation.nodes}
        self.ranks = {node.id: len(node.shape) for node in explanation.nodes}
        self.inside = {node.id for node in explanation.nodes if is_inside(node) and node.id != explanation.output}

        self.drawn = [node for node in explanation.nodes if node.id not in self.inside]
        self.title = f"The graph of {visible(explanation.output)}"

    def sketch(self) -> Sketch:
        vertices = tuple(self.vertex(node) for node in self.drawn)
        arcs = tuple(arc for node in self.drawn for arc in self.arcs(node))
        return Sketch(self.title, vertices, arcs)

    def vertex(self, node: Node) -> Vertex:
        look: Literal["leaf", "data", "op"] = "data" if node.kind == "constant" else node.kind
        is_output = node.id == self.explanation.output
        return Vertex(node.id, look, tuple(self.lines(node)), self.sentence(node), is_output)

    def lines(self, node: Node) -> Iterator[Line]:
        """Yield the lines of a box, in the detail that is asked for."""
        asked = self.asked
        name = cut(visible(node.name), WIDEST, asked)
        if asked.detail == "name":
            yield Line(name, "name")
            return
        if asked.detail == "full":
            yield Line(self.definition(node), "name")
            yield from facts(node, asked)
            return
        definition = self.definition(node)
        yield Line(definition, "name")
        for id in dict.fromkeys(node.inputs):
            constant = self.nodes[id]
            if id in self.inside and id in names(node.expression):
                yield Line(f"{visible(id)} = {tensor(constant.value, asked)}", "fact")
        if asked.values != "none":
            written = numerals(node.value, asked)
            if not definition.endswith(f"= {written[0]}"):
                yield from labelled("value", written, "value")
            if node.grad is not None:
                yield from labelled("grad", numerals(node.grad, asked), "grad")

    def definition(self, node: Node) -> str:
        """`v1 = a·x2`, or the name alone of a variable."""
        name, text = visible(node.name), formula(node.expression, self.asked, WIDEST)
        return cut(name if text == name else f"{name} = {text}", WIDEST + 8, self.asked)

    def arcs(self, node: Node) -> Iterator[Arc]:
        for source, local in edges(node):
            if source in self.inside:
                continue
            above, below = visible(node.name), visible(self.nodes[source].name)
            if local is None:
                yield Arc(source, node.id, "", f"{below} enters {above}, and no gradient flows back", flows=False)
                continue
            label = edge_label(local, self.asked, self.ranks | {self.explanation.upstream_name: len(node.shape)})
            arrow = self.asked.arrow
            told = f"local derivative {label}" if local.formula is not None else f"rule g {arrow} {label}"
            told = f"each entry gets {label.removeprefix('each ')}" if label.startswith("each ") else told
            shown = "" if self.asked.detail == "name" else label
            is_quiet = isinstance(local.formula or local.rule, Number | Name) and label in ("1", "g")
            yield Arc(source, node.id, shown, f"{below} enters {above}, {told}", is_quiet=is_quiet)

    def sentence(self, node: Node) -> str:
        """Say in words what a box stands for."""
        told = [f"{self.definition(node)}: value {tensor(node.value, self.asked)}"]
        if node.grad is not None:
            told.append(f"gradient {tensor(node.grad, self.asked)}")
        return ", ".join(
            [*told, function(node, self.asked) or {"leaf": "leaf", "op": "no gradient"}.get(node.kind, "constant")]
        )


def is_inside(node: Node) -> bool:
    """Return whether a node is a number or a list in a formula, which has no box of its own."""
    return node.kind == "constant" and node.expression != Name(node.name)


def facts(node: Node, asked: Asked) -> Iterator[Line]:
    """Yield the attributes of a tensor, as torch has them."""
    kept = node.is_leaf or node.grad is None
    gradient = "None" if node.grad is None else tensor(node.grad, asked)
    yield Line(tensor(node.value, asked), "value", "data")
    yield Line(gradient if kept else f"None ({gradient} passed)", "grad", "grad")
    yield Line(function(node, asked) or "None", "fact", "grad_fn")
    yield Line(str(node.is_leaf), "fact", "is_leaf")
    yield Line(str(node.requires_grad), "fact", "requires_grad")


def function(node: Node, asked: Asked) -> str:
    """Return the name of torch's node, which for a function of a snippet is the snippet's; nothing for a leaf."""
    return cut(visible(node.grad_fn or ""), WIDEST, asked)


def labelled(label: str, written: list[str], role: Role) -> Iterator[Line]:
    """Yield `value = 6`, or the rows of a matrix below its name."""
    first, *more = written
    yield Line(f"{label} {first}" if first.startswith("shape ") else f"{label} = {first}", role)
    yield from (Line(row, role) for row in more)
