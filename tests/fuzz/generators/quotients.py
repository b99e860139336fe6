"""Quotients and powers of sums of products, of two and three numbers: what is multiplied out, factored, cancelled."""

from __future__ import annotations

from random import Random

from tests.fuzz.case import Case
from tests.fuzz.generators import formulas
from tests.fuzz.generators.formulas import number
from tests.fuzz.generators.nested import values

NAMES = ["x", "k", "m"]
POWERS = ["2", "3", "(1/3)", "-1", "-2", "0.5", "1.5", "-0.5", "4"]

MIXED = ["({} + {})", "({} - {})", "{}*({})", "({})/({} + {number})", "({})**{power}", "{function}({number}*{} + {})"]
OUTER = ["log", "log1p", "atan", "tanh", "exp", "sqrt", "cos"]


def case(random: Random) -> Case:
    return formulas.case("quotients", random, program, values)


def program(random: Random) -> str:
    names = random.sample(NAMES, random.choice([2, 2, 3]))
    if random.random() < 0.3:
        return mixed(random, names, random.choice([2, 3, 3, 4]))
    text = quotient(random, names, random.choice([0, 1, 1, 2]))
    return text if random.random() < 0.85 else f"{text} {random.choice('+-')} {quotient(random, names, 0)}"


def mixed(random: Random, names: list[str], depth: int) -> str:
    """Sums, products, quotients, powers and functions, each in each other on either side."""
    if depth == 0:
        return random.choice([*names, *names, number(random)])
    first, other = mixed(random, names, depth - 1), mixed(random, names, random.randrange(depth))
    form = random.choice(MIXED)
    return form.format(first, other, number=number(random), power=random.choice(POWERS), function=random.choice(OUTER))


def quotient(random: Random, names: list[str], depth: int) -> str:
    first, other = (
        quotient(random, names, depth - 1) if depth and random.random() < 0.4 else sum_of(random, names)
        for _ in range(2)
    )
    kind = random.random()
    if kind < 0.3:
        return f"({first})/({other})"
    if kind < 0.5:
        return f"({first})**{random.choice(POWERS)}"
    if kind < 0.6:
        return f"{random.choice(['reciprocal', 'sqrt', 'rsqrt', 'square', 'log', 'exp'])}({first})"
    if kind < 0.85:
        return f"({first})*({other})"
    return f"{number(random)}*{random.choice(names)}*({first})"


def sum_of(random: Random, names: list[str]) -> str:
    """A sum of two or three products, or a difference of squares of sums."""
    if random.random() < 0.15:
        a, b = random.sample(names, 2)
        return f"({a} + {number(random)})**2 - ({b} + {number(random)})**2"
    text = product(random, names)
    for _ in range(random.randint(1, 2)):
        text += random.choice([" + ", " - "]) + random.choice([number(random), product(random, names)])
    return text


def product(random: Random, names: list[str]) -> str:
    factors = [
        name + random.choice(["", "", "**2", "**2", "**3"]) for name in random.sample(names, random.choice([1, 1, 2]))
    ]
    return "*".join([*([number(random)] if random.random() < 0.5 else []), *factors])
