"""The work of a simplification grows slowly with a formula, and ends after a number of steps, not of seconds."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from random import Random

import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.values import placeholders
from gradcli.language.parser import parse_expression, parse_program
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


LETTERS = "xyzuvwabc"
LONGEST = 300  # characters of a program
NUMBERS = ("2", "3", "0.5", "1.7", "0.76", "10", "4.13")
PARTS: tuple[Callable[[Random, int], str], ...] = (
    lambda draw, n: " + ".join(f"{draw.choice(NUMBERS)}*exp({draw.choice(NUMBERS)}*{x})" for x in letters(n)),
    lambda draw, n: f"log({' + '.join(f'exp({x})' for x in letters(n))})",
    lambda draw, n: "*".join(f"({x} + {draw.choice(NUMBERS)})" for x in letters(n)),
    lambda draw, n: reduce(lambda text, x: f"{x}/({draw.choice(NUMBERS)} + {text})", letters(n), "x"),
    lambda draw, n: reduce(
        lambda text, _: f"{draw.choice(('sin', 'exp', 'tanh', 'log', 'sqrt'))}({text})", range(n), "x"
    ),
    lambda draw, n: reduce(lambda text, _: f"({text})*x + {draw.choice(NUMBERS)}", range(n), "2"),
    lambda draw, n: f"({' + '.join(f'{x}*{y}' for x, y in pairwise(letters(n)))})**{draw.choice((2, 3, 0.5, -2))}",
    lambda draw, n: " + ".join(f"({x} - 1.7)**2/({y} + 0.76)" for x, y in pairwise(letters(n))),
    lambda draw, n: f"1/({' + '.join(f'1/{x}' for x in letters(n))})",
)


def letters(count: int) -> list[str]:
    return [LETTERS[place % len(LETTERS)] for place in range(count)]


def long_program(draw: Random) -> str:
    """Return parts of many kinds, joined as long as they fit."""
    text = "x"
    while len(text) <= LONGEST:
        program, part = text, draw.choice(PARTS)(draw, draw.randint(3, 14))
        text = f"({text}){draw.choice('*+-/')}({part})"
    return program


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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_formula_of_a_long_program_takes_long(seed: int) -> None:
    program = parse_program(Source(long_program(Random(seed))))
    for leaf in explain(program, placeholders(program, {})).leaves:
        if leaf.formula_raw is not None:
            assert calls(leaf.formula_raw) <= MOST, program.source.text
