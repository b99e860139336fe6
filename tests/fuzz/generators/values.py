"""Numbers and arrays as texts: ordinary ones mostly, and the numbers at which arithmetic breaks."""

from __future__ import annotations

from math import prod
from random import Random

Shape = tuple[int, ...]

SHAPES: list[Shape] = [
    (), (), (), (1,), (2,), (3,), (3,), (4,), (0,), (1, 1), (2, 2), (2, 3), (3, 2), (1, 3), (3, 1), (3, 3), (2, 0),
    (0, 3), (2, 2, 3), (1, 2, 3), (2, 1, 2), (1, 1, 4, 4), (1, 2, 3, 3), (2, 3, 4), (1, 1, 2, 2, 2),
]  # fmt: skip
PLAIN = ["0", "1", "-1", "2", "3", "0.5", "-0.5", "1.5", "-2", "0.1", "4", "7", "1/3", "-0.7", "10", "100"]
HOSTILE = [
    "nan", "inf", "-inf", "-0.0", "1e308", "-1e308", "1.7976931348623157e308", "1e-308", "5e-324", "1e400", "1e38",
    "4e38", "1e-45", "2**31", "-2**31", "2**53 + 1", "2**62", "9007199254740993", "1e30", "10**8", "1e16", "1e8",
    "1e5", "0.3333333333333333", "0.1 + 0.2", "1e22", "1e-5", "True", "False", "3.0", "-7", "127", "128", "256",
]  # fmt: skip
FILLINGS = ("reals", "reals", "integers", "positive", "zeros", "ties", "nan", "infinite", "huge", "tiny", "hostile")


DECIMALS = 0.3  # of the ordinary numbers


def number(random: Random, hostile: float = 0.2) -> str:
    if random.random() < hostile:
        return random.choice(HOSTILE)
    return decimal(random) if random.random() < DECIMALS else random.choice(PLAIN)


def decimal(random: Random) -> str:
    """A positive number of one to four digits, as people type them."""
    most = random.choice([1, 3, 10])
    return f"{random.uniform(most / 10, most):.{random.randint(1, 3)}f}"


def shape(random: Random) -> Shape:
    return random.choice(SHAPES)


def entry(random: Random, filling: str) -> str:
    """One number of an array that is filled so."""
    if filling == "integers":
        return str(random.randint(-3, 5))
    if filling == "positive":
        return str(random.randint(1, 99) / 10)
    if filling == "zeros":
        return random.choice(["0", "0", "0", "-0.0", "1"])
    if filling == "ties":
        return random.choice(["1", "1", "2"])
    if filling == "hostile":
        return number(random, 0.5)
    rare = {
        "nan": ["nan"],
        "infinite": ["inf", "-inf"],
        "huge": ["1e308", "-1e308", "1e200"],
        "tiny": ["1e-308", "5e-324"],
    }
    if filling in rare and random.random() < 0.4:
        return random.choice(rare[filling])
    if random.random() < DECIMALS:
        return random.choice(["", "-"]) + decimal(random)
    return str(random.randint(-30, 30) / 10)


def array(random: Random, shape: Shape, filling: str = "") -> str:
    """Nested lists of a shape, as programs and values on the command line have them."""
    filling = filling or random.choice(FILLINGS)
    return nested([entry(random, filling) for _ in range(prod(shape))], shape)


def nested(entries: list[str], shape: Shape) -> str:
    if not shape:
        return entries[0]
    size = prod(shape[1:])
    parts = [nested(entries[size * i : size * (i + 1)], shape[1:]) for i in range(shape[0])]
    return f"[{', '.join(parts)}]"


def value(random: Random) -> str:
    """The text of a number or of nested lists, which may be no array."""
    kind = random.random()
    if kind < 0.3:
        return number(random)
    if kind < 0.93:
        return array(random, shape(random))
    return random.choice(STRANGE)


STRANGE = [
    "", "[", "]", "[]", "[[]]", "[[], []]", "[1, [2]]", "[1, 2; 3]", "x", "e", "'word'", "()", "(1, 2)", "None", "1,",
    "1_0", "0x10", "1j", "--1", "1e", "1e999999", "[nan, None]", "ones(3)", "zeros((2, 2))", "1/0", "0/0", "sqrt(-1)",
    "@", "@missing.npy", "@/dev/null", "\x00", "\u202e1", "١", "[" * 70 + "1" + "]" * 70, "9" * 400, "9" * 5000,
    "-" * 300 + "1", "1" + "+1" * 300, "exp(1000)", "2**2**2**2**2**2", "10**10**10", "factorial(5)", "[1]*3",
    "range(3)", "1 if 1 else 2", "lambda: 1", "=1", "1=1",
]  # fmt: skip
