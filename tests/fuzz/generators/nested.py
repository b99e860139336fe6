"""Functions in functions of one to three numbers, with decimals everywhere."""

from __future__ import annotations

import re
from random import Random

from tests.fuzz.case import Case
from tests.fuzz.generators import formulas
from tests.fuzz.generators.formulas import NAMES, WORD, number, signed

FUNCTIONS = [
    "sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sigmoid", "atan", "asin", "acos", "log1p", "expm1", "sinh",
    "cosh", "asinh", "acosh", "atanh", "softplus", "erf", "rsqrt", "reciprocal", "square", "abs", "relu", "silu",
    "log2", "log10",
]  # fmt: skip
PAIRS = ["hypot({}, {})", "atan2({}, {})", "maximum({}, {})", "minimum({}, {})", "logaddexp({}, {})", "({})/({})"]
EXPONENTS = ["2", "3", "-1", "-2", "0.5", "1.5", "(1/3)", "0", "1", "4", "h", "-0.5"]
DEEPEST = 4


def case(random: Random) -> Case:
    return formulas.case("nested", random, program, values)


def program(random: Random) -> str:
    text = nested(random, random.sample(NAMES, random.choice([1, 1, 2, 3])), random.randint(1, DEEPEST))
    if random.random() < 0.3:
        text = f"{text}*{random.choice(NAMES[:2])}"
    exponent = random.choice([f"minimum({number(random)}, {number(random)})/4", number(random), "3 - 1"])
    text = f"h = {exponent}; {text}" if "h" in WORD.findall(text) else text
    return text if random.random() < 0.7 else f"u = {affine(random, 'x')}; {text} + u*{number(random)}"


def nested(random: Random, names: list[str], depth: int) -> str:
    if depth == 0:
        return affine(random, random.choice(names))
    inner, kind = nested(random, names, depth - 1), random.random()
    if kind < 0.45:
        return f"{random.choice(FUNCTIONS)}({inner})"
    if kind < 0.6:
        return f"({inner})**{random.choice(EXPONENTS)}"
    if kind < 0.75:
        return f"{random.choice(['', '-'])}{number(random)}{random.choice([' + ', ' - ', '*', '/'])}({inner})"
    other = random.choice([number(random), nested(random, names, random.randrange(depth))])
    if kind < 0.85:
        return random.choice(PAIRS).format(*random.sample([inner, other], 2))
    if kind < 0.9:
        return f"where({random.choice(names)} {random.choice('<>')} {signed(random)}, {inner}, {other})"
    return f"({inner}){random.choice([' + ', ' - ', '*'])}({other})"


def affine(random: Random, name: str) -> str:
    a, b = number(random), number(random)
    forms = [name, f"{a}*{name}", f"{name}/{a}", f"{a}*{name} + {b}", f"({a}*{name})**2", f"{name} - {a}",
             f"{a}/{name}", f"{a} + ({name}*{b})**2", f"{name}*{name}", f"{b} - {name}/{a}"]  # fmt: skip
    return random.choice(forms)


def values(random: Random, text: str) -> dict[str, str]:
    """Decimals for the variables; now and then a number of the program itself, which is another thing."""
    typed = [word for word in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", text) if float(word)]
    names = [name for name in dict.fromkeys(WORD.findall(text)) if name in NAMES]
    return {name: random.choice(typed) if typed and random.random() < 0.2 else signed(random) for name in names}
