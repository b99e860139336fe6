"""The walk through an explanation: a pure state machine over its steps, with the state of the graph after each."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import accumulate
from typing import ClassVar, Literal, NamedTuple

from gradcli.explanation.model import Explanation, Local, Node, Step, Value
from gradcli.facts import dataclass

# The steps of a walk: each operation forward, then each contribution backward, then each gradient into its leaf.


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
    """Yield the steps backward, each with the edge that it flows along: of several the one with its rule."""
    unused: dict[tuple[str, str], list[tuple[Edge, Local]]] = {}  # more than one edge for x*x
    for node in explanation.nodes:
        for edge, local in edges(node):
            if local is not None:
                unused.setdefault((node.id, edge.source), []).append((edge, local))
    awaited = Counter(step.input for step in explanation.steps)
    totals: dict[str, Value] = {}
    for step in explanation.steps:
        waiting = unused[step.node, step.input]
        alike = (place for place, (_, local) in enumerate(waiting) if len(waiting) > 1 and local.rule == step.rule)
        edge, local = waiting.pop(next(alike, 0))
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


Look = Literal["idle", "forward", "active", "done"]


@dataclass(frozen=True, slots=True)
class State:
    """The graph after a number of steps.

    A node is `idle` until its value is known, then `forward` until its gradient is complete, and then `done`. An edge
    is `forward` once the value has flowed along it, and `done` once the gradient has. Both are `active` in the step
    that is about them. `gradients` are the sums so far, and `grads` the `.grad` of the leaves: where nothing has
    arrived there is nothing, which is not 0.
    """

    number: int
    nodes: Mapping[str, Look]
    edges: Mapping[Edge, Look]
    gradients: Mapping[str, Value] = field(default_factory=dict)
    grads: Mapping[str, Value] = field(default_factory=dict)

    @property
    def values(self) -> frozenset[str]:
        """The nodes whose value is known."""
        return frozenset(node for node, look in self.nodes.items() if look != "idle")


@dataclass(frozen=True)
class Walk:
    """An explanation and the steps through it, counted from 1; 0 is the beginning, where only the leaves are known."""

    explanation: Explanation
    moves: tuple[Move, ...]

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.moves)

    @cached_property
    def turn(self) -> int:
        """The number of the first step back, at which the gradient of the output enters; one too many without any."""
        return next((n for n, move in enumerate(self.moves, 1) if not isinstance(move, Computed)), self.last + 1)

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The state after each step, from 0 on."""
        return tuple(accumulate(self.moves, self.after, initial=self.beginning))

    @property
    def beginning(self) -> State:
        """The state in which only leaves and constants have values."""
        nodes: dict[str, Look] = {n.id: "idle" if n.kind == "op" else "forward" for n in self.explanation.nodes}
        return State(0, nodes, {edge: "idle" for node in self.explanation.nodes for edge, _ in edges(node)})

    def after(self, state: State, move: Move) -> State:
        """Return the state after one step more."""
        number = state.number + 1
        calm = settled(state, self.moves[state.number - 1] if state.number else None)
        if number == self.turn:  # the gradient enters with the first step back
            output = self.explanation.output
            calm = replace(calm, gradients={output: self.explanation.upstream}, nodes={**calm.nodes, output: "done"})
        calm = replace(calm, number=number)
        match move:
            case Computed(node):
                looks: dict[Edge, Look] = dict.fromkeys(self.edges_into[node], "active")
                return replace(calm, nodes={**calm.nodes, node: "active"}, edges={**calm.edges, **looks})
            case Contributed(edge, fact):
                return replace(
                    calm,
                    nodes={**calm.nodes, edge.source: "active"},
                    edges={**calm.edges, edge: "active"},
                    gradients={**calm.gradients, edge.source: fact.total},
                )
            case Accumulated(node, _, _, after):
                leaf: dict[str, Look] = {node: "active"} if node in calm.nodes else {}
                return replace(calm, nodes={**calm.nodes, **leaf}, grads={**calm.grads, node: after})

    @cached_property
    def edges_into(self) -> dict[str, tuple[Edge, ...]]:
        """The edges into each node."""
        return {node.id: tuple(edge for edge, _ in edges(node)) for node in self.explanation.nodes}


def settled(state: State, move: Move | None) -> State:
    """Return the state with nothing active: the step that was shown is over."""
    match move:
        case None:
            return state
        case Computed(node):
            quiet: dict[Edge, Look] = {edge: "forward" for edge, look in state.edges.items() if look == "active"}
            return replace(state, nodes={**state.nodes, node: "forward"}, edges={**state.edges, **quiet})
        case Contributed(edge):
            look: Look = "done" if move.is_complete else "forward"
            nodes: Mapping[str, Look] = {**state.nodes, edge.source: look}
            return replace(state, nodes=nodes, edges={**state.edges, edge: "done"})
        case Accumulated(node):
            over: dict[str, Look] = {node: "done"} if node in state.nodes else {}
            return replace(state, nodes={**state.nodes, **over})


def walk(explanation: Explanation, arrivals: Iterable[Accumulated] | None = None) -> Walk:
    """Return the walk through an explanation; `arrivals` are those of `moves`."""
    return Walk(explanation, moves(explanation, arrivals))


def looks(states: Iterable[State]) -> Iterator[tuple[int, str | Edge, Look]]:
    """Yield the changes alone: the number of a step, a node or an edge, and how it looks from then on."""
    last: dict[str | Edge, Look] = {}
    for state in states:
        places: tuple[tuple[str | Edge, Look], ...] = (*state.nodes.items(), *state.edges.items())
        for place, look in places:
            if last.get(place) != look:
                last[place] = look
                yield state.number, place, look
