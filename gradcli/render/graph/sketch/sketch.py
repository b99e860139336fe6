"""The sketch of an explanation, in the detail that is asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import inf
from typing import Literal

import numpy as np
from rich.cells import cell_len, set_cell_size

from gradcli.errors import EvaluationError
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation, Local, Node, Value
from gradcli.explanation.steps.walk import edges
from gradcli.facts import dataclass
from gradcli.language.tree import Expression, Name, Number, names
from gradcli.language.unparser import unparse, unparse_statement
from gradcli.render.lesson.readable import ENTRYWISE, bare, label, readable
from gradcli.render.text.looks import Asked
from gradcli.render.text.numbers import number, short
from gradcli.render.text.wrapping import beginning
from gradcli.source import visible

# Boxes and edges that are to be drawn.


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


def entrywise(asked: Asked) -> str:
    """Return the sign between tensors that are multiplied entry by entry."""
    return asked.times if asked.ascii else ENTRYWISE


def edge_label(local: Local, asked: Asked, ranks: Mapping[str, int]) -> str:
    """`2·x = 4`, or a number alone, such as `-1`; for a structured operation, which has none, the rule: `g @ B.T`."""

    def write(tree: Expression) -> str:
        return label(tree, ranks, partial(formula, asked=asked, width=WIDE), entrywise(asked))

    if local.formula is None:
        return write(local.rule)
    text = bare(write(local.formula))
    is_large = local.value is None or np.size(local.value) > FEW or asked.values in ("none", "shape")
    if is_large or isinstance(local.formula, Number):
        return text
    result = tensor(local.value, asked)
    return text if text == result or len(f"{text} = {result}") > WIDE else f"{text} = {result}"


# The boxes of tensors and the edges between them.
#
# Numbers that a formula has in it stand in the box of their operation, so that every box is a tensor of the program.


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
                gradient = self.explanation.without_dust(node.id, node.grad)
                yield from labelled("grad", numerals(gradient, asked), "grad")

    def definition(self, node: Node) -> str:
        """`v1 = a·x2`, or the name alone of a variable."""
        tree = readable(node.expression, self.ranks, entrywise(self.asked), is_typed=True)
        name, text = visible(node.name), formula(tree, self.asked, WIDEST)
        return cut(name if text == name else f"{name} = {text}", WIDEST + 8, self.asked)

    def arcs(self, node: Node) -> Iterator[Arc]:
        for edge, local in edges(node):
            source = edge.source
            if source in self.inside:
                continue
            above, below = visible(node.name), visible(self.nodes[source].name)
            if local is None:
                yield Arc(source, node.id, "", f"{below} enters {above}, and no gradient flows back", flows=False)
                continue
            label = edge_label(local, self.asked, self.ranks | {self.explanation.upstream_name: len(node.shape)})
            arrow = self.asked.arrow
            words = f"local derivative {label}" if local.formula is not None else f"rule g {arrow} {label}"
            words = f"each entry gets {label.removeprefix('each ')}" if label.startswith("each ") else words
            shown = "" if self.asked.detail == "name" else label
            is_quiet = isinstance(local.formula or local.rule, Number | Name) and label in ("1", "g")
            yield Arc(source, node.id, shown, f"{below} enters {above}, {words}", is_quiet=is_quiet)

    def sentence(self, node: Node) -> str:
        """Say in words what a box stands for."""
        facts = [f"{self.definition(node)}: value {tensor(node.value, self.asked)}"]
        if node.grad is not None:
            facts.append(f"gradient {tensor(self.explanation.without_dust(node.id, node.grad), self.asked)}")
        return ", ".join(
            [*facts, function(node, self.asked) or {"leaf": "leaf", "op": "no gradient"}.get(node.kind, "constant")]
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


# A large graph in fewer boxes: one for each statement, and for statements that are repeated one with their number.


LONGEST = 40  # statements, or operations of a snippet, that are repeated together
SHOWN = 4  # of them that a box names, and of the leaves of a box


@dataclass(frozen=True, slots=True)
class Unit:
    """Operations that follow each other: those of one statement, or of several, `times` over.

    `texts` are the statements of the first turn; a line of a snippet has none here.
    """

    nodes: tuple[Node, ...]
    texts: tuple[str, ...] = ()
    times: int = 1

    @property
    def result(self) -> Node:
        return self.nodes[-1]

    @property
    def kind(self) -> tuple[str | None, ...]:
        """The operations, by which a statement is known again."""
        return tuple(node.op for node in self.nodes)


def folded_sketch(sketcher: Sketcher, largest: float) -> Sketch | int:
    """Return the sketch with a box for each statement, or the number of boxes that are more than the `largest`.

    Ids are those of the results.
    """
    explanation, asked = sketcher.explanation, sketcher.asked
    operations = [node for node in sketcher.drawn if node.kind == "op"]
    leaves = [node for node in sketcher.drawn if node.kind != "op"]
    units = folded_units(explanation, operations, asked, asked.most - len(leaves))
    box = {node.id: unit.result.id for unit in units for node in unit.nodes}
    repeats = {unit.result.id for unit in units if unit.times > 1}
    groups = _together(operations, leaves, box, repeats)
    groups = [part for group in groups for part in ([group] if len(group) > SHOWN else [[leaf] for leaf in group])]
    if len(units) + len(groups) > asked.most:
        groups = _together(operations, leaves, box, set(box.values()))
    if len(units) + len(groups) > largest:
        return len(units) + len(groups)
    box |= {leaf.id: group[0].id for group in groups for leaf in group}
    vertices = [_leaves(group, sketcher) for group in groups] + [_unit_vertex(unit, sketcher) for unit in units]
    return Sketch(sketcher.title, tuple(vertices), tuple(_arcs(operations, box)))


def folded_units(explanation: Explanation, operations: Sequence[Node], asked: Asked, most: int) -> list[Unit]:
    """Return statements, or if these are too many those that repeat as one; of a snippet the operations that repeat."""
    if explanation.parsed.statements:
        units = statements(explanation, operations, asked)
        return units if len(units) <= most else repeated(units, explanation.output)
    units = repeated([Unit((node,)) for node in operations], explanation.output)
    if len(units) <= asked.most:
        return units
    return repeated(statements(explanation, operations, asked), explanation.output)


def _together(
    operations: Sequence[Node], leaves: Sequence[Node], box: dict[str, str], joined: Container[str]
) -> list[list[Node]]:
    """Return the leaves, those together that one box of these alone uses."""
    users: dict[str, set[str]] = {leaf.id: set() for leaf in leaves}
    for node in operations:
        for source in node.inputs:
            if source in users:
                users[source].add(box[node.id])
    groups: dict[tuple[str, str], list[Node]] = {}
    for leaf in leaves:
        user = next(iter(users[leaf.id])) if len(users[leaf.id]) == 1 else ""
        groups.setdefault((user if user in joined else f"leaf {leaf.id}", leaf.kind), []).append(leaf)
    return list(groups.values())


def statements(explanation: Explanation, operations: Sequence[Node], asked: Asked) -> list[Unit]:
    """Return the operations by the statement, or the line of a snippet, that they stand in."""
    written = explanation.parsed.statements
    starts = [statement.span.start for statement in written]

    def place(node: Node) -> int:
        return bisect_right(starts, node.span.start) if starts else node.span.start

    units = []
    for at, group in groupby(operations, place):
        text = unparse_statement(written[at - 1], multiply=asked.times) if 0 < at <= len(written) else ""
        units.append(Unit(tuple(group), (visible(text),) if text else ()))
    return units


def repeated(units: Sequence[Unit], output: str) -> list[Unit]:
    """Return the units with those joined that repeat what is before them and go on from it; the output stands alone."""
    kinds = [(unit.kind, unit.result.id == output) for unit in units]
    joined_units, at = [], 0
    while at < len(units):
        size, times = 1, 1
        for length in range(1, min(LONGEST, (len(units) - at) // 2) + 1):
            count, block = 1, kinds[at : at + length]
            while kinds[(end := at + count * length) : end + length] == block and goes_on(units, end, length):
                count += 1
            if count > 1 and count * length > size * times:
                size, times = length, count
        part = units[at : at + size * times]
        nodes = tuple(node for unit in part for node in unit.nodes)
        joined_units.append(Unit(nodes, tuple(text for unit in part[:size] for text in unit.texts), times))
        at += size * times
    return joined_units


def goes_on(units: Sequence[Unit], at: int, length: int) -> bool:
    """Return whether some units use a result of as many before them."""
    before = {node.id for unit in units[at - length : at] for node in unit.nodes}
    return any(not before.isdisjoint(node.inputs) for unit in units[at : at + length] for node in unit.nodes)


def _unit_vertex(unit: Unit, sketcher: Sketcher) -> Vertex:
    """Return the box of a unit: its statements, how much they stand for, and its result."""
    asked, result, count = sketcher.asked, sketcher.vertex(unit.result), len(unit.nodes)
    if count == 1:
        return result
    turn = unit.nodes[: count // unit.times] if unit.times > 1 else unit.nodes[-1:]
    texts = unit.texts or tuple(map(sketcher.definition, turn))
    lines = [Line(cut(text, WIDEST, asked), "name") for text in texts[:SHOWN]]
    if len(texts) > SHOWN:
        lines.append(Line(asked.ellipsis, "name"))
    amount = f"{count} operations"
    if unit.times > 1:
        last = cut(visible(unit.result.name), WIDEST, asked)
        lines.append(Line(f"{'x' if asked.ascii else '×'}{unit.times}, up to {last}", "fact"))
        amount = f"{amount}, {unit.times} times the same"
    elif asked.detail != "name" and not unit.texts:
        lines.append(Line(amount, "fact"))
    return replace(result, lines=(*lines, *result.lines[1:]), sentence=f"{result.sentence}, {amount}")


def _leaves(group: Sequence[Node], sketcher: Sketcher) -> Vertex:
    """Return the box of some leaves: their names."""
    first = sketcher.vertex(group[0])
    if len(group) == 1:
        return first
    ellipsis = sketcher.asked.ellipsis
    lines = [Line(cut(visible(leaf.name), WIDEST, sketcher.asked), "name") for leaf in group[:SHOWN]]
    if len(group) > SHOWN:
        lines.append(Line(f"{ellipsis} {len(group)} in all", "fact"))
    return replace(first, lines=tuple(lines), sentence=f"{first.sentence}; {len(group)} like it")


def _arcs(operations: Sequence[Node], box: dict[str, str]) -> Iterator[Arc]:
    """Yield the edges between boxes, each once."""
    between: dict[tuple[str, str], bool] = {}
    for node in operations:
        flowing = {local.input for local in node.locals}
        for source in node.inputs:
            if source in box and box[source] != box[node.id]:
                ends = box[source], box[node.id]
                between[ends] = between.get(ends, False) or source in flowing
    for (source, target), flows in between.items():
        yield Arc(source, target, "", visible(f"{source} enters {target}"), flows=flows)


def backward_side(explanation: Explanation, asked: Asked) -> tuple[list[Vertex], list[Arc]]:
    """Return the nodes of the backward pass, AccumulateGrad for leaves, and the contributions between them."""
    nodes = {node.id: node for node in explanation.nodes}
    reached = dict.fromkeys([explanation.output, *(step.input for step in explanation.steps)])
    vertices = [_vertex(nodes[id], asked) for id in reached]
    entering = tensor(explanation.upstream, asked)
    first = f"the gradient {entering} enters at {visible(explanation.output)}"
    arcs = [Arc(explanation.output, _id(explanation.output), "grad_fn", first, flows=False, is_backward=True)]
    for step in explanation.steps:
        label = tensor(step.contribution, asked)
        sentence = f"the contribution {label} goes from {visible(step.node)} to {visible(step.input)}"
        if len(label) > WIDE:
            label = f"shape {np.shape(step.contribution)}"
        shown = "" if asked.detail == "name" or asked.values == "none" else label
        arcs.append(Arc(_id(step.node), _id(step.input), shown, sentence, is_backward=True))
    return vertices, arcs


def _vertex(node: Node, asked: Asked) -> Vertex:
    name, made_by = cut(visible(node.name), WIDEST, asked), function(node, asked) or "AccumulateGrad"
    gradient = tensor(node.grad, asked)
    lines = [Line(made_by, "name")]
    if asked.detail != "name" and asked.values != "none":
        written = [gradient] if node.grad is None else numerals(node.grad, asked)
        lines.append(Line(f"{name}.grad {written[0]}" if node.is_leaf else f"grad {written[0]}", "grad"))
        lines.extend(Line(row, "grad") for row in written[1:])
    return Vertex(_id(node.id), "backward", tuple(lines), f"{made_by} of {name}: gradient {gradient}")


def _id(node: str) -> str:
    """Return an id that no tensor has."""
    return f"backward of {node}"


def sketch(explanation: Explanation, asked: Asked, largest: float = inf) -> Sketch:
    """Return the boxes and edges, of operations as they were written, or with the backward side as torch has them.

    Of a large graph statements are boxes, unless `all` is asked for. Raises EvaluationError for more boxes than the
    `largest` picture has.
    """
    if not asked.backward:
        explanation = folded(explanation)
    sketcher = Sketcher(explanation, asked)
    if not asked.all and len(sketcher.drawn) > asked.most:
        folding = folded_sketch(sketcher, largest)
        if isinstance(folding, int):
            raise too_large(folding, asked)
        return folding
    if len(sketcher.drawn) > largest:
        raise too_large(len(sketcher.drawn), asked)
    picture = sketcher.sketch()
    if not asked.backward or not explanation.steps:
        return picture
    vertices, arcs = backward_side(explanation, asked)
    return replace(picture, vertices=(*picture.vertices, *vertices), arcs=(*picture.arcs, *arcs))


def too_large(boxes: int, asked: Asked) -> EvaluationError:
    return EvaluationError(
        "E210",
        f"the picture would have {boxes:,} boxes, or edges that are too long to draw",
        help=f"draw the graph of an intermediate with --of NAME{', or leave out --all' * asked.all}",
    )
