"""The work of a simplification grows slowly with a formula, and ends after a number of steps, not of seconds."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from functools import reduce
from itertools import pairwise

import pytest

from gradcli.language.parser import parse_expression
from gradcli.language.simplify import simplifier
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.tree import Expression
from gradcli.source import Source

SIZES = (5, 10, 20, 40, 80, 160)
POWER = 1.5
SLACK = 12_000  # calls that a short formula may take
MOST = 300_000  # calls for any formula: some 50 ms


def nested(level: str, count: int) -> str:
    return reduce(lambda text, number: level.format(x=text, i=number), range(count), "x")


FAMILIES: dict[str, Callable[[int], str]] = {
    "sum": lambda n: " + ".join(f"a{i}*x**{i % 4 + 1}" for i in range(n)),
    "sum of reciprocals": lambda n: f"1/({' + '.join(f'1/x{i}' for i in range(n))})**2*(1/x0)**2",
    "product": lambda n: "*".join(f"x{i}" for i in range(n)),
    "product of sums": lambda n: "*".join(f"(x + {i}.5)" for i in range(n)),
    "softmax": lambda n: f"exp(x0)/({' + '.join(f'exp(x{i})' for i in range(n))})",
    "composition": lambda n: nested("sin(2*{x})", n),
    "exponentials": lambda n: nested("exp(-{x})", n),
    "Horner": lambda n: nested("({x})*x + {i}.5", n),
    "continued fraction": lambda n: nested("1/({i}.5 + {x})", n),
    "recurrence": lambda n: nested("({x}) - 0.1*(2*({x}) - y)", min(n, 7)),
    "roots": lambda n: nested("sqrt(x + {x})", n),
    "squares": lambda n: nested("(({x})**2 + {i})", n),
}


def calls(tree: Expression) -> int:
    """Return how many calls of functions a simplification takes."""
    simplifier.remembered.cache_clear()
    profile = cProfile.Profile()
    profile.runcall(simplify, tree)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_work_grows_slowly(family: str) -> None:
    counts = [calls(parse_expression(Source(FAMILIES[family](size)))) for size in SIZES]
    for fewer, more in pairwise(counts):
        assert more <= 2**POWER * max(fewer, SLACK), counts
    assert max(counts) <= MOST, counts
