"""The script of a question as it runs: in a process that has nothing else, from which data come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli import ops
from gradcli.engine.backward import Accumulation
from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import Evaluation, Line
from gradcli.facts import dataclass
from gradcli.homework.solve.graph import Graph
from gradcli.language.tree import Expression
from gradcli.script.failure import failure
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.python.text.formatting import represent
from gradcli.script.timeline.graphs import numpy_value, snapshot
from gradcli.script.timeline.model import Accumulated, Asked, Backward, Returned, Timeline, Value
from gradcli.script.timeline.recorder import Recorder
from gradcli.script.torch.random.generator import Generator
from gradcli.source import Source, Span
from gradcli.workers.asking import Work
from gradcli.workers.data import UnfitError, check
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
        tuple(number[id(tensor)] for tensor in line.inputs),
        tuple(None if isinstance(operand, Tensor) else operand for operand in inputs),
        tuple(isinstance(operand, Tensor) for operand in inputs),
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


# A graph, None where it was too large; the gradient that entered; and the factors of hooks that multiply gradients.
Kept = tuple[Evaluation | None, Any, dict[Target, float]]


class Passes(Recorder):
    """A recorder that also keeps the graph of each backward pass, as it stood when the pass began."""

    def __init__(self, machine: Any) -> None:
        super().__init__(machine, all=True)
        self.graphs: list[Kept] = []
        self.returned: list[Kept] = []  # of `torch.autograd.grad`

    def kept(self, outputs: Sequence[Tensor], given: Sequence[Any]) -> Kept:
        self.flush()
        whole = len(outputs) == 1 and outputs[0].node is not None
        return snapshot(self.run, outputs[0]) if whole else None, numpy_value(given[0]), {}

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        self.graphs.append(self.kept(outputs, given))
        return super().backward(outputs, given, watched(events, self.graphs[-1][2]))

    def differentiated(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        self.returned.append(self.kept(outputs, given))
        return super().differentiated(outputs, inputs, given, watched(events, self.returned[-1][2]))


def watched(events: Iterator[Contributed], hooks: dict[Target, float]) -> Iterator[Contributed]:
    """Pass on the events of a backward pass, and keep the factors of the hooks that multiply a gradient."""
    arrived: dict[Target, Any] = {}
    for event in events:
        if isinstance(event, Accumulation):
            target, left = event.leaf.node, event.gradient
        else:
            target, left = event.node, event.upstream
            edge = target.edges[event.position]
            assert edge is not None
            arrived[edge] = numpy_value(event.total)
        if target in arrived and target.hooks is not None:
            with np.errstate(all="ignore"):
                ratios = np.divide(numpy_value(left), arrived[target])
            factor = float(np.ravel(ratios)[0])
            if np.isfinite(factor) and factor != 1 and np.allclose(ratios, factor):
                hooks[target] = factor
        yield event


SMALL = Limits(steps=100_000, elements=2**16, seconds=60)  # steps end it: seconds pass on a busy machine, too
LIMITS = Limits(steps=2_000_000, elements=2**20, seconds=10)
is_number = check(float)  # of facts: neither infinite nor nan
ROUNDS = 8  # numbers of a list that are kept
LISTS = 2**6


@dataclass(frozen=True)
class Script:
    """A script, and the expressions that are asked for; `raises` where its error is asked for, too."""

    text: str
    name: str
    asked: tuple[str, ...]
    raises: bool = False


@dataclass(frozen=True)
class Others:
    """Other texts for a script, which may read what is `given` by its names; few steps are left to each if `small`."""

    script: Script
    texts: tuple[str, ...]
    given: dict[str, Any]
    small: bool


@dataclass(frozen=True)
class Refusal:
    """What is said of an expression that has no answer, behind its text; what to write instead."""

    says: str
    help: str


@dataclass(frozen=True)
class Ran:
    """A run: what was asked for, the lines that print with their output, the message of the error that was raised.

    Backward passes left `accumulated` gradients, calls of `torch.autograd.grad` have `returned` some; `graphs` are
    theirs, and those of values that are asked for. `empty` are gradients that are None, each with the reason. `lists`
    have numbers at places, by the names of the script.
    """

    values: tuple[Any, ...]
    printed: tuple[tuple[int, str], ...]
    raised: str
    accumulated: tuple[tuple[Accumulated, ...], ...]
    returned: tuple[tuple[tuple[str, Value | None], ...], ...]
    graphs: tuple[Tape | None, ...]
    graphs_returned: tuple[Tape | None, ...]
    graphs_beside: tuple[Tape | None, ...]
    empty: tuple[tuple[str, str], ...]
    lists: dict[str, tuple[tuple[int, float], ...]]


Outcomes = tuple[tuple[Refusal | Any, ...], ...]  # of each text what was asked for, nothing where it cannot run


def answered(work: Script | Others) -> Ran | Outcomes:
    """Run what is to run. Raises the error of a script that stops."""
    if isinstance(work, Others):
        return tuple(outcomes(text, work) for text in work.texts)
    printed: list[tuple[int, str]] = []
    values, machine, recorder, whole, raised = timeline(work, printed)
    made = [value for value in values if isinstance(value, Tensor) and isinstance(value.node, Node)]
    beside = [recorder.kept([tensor], [None]) for tensor in made]
    own_events = [event for event in whole.events if event.source.name == work.name]
    lists = {
        name: tuple(
            (place, number) for place, number in enumerate(some[:ROUNDS]) if type(number) is float and is_number(number)
        )
        for name, some in machine.globals.items()
        if type(some) is list
    }
    return Ran(
        tuple(answerable(value, machine) for value in values),
        tuple(printed),
        failure(raised[0]).message if raised else "",
        tuple(event.accumulated for event in own_events if isinstance(event, Backward)),
        tuple(event.gradients for event in own_events if isinstance(event, Returned)),
        tuple(tape_of(*kept) for kept in recorder.graphs),
        tuple(tape_of(*kept) for kept in recorder.returned),
        tuple(tape_of(*kept) for kept in beside),
        tuple((event.name, event.message) for event in whole.events if isinstance(event, Asked)),
        dict(list(lists.items())[:LISTS]),
    )


def timeline(
    work: Script, printed: list[tuple[int, str]]
) -> tuple[Sequence[object], Machine, Passes, Timeline, list[Exception]]:
    """Run a script here: the values that are asked for, how they came about, and the error that is asked for."""
    source = Source(work.text, work.name)

    def wrote(text: str) -> None:
        if machine.source is source:
            printed.append((machine.line, text))

    machine = steady(LIMITS, wrote)
    machine.timeline = recorder = Passes(machine)
    raised: list[Exception] = []
    try:
        values = run([source], machine, asked=expressions(work.asked), raised=raised if work.raises else None)
    except Exception as error:
        raise failure(error, [*machine.globals, *machine.builtins]) from None
    return values, machine, recorder, recorder.finished(), raised


def own_events(work: Script) -> Timeline:
    """Run a script here, and return what it did without the evaluation of the quantities."""
    *_, whole, _ = timeline(work, [])
    return replace(whole, events=tuple(event for event in whole.events if event.source.name == work.name))


def outcomes(text: str, work: Others) -> tuple[Any, ...]:
    """Return the answers if the script were another text; none where it cannot run."""
    machine = steady(SMALL if work.small else LIMITS, lambda text: None)
    machine.globals.update(work.given)
    with suppress(Exception):  # a changed snippet may do anything
        values = run([Source(text, work.script.name)], machine, asked=expressions(work.script.asked))
        answers = [answerable(value, machine) for value in values]
        if not any(
            isinstance(a, Refusal) and not isinstance(v, Exception) for a, v in zip(answers, values, strict=True)
        ):
            return tuple(answers)
    return ()


def steady(limits: Limits, write: Callable[[str], None]) -> Machine:
    """Return a machine that draws the same numbers each time, for verdicts may not depend on chance."""
    machine = Machine(limits, write)
    machine.generator = Generator(0)
    return machine


def expressions(asked: Sequence[str]) -> list[Source]:
    return [Source(text, "quantity") for text in asked]


def answerable(value: object, machine: Machine) -> Any:
    """Return the right answer for a value: a numpy value, None, a boolean, or a text."""
    if isinstance(value, Exception):
        error = failure(value, [*machine.globals, *machine.builtins])
        return Refusal(f": {error.message}", error.help or "ask for a name of the script")
    if isinstance(value, Node):
        return value.short_name
    if isinstance(value, Tensor):
        return value.value
    if value is None or isinstance(value, bool | str):
        return value
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        array = np.asarray(None)
    if array.dtype.kind in "fiub":
        return array[()]
    text = represent(value)
    if text.startswith("<") or "\n" in text:
        return Refusal(" is nothing that one can type", "ask for a number or a name")
    return text


# Runs what scripts of lessons do, so that all of it is imported.
FIRST = """
import torch
from torch import nn
x = torch.tensor([[1.0, 2.0]])
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x).squeeze(1), torch.ones(1))
    loss.backward()
    optimizer.step()
"""


def prepare() -> None:
    answered(Script(FIRST, "first", ("loss", "net[0].weight.grad")))


def text_of(work: Script | Others) -> str:
    """Return the script that runs, by itself or as other texts of its author would have it."""
    return work.script.text if isinstance(work, Others) else work.text


WORK = Work(answered, Script | Others, Ran | Outcomes, prepare, text_of)
