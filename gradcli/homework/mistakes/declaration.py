"""The declaration of a mistake, beside the generators of the wrong numbers that it gives.

A slip changes rules of the graph and the backward pass runs again, so it gives a wrong number for every gradient, and
two slips make a pair. A turn changes a value of the forward pass, and both passes run again. A guess is a wrong answer
to one question, made of right numbers. An ending changes the number that another mistake has given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, NamedTuple, TypeVar

from gradcli.facts import dataclass
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import Vertex

WEAK = 3  # the rank of a mistake that is never certain


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


Slips = TypeVar("Slips", bound=Callable[[Problem], Iterator[Slip]])
Guesses = TypeVar("Guesses", bound=Callable[[Problem], Iterator[Guess]])
Turns = TypeVar("Turns", bound=Callable[[Graph], Iterator[Turn]])


@dataclass(frozen=True, eq=False)
class Mistake:
    """A mistake with its generators, a constant of a module that `catalogue` lists.

    `title` goes on after "you"; of mistakes that explain a number equally well, a lower `order` is shown first.
    One that is `of_rule` was made in the derivative rule of an operation, so the sentence about the rule helps.
    `hint` is told in place of the message where that would give the answer away, by a factor or a sign.
    `kin` is the code of a mistake that is the same in other words. One that `is_late` explains so much that others with
    the same number are likelier, as are those of a lower `tier`. One that `is_single` is no part of a pair.
    Generators that are far-fetched are asked only where nothing likelier gives the number.
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
    far_slip_makers: list[Callable[[Problem], Iterator[Slip]]] = field(default_factory=list)
    far_turn_makers: list[Callable[[Graph], Iterator[Turn]]] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)

    def slips(self, maker: Slips) -> Slips:
        """Declare a generator of slips."""
        self.slip_makers.append(maker)
        return maker

    def guesses(self, maker: Guesses) -> Guesses:
        """Declare a generator of guesses."""
        self.guess_makers.append(maker)
        return maker

    def turns(self, maker: Turns) -> Turns:
        """Declare a generator of turns."""
        self.turn_makers.append(maker)
        return maker

    def far_slips(self, maker: Slips) -> Slips:
        """Declare a generator of slips that are far-fetched."""
        self.far_slip_makers.append(maker)
        return maker

    def far_turns(self, maker: Turns) -> Turns:
        """Declare a generator of turns that are far-fetched."""
        self.far_turn_makers.append(maker)
        return maker

    def ends(self, rule: str, message: str, change: Callable[[Problem, Value], Value | None]) -> None:
        """Declare an ending."""
        self.endings.append(Ending(rule, message, change))
