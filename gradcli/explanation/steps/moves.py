"""The steps of a walk: each operation forward, then each contribution backward, then each gradient into its leaf."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal, NamedTuple

from gradcli.explanation.model import Explanation, Local, Node, Step, Value
from gradcli.facts import dataclass

Phase = Literal["forward", "backward", "accumulate"]


class Edge(NamedTuple):
    """The input `source` at a position of the node `target`: of `x*x` there are two, which differ in their position."""

    source: str
    target: str
    position: int


@dataclass(frozen=True, slots=True)
class Computed:
    """A step forward: the operation of a node runs, and its value is known."""

    phase: ClassVar[Phase] = "forward"
    node: str


@dataclass(frozen=True, slots=True)
class Contributed:
    """A step backward: the gradient of a node flows along one edge, and is added to the sum at its input.

    `before` is that sum without the contribution, None where it is the first; `is_complete` says whether it is the
    last. The numbers are those of `fact`, and the local derivative is that of `local`.
    """

    phase: ClassVar[Phase] = "backward"
    edge: Edge
    fact: Step
    local: Local
    before: Value | None
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Accumulated:
    """The last steps: the gradient of a leaf is added to its `.grad`, which was `before`, None where there was none."""

    phase: ClassVar[Phase] = "accumulate"
    node: str
    gradient: Value
    before: Value | None
    after: Value


Move = Computed | Contributed | Accumulated


def moves(explanation: Explanation, arrivals: Iterable[Accumulated] | None = None) -> tuple[Move, ...]:
    """Return all steps of an explanation, in order.

    `arrivals` are the gradients that arrived in the `.grad` of leaves. By default it is the gradient of every leaf, in
    the order in which the sums were complete, and no leaf had one before.
    """
    forward = (Computed(node.id) for node in explanation.nodes if node.kind == "op")
    backward = tuple(contributions(explanation))
    last = first_arrivals(explanation, backward) if arrivals is None else arrivals
    return (*forward, *backward, *last)


def contributions(explanation: Explanation) -> Iterator[Contributed]:
    """Yield the steps backward, each with the edge that it flows along."""
    unused: dict[tuple[str, str], deque[tuple[Edge, Local]]] = {}  # more than one edge for x*x
    for node in explanation.nodes:
        for edge, local in edges(node):
            if local is not None:
                unused.setdefault((node.id, edge.source), deque()).append((edge, local))
    awaited = Counter(step.input for step in explanation.steps)
    totals: dict[str, Value] = {}
    for step in explanation.steps:
        edge, local = unused[step.node, step.input].popleft()
        awaited[step.input] -= 1
        yield Contributed(edge, step, local, totals.get(step.input), not awaited[step.input])
        totals[step.input] = step.total


def edges(node: Node) -> Iterator[tuple[Edge, Local | None]]:
    """Yield the edges into a node, each with its local derivative, or None where no gradient flows."""
    waiting = deque(node.locals)
    for position, source in enumerate(node.inputs):
        flows = waiting and waiting[0].input == source
        yield Edge(source, node.id, position), waiting.popleft() if flows else None


def first_arrivals(explanation: Explanation, backward: Iterable[Contributed]) -> Iterator[Accumulated]:
    """Yield the gradient of each leaf that has one, as it arrives in a `.grad` that was None."""
    gradients = {leaf.node: leaf.gradient for leaf in explanation.leaves if leaf.gradient is not None}
    complete = [move.edge.source for move in backward if move.is_complete]
    for node in dict.fromkeys([explanation.output, *complete]):  # a program may be a leaf and nothing else
        if node in gradients:
            yield Accumulated(node, gradients[node], None, gradients[node])
