"""The walk through an explanation: a pure state machine over its steps, with the state of the graph after each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import accumulate
from typing import Literal

from gradcli.explanation.model import Explanation, Value
from gradcli.explanation.steps.moves import Accumulated, Computed, Contributed, Edge, Move, edges, moves
from gradcli.facts import dataclass

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
