"""The catalogue of mistakes: what each is called, and the generators that make the wrong numbers.

A mistake is told in one of two ways. A slip changes rules of the graph and the backward pass runs again, so it gives a
wrong number for every gradient, and two slips make a pair. A guess is a wrong answer to one question, made of right
numbers. To add a mistake, give it a line in `TITLES` and write a generator in one of the files beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.problem import Problem

TITLES = {
    "fanout-overwrite": "kept one branch where the branches add up",
    "path-missed": "left out a path",
    "inner-dropped": "forgot the inner derivative",
    "local-not-total": "gave a local derivative for the total one",
    "outer-at-wrong-point": "took the outer derivative at the inner input",
    "outer-at-derivative": "took the outer derivative at the inner derivative",
    "sign": "slipped a sign",
    "mean-n": "forgot the 1/n of a mean, or used it twice",
    "power-rule": "kept the exponent, or dropped its factor",
    "product-own-factor": "gave a product's factor its own value",
    "quotient": "slipped in the quotient rule",
    "pre-post-activation": "used an activation's derivative at the wrong value",
    "relu-gate": "ignored or inverted the mask of a relu",
    "broadcast-unsummed": "did not sum over the broadcast axis",
    "transpose": "left out a transpose, or put one too many",
    "stale-grad": "left old gradients in place",
    "chain-added": "added along a chain, or multiplied across paths",
    "swapped-variable": "gave the gradient of another variable",
    "not-a-gradient": "gave a value or an updated weight, not a gradient",
    "degrees": "worked in degrees",
    "decimal-point": "slipped the decimal point",
    "rounding": "rounded on the way, or cut off digits",
}
FAMILIES = ("branches", "chains", "nesting", "rules", "activations", "tensors", "habits")


@dataclass(frozen=True, slots=True)
class Slip:
    """Rules that were changed at a vertex. `message` has no numbers, `detail` may; a lower `rank` is more likely."""

    node: int
    rule: str
    message: str
    changes: Mapping[Edge, Change]
    detail: str = ""
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Guess:
    """A wrong answer to one question, with the vertex that it is about."""

    node: int
    rule: str
    message: str
    value: Any
    detail: str = ""
    rank: int = 0


SlipMaker = Callable[[Problem], Iterator[Slip]]
GuessMaker = Callable[[Problem], Iterator[Guess]]


@dataclass
class Catalogue:
    """Generators by the code of their mistake; one code may have several."""

    slips: list[tuple[str, SlipMaker]] = field(default_factory=list)
    guesses: list[tuple[str, GuessMaker]] = field(default_factory=list)


_CATALOGUE = Catalogue()


def slips(code: str) -> Callable[[SlipMaker], SlipMaker]:
    """Declare a generator of slips."""
    assert code in TITLES, code

    def declare(maker: SlipMaker) -> SlipMaker:
        _CATALOGUE.slips.append((code, maker))
        return maker

    return declare


def guesses(code: str) -> Callable[[GuessMaker], GuessMaker]:
    """Declare a generator of guesses."""
    assert code in TITLES, code

    def declare(maker: GuessMaker) -> GuessMaker:
        _CATALOGUE.guesses.append((code, maker))
        return maker

    return declare


def catalogue() -> Catalogue:
    """Every generator, the families loaded."""
    for family in FAMILIES:
        import_module(f"gradcli.homework.mistakes.{family}")
    return _CATALOGUE
