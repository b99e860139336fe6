"""Every identity of the table holds at points, is applied, and is known by its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

import gradcli.ops
from gradcli.errors import GradcliError
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_expression
from gradcli.language.rewrite import substitute
from gradcli.language.simplify.facts.identities import LETTERS, TABLE, Identity
from gradcli.language.simplify.facts.rules import Rule, read_pattern, rule
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Call, Expression, Name, Number, names
from gradcli.source import Source
from tests.language.simplify.evaluation import NotFiniteError, value

gradcli.ops.load()

NUMBERS = (-2.25, -1, -0.4, 0, 0.3, 0.75, 1, 1.5, 3)
ARRAYS: list[Any] = [
    0,
    1,
    2,
    0.75,
    np.array([0, 1]),
    np.array([0.5, -1.5]),
    np.array([[0.5, -1], [2, 0.25]]),
    np.array([[1, 0.5], [-3, 2]]),
    np.array([True, False]),
    np.array([[0.5], [-2]]),
]
IDS = [identity.name for identity in TABLE]


def test_the_texts_read_as_in_the_language() -> None:
    for text in (text for identity in TABLE for text in (identity.pattern, identity.result)):
        assert read_pattern(text) == parse_expression(Source(text))


def of_numbers(identity: Identity) -> bool:
    return not any(
        word in identity.pattern
        for word in ("dim=", "@", "diag", "T", "eye", "where(b", "softmax", "sum(", "squeeze", "reshape")
    )


def bindings(letters: list[str], values: list[Any]) -> Iterator[dict[str, Any]]:
    return (dict(zip(letters, chosen, strict=True)) for chosen in product(values, repeat=len(letters)))


def holds(identity: Identity, point: Mapping[str, Any]) -> bool:
    """Tell whether the condition of an identity holds."""
    ranks = {letter: np.ndim(x) for letter, x in point.items()}
    match identity.ranks:
        case "a is a vector":
            return ranks["a"] == 1
        case "a is a vector, b a matrix":
            return ranks["a"] == 1 and ranks["b"] == 2
        case "a and b are matrices":
            return ranks["a"] == ranks["b"] == 2
        case "a and b are vectors of one size":
            return ranks["a"] == ranks["b"] == 1 and len(point["a"]) == len(point["b"])
        case "a has one entry along b":
            shape, axis = np.shape(point["a"]), int(np.ravel(point["b"])[0])
            return bool(np.ndim(point["b"]) == 0 and -len(shape) <= axis < len(shape) and shape[axis] == 1)
        case "c is the last dimension":
            return bool(np.all(point["c"] == ranks["a"]))
    return True


def letters_of(tree: Expression) -> list[str]:
    return sorted(names(tree) & LETTERS)


def numeric_points(identity: Identity) -> Iterator[tuple[Any, Any]]:
    """Yield the values of pattern and result where the pattern is finite."""
    found = rule(identity)
    for point in bindings(letters_of(found.pattern), list(NUMBERS)):
        try:
            yield value(found.pattern, point), value(found.result, point)
        except NotFiniteError:
            continue


def array_points(identity: Identity) -> Iterator[tuple[Any, Any]]:
    found = rule(identity)
    for point in bindings(letters_of(found.pattern), ARRAYS):
        if holds(identity, point):
            try:
                left = value_of(found.pattern, point)
            except (GradcliError, TypeError, ValueError):
                continue
            yield left, np.broadcast_to(value_of(found.result, point), np.shape(left))


@pytest.mark.parametrize("identity", TABLE, ids=IDS)
def test_both_sides_are_equal(identity: Identity) -> None:
    if of_numbers(identity):
        pairs = list(numeric_points(identity))
        assert pairs
        assert all(abs(left - right) <= 1e-40 * max(1, abs(left)) for left, right in pairs)
    else:
        arrays = list(array_points(identity))
        assert arrays
        for left, right in arrays:
            np.testing.assert_allclose(left, right, rtol=1e-12)


SHAPES: dict[str, tuple[int, ...]] = {
    "A": (3, 3),
    "B": (3, 3),
    "v": (3,),
    "w": (3,),
    "u": (2,),
    "s": (),
    "t": (),
    "C": (3, 1),
}


def instances(identity: Identity) -> Iterator[dict[str, Expression]]:
    """Yield names and small numbers for the letters."""
    letters = letters_of(rule(identity).pattern)
    parts: list[Expression] = [*map(Name, SHAPES), *map(Number, range(4))]
    for chosen in product(parts, repeat=len(letters)):
        if len(set(chosen)) == len(chosen):
            yield dict(zip(letters, chosen, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("identity", TABLE, ids=IDS)
def test_it_is_applied(identity: Identity) -> None:
    """The pattern becomes as short as the result, unless it is the shorter one; `expand` may keep its shape."""
    found = rule(identity)
    assert any(map(partial(is_applied, found), instances(identity) if letters_of(found.pattern) else [{}]))


def is_applied(found: Rule, letters: dict[str, Expression]) -> bool:
    pattern, result = (substitute(tree, letters) for tree in (found.pattern, found.result))
    short = simplify(pattern, SHAPES)
    kept = isinstance(short, Call) and short.function == "expand"
    return length(short) - kept <= min(length(pattern), length(result))


def test_names_are_unique() -> None:
    assert len(set(IDS)) == len(IDS)
    assert all(identity.source for identity in TABLE)
