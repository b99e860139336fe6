"""The declaration of a mistake, beside the generators of the wrong numbers that it gives.

A slip changes rules of the graph and the backward pass runs again, so it gives a wrong number for every gradient, and
two slips make a pair. A turn changes a value of the forward pass, and both passes run again. A guess is a wrong answer
to one question, made of right numbers. An ending changes the number that another mistake has given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gradcli.explanation.lines import FAILURES
from gradcli.facts import dataclass
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, Graph
from gradcli.homework.solve.problem import Problem, slope
from gradcli.homework.solve.vertices import Vertex

WEAK = 3  # the rank of a mistake that is never certain
VERTICES = 80  # of a graph whose forward pass is looked into step by step


class Slip(NamedTuple):
    """Rules that were changed at a vertex. `message` has no numbers, `detail` may; a lower `rank` is more likely."""

    node: int
    rule: str
    message: str
    changes: Mapping[Edge, Change]
    detail: str = ""
    rank: int = 0

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges whose rules were changed."""
        return tuple(self.changes)


class Turn(NamedTuple):
    """A step of the forward pass that went wrong: `changed` holds the vertices with other values, operations or rules.

    With `is_slip` the derivatives may also be those of the step as it was meant.
    """

    node: int
    rule: str
    message: str
    changed: Mapping[int, Vertex]
    detail: str = ""
    rank: int = 0
    is_slip: bool = True
    edges: tuple[Edge, ...] = ()


class Guess(NamedTuple):
    """A wrong answer to one question, with the vertex that it is about, and the edges if there are some."""

    node: int
    rule: str
    message: str
    value: Any
    detail: str = ""
    rank: int = 0
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """A change of the number that another mistake has given; `change` returns None where it does not apply."""

    rule: str
    message: str
    change: Callable[[Problem, Value], Value | None]


class EdgeFacts:
    """An edge of a backward pass, with what the generators of slips ask about it."""

    def __init__(self, problem: Problem, edge: Edge) -> None:
        self.problem, self.edge, self.graph = problem, edge, problem.graph
        self.index, self.position = edge
        self.vertex = self.graph.vertices[edge.vertex]
        self.op, self.value, self.operands = self.vertex.op, self.vertex.value, self.vertex.operands
        self.source = self.vertex.sources[edge.position]

    @property
    def name(self) -> str:
        """The label of the step."""
        return self.problem.label(self.index)

    @property
    def input(self) -> str:
        """The label of the value that the gradient goes on to."""
        return self.problem.label(self.source)

    @property
    def ratio(self) -> str:
        """The local derivative, `∂q/∂s`."""
        return self.problem.ratio(self.index, self.source)

    @property
    def upstream(self) -> Value:
        return self.problem.totals[self.index]

    def slip(self, rule: str, message: str, change: Change, detail: str = "", rank: int = 0) -> Slip:
        """Return the slip that changes the rule of this edge alone."""
        return Slip(self.index, rule, message, {self.edge: change}, detail, rank)

    def with_derivative(self, rule: str, message: str, derivative: Value, rank: int = 0) -> Slip:
        """Return the slip that has another local derivative, which is written as the `rule`."""
        return self.slip(f"{self.ratio} = {rule}", message, slope(derivative), rank=rank)


