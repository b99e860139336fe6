"""Where nan and infinity come from."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.explanation.build import explain
from gradcli.language.parser import parse_program
from gradcli.source import Source


def messages(program: str, *codes: str, **values: Any) -> list[str]:
    """The messages of the notes with these codes."""
    found = explain(parse_program(Source(program)), values).notes
    return [note.message for note in found if note.code in codes]


def test_nan_at_a_fan_in_is_laid_to_the_sum() -> None:
    assert messages("a = sqrt(x); b = sqrt(x); a - b", "gradient-not-finite", x=0) == [
        "the gradient becomes infinite on the way from b to x: the derivative of sqrt(x) is infinite where x is 0",
        "the gradient of x is nan, for it is a sum of inf and -inf: -inf from b, inf from a",
    ]


@pytest.mark.parametrize(
    ("program", "values", "told"),
    [
        ("x/y", {"x": 1, "y": 0}, "from v1 to x, and infinite on the way to y: the derivative of x/y is infinite"),
        ("1/y", {"y": 0}, "from v1 to y: the derivative of 1/y is infinite where y is 0"),
        ("sqrt(sum((a - b)**2))", {"a": [1, 2], "b": [1, 2]}, ": the derivative of sqrt(v3) is infinite where v3 is 0"),
        ("sum(sqrt(a))", {"a": [4, 0]}, "from v1 to a: the derivative of sqrt(a) is infinite where a is 0"),
        ("log(x) + y", {"x": 0, "y": 1}, "from v1 to x: the derivative of log(x) is infinite where x is 0"),
    ],
)
def test_an_infinite_derivative_is_named(program: str, values: dict[str, Any], told: str) -> None:
    assert messages(program, "gradient-not-finite", **values)[0].endswith(told)


@pytest.mark.parametrize(
    ("program", "values", "origin"),
    [
        ("x**2", {"x": 1e200}, "v1 is infinite: x**2 overflows"),
        ("x**-1", {"x": 0}, "v1 is infinite, outside the domain: x**-1 is finite and smooth for x != 0"),
        ("x**0.5", {"x": -1}, "v1 is nan, outside the domain: x**0.5 is finite and smooth for 0 < x"),
        ("a/b", {"a": 1, "b": 0}, "v1 is infinite, outside the domain: a/b is finite and smooth for b != 0"),
        ("1/b", {"b": 0}, "v1 is infinite, outside the domain: 1/b is finite and smooth for b != 0"),
        ("a/0", {"a": 1}, "v1 is infinite: a/0 divides by zero"),
        ("a**b", {"a": -1, "b": 0.5}, "v1 is nan, outside the domain: a**b is finite and smooth for 0 < a"),
        ("xlogy(a, b)", {"a": 1, "b": -1}, "v1 is nan, outside the domain: xlogy(a, b) is finite and smooth for 0 < b"),
        ("x*2", {"x": float("nan")}, "x is nan from the start"),
    ],
)
def test_the_domain_is_that_of_the_operands(program: str, values: dict[str, float], origin: str) -> None:
    assert messages(program, "not-finite", **values) == [origin]
