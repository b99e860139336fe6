"""The lines of a graph as data, which a process can hand to another one that trusts it in nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli import ops
from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import Evaluation, Line
from gradcli.facts import dataclass
from gradcli.homework.solve.graph import Graph
from gradcli.language.tree import Expression
from gradcli.source import Span
from gradcli.workers.data import UnfitError
from gradcli.workers.messages import message_of


@dataclass(frozen=True)
class Row:
    """A line: `inputs` are the lines that it reads, `numbers` stand in place of those that are no tensors.

    A gradient flows on to the inputs that it `leads` to; hooks multiply it by the `factor`.
    """

    name: str
    value: Any
    written: Expression
    span: Span
    op: str
    options: dict[str, Any]
    inputs: tuple[int, ...]
    numbers: tuple[Any, ...]
    are_tensors: tuple[bool, ...]
    leads: tuple[bool, ...]
    is_variable: bool
    needs_gradient: bool
    part_of: str
    factor: float | None


@dataclass(frozen=True)
class Tape:
    """The lines of a graph, the number of that of its output, and the gradient that entered there."""

    rows: tuple[Row, ...]
    output: int
    seed: Any


def tape_of(evaluation: Evaluation | None, seed: Any, hooks: dict[Target, float]) -> Tape | None:
    """Return a graph as data; None where there is none, or an operation in it is not known by its name."""
    if evaluation is None:
        return None
    number = {id(line): place for place, line in enumerate(evaluation.lines)}
    output = next(place for place, line in enumerate(evaluation.lines) if line.tensor is evaluation.output)
    try:
        tape = Tape(tuple(row_of(line, number, hooks) for line in evaluation.lines), output, seed)
        message_of(tape, Tape)
    except (UnfitError, RecursionError, LookupError):
        return None
    return tape


def row_of(line: Line, number: dict[int, int], hooks: dict[Target, float]) -> Row:
    application, node = line.application, line.tensor.node
    if application is not None and REGISTRY.get(application.primitive.name) is not application.primitive:
        raise UnfitError("an operation of the script's own")
    inputs = () if application is None else application.inputs
    edges: Sequence[Any] = node.edges if isinstance(node, Node) else ()
    return Row(
        line.name,
        line.tensor.value,
        line.written,
        line.span,
        line.op,
        {} if application is None else dict(application.options),
        tuple(number[id(one)] for one in line.inputs),
        tuple(None if isinstance(one, Tensor) else one for one in inputs),
        tuple(isinstance(one, Tensor) for one in inputs),
        tuple(edge is not None for edge in edges),
        line.is_variable,
        node is not None,
        line.part_of,
        hooks.get(node) if node is not None else None,
    )


def graph_of(tape: Tape) -> Graph:
    """Return the graph that data tell of."""
    if any(row.op and row.op not in REGISTRY for row in tape.rows):
        ops.load()  # what the script needed, another process has imported
    evaluation, hooks = Evaluation(), dict[Target, float]()
    for row in tape.rows:
        line = line_of(row, evaluation.lines)
        evaluation.add(line)
        if row.factor is not None and line.tensor.node is not None:
            hooks[line.tensor.node] = row.factor
    evaluation.output = evaluation.lines[tape.output].tensor
    return Graph(evaluation, "", hooks)


def line_of(row: Row, earlier: Sequence[Line]) -> Line:
    tensor, inputs = Tensor(row.value), tuple(earlier[place] for place in row.inputs)
    application = None
    if row.op:
        pairs = zip(inputs, row.numbers, row.are_tensors, strict=True)
        operands = tuple(line.tensor if is_tensor else number for line, number, is_tensor in pairs)
        application = Application(REGISTRY[row.op], operands, row.options, tensor)
    if row.leads and application is not None:
        edges = [inputs[place].tensor.node if leads else None for place, leads in enumerate(row.leads)]
        tensor.node = Node(application.primitive, application.inputs, row.options, edges, row.value)
    elif row.needs_gradient:
        tensor.node = AccumulateGrad(tensor)
    return Line(row.name, tensor, row.written, row.span, application, inputs, row.is_variable, row.part_of)