class StepFacts:
    """A step of a forward pass, with what the generators of turns ask about it."""

    def __init__(self, graph: Graph, index: int, vertex: Vertex) -> None:
        self.graph, self.index, self.vertex = graph, index, vertex
        self.op, self.value, self.operands = vertex.op, vertex.value, vertex.operands

    @property
    def name(self) -> str:
        return self.graph.label(self.index)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of the step and of its operands."""
        pairs = zip(self.vertex.sources, self.operands, strict=True)
        return self.name, *(self.graph.label(source) if source >= 0 else str(x) for source, x in pairs)

    def below(self, position: int = 0) -> Vertex | None:
        """Return the vertex of an operand; None for a plain number."""
        source = self.vertex.sources[position] if self.vertex.sources else -1
        return self.graph.vertices[source] if source >= 0 else None

    def unnamed(self, position: int) -> Vertex | None:
        """Return the step that makes an operand, where it has no name of its own."""
        below = self.below(position)
        is_step = below is not None and below.primitive is not None
        return below if is_step and self.vertex.sources[position] not in self.graph.named else None

    def turn(self, rule: str, message: str, changed: Vertex | Value, detail: str = "", rank: int = 0) -> Turn:
        """Return the turn in which the step has another value, or is another one."""
        vertex = changed if isinstance(changed, Vertex) else replace(self.vertex, value=changed)
        return Turn(self.index, rule, message, {self.index: vertex}, detail, rank)


def fits(value: Any, other: Any) -> bool:
    return np.shape(value) == np.shape(other) and bool(np.isfinite(value).all())


def fitting(graph: Graph, maker: Callable[[], Iterator[Turn]]) -> list[Turn]:
    """Return the turns whose values have the shapes of the right ones; none where an operation does not take them."""
    try:
        with np.errstate(all="ignore"):
            turns = list(maker())
    except (*FAILURES, TypeError):
        return []
    pairs = [[(new.value, graph.vertices[place].value) for place, new in turn.changed.items()] for turn in turns]
    return [turn for turn, values in zip(turns, pairs, strict=True) if all(fits(*pair) for pair in values)]


Slips = TypeVar("Slips", bound=Callable[[Problem], Iterator[Slip]])
Guesses = TypeVar("Guesses", bound=Callable[[Problem], Iterator[Guess]])
Turns = TypeVar("Turns", bound=Callable[[Graph], Iterator[Turn]])
OfEdge = Callable[[EdgeFacts], Iterator[Slip]]
OfStep = Callable[[StepFacts], Iterator[Turn]]


@dataclass(frozen=True, eq=False)
class Mistake:
    """A mistake with its generators, a constant of a module that `catalogue` lists.

    `title` goes on after "you"; of mistakes that explain a number equally well, a lower `order` is shown first.
    One that is `of_rule` was made in the derivative rule of an operation, so the sentence about the rule helps.
    `hint` is told in place of the message where that would give the answer away, by a factor or a sign.
    `kin` is the code of a mistake that is the same in other words. One that `is_late` explains so much that others with
    the same number are likelier, as are those of a lower `tier`. One that `is_single` is no part of a pair.
    """

    code: str
    title: str
    order: float
    of_rule: bool = False
    hint: str = ""
    kin: str = ""
    is_late: bool = False
    is_single: bool = False
    tier: int = 0
    slip_makers: list[Callable[[Problem], Iterator[Slip]]] = field(default_factory=list)
    guess_makers: list[Callable[[Problem], Iterator[Guess]]] = field(default_factory=list)
    turn_makers: list[Callable[[Graph], Iterator[Turn]]] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)

    def slips(self, maker: Slips) -> Slips:
        """Declare a generator of slips."""
        self.slip_makers.append(maker)
        return maker

    def rules(self, *ops: str) -> Callable[[OfEdge], OfEdge]:
        """Declare a generator of slips in the rule of one edge, of some operations or of all."""

        def declared(maker: OfEdge) -> OfEdge:
            @wraps(maker)
            def slips(problem: Problem) -> Iterator[Slip]:
                for edge in problem.edges:
                    if not ops or problem.graph.vertices[edge.vertex].op in ops:
                        yield from maker(EdgeFacts(problem, edge))

            self.slip_makers.append(slips)
            return maker

        return declared

    def guesses(self, maker: Guesses) -> Guesses:
        """Declare a generator of guesses."""
        self.guess_makers.append(maker)
        return maker

    def gradients(self, maker: Guesses) -> Guesses:
        """Declare a generator of guesses at gradients alone."""

        @wraps(maker)
        def guesses(problem: Problem) -> Iterator[Guess]:
            return maker(problem) if problem.kind == "gradient" else iter(())

        self.guess_makers.append(guesses)
        return maker

    def turns(self, maker: Turns) -> Turns:
        """Declare a generator of turns."""
        self.turn_makers.append(maker)
        return maker

    def steps(self, *ops: str) -> Callable[[OfStep], OfStep]:
        """Declare a generator of turns at one step, of some operations or of all."""

        def declared(maker: OfStep) -> OfStep:
            @wraps(maker)
            def turns(graph: Graph) -> Iterator[Turn]:
                for index, vertex in graph.new():
                    if vertex.primitive and (not ops or vertex.op in ops):
                        step = StepFacts(graph, index, vertex)
                        yield from fitting(graph, lambda step=step: maker(step))  # type: ignore[misc]

            self.turn_makers.append(turns)
            return maker

        return declared

    def ends(self, rule: str, message: str, change: Callable[[Problem, Value], Value | None]) -> None:
        """Declare an ending."""
        self.endings.append(Ending(rule, message, change))
