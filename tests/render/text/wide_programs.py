"""Programs whose pages are hard to fit: long names, deep expressions, wide tensors, wide letters, extreme numbers."""

from __future__ import annotations

import random

from tests.programs import EXAMPLES

UNARY = ["sin", "exp", "tanh", "sigmoid", "relu", "log", "sqrt", "abs", "logsigmoid"]
NAMES = ["x", "y1", "weight_of_the_first_layer", "θ", "梯度", "Δloss", "h" * 25, "learning_rate"]
NUMBERS = ["1", "-2", "0.1", "1e-300", "-1.2345678e+250", "123456789012", "3.14159265358979", "1/3"]


def number(draw: random.Random) -> str:
    return draw.choice(NUMBERS) if draw.random() < 0.5 else f"{draw.uniform(-9, 9):.{draw.randrange(12)}f}"


def expression(draw: random.Random, names: list[str], depth: int) -> str:
    """Return an expression of the names; at depth 0 one of them, or a number."""
    if depth <= 0:
        return draw.choice(names) if draw.random() < 0.8 else draw.choice(["2", "0.5", "1/3", "1e-3"])
    kind = draw.randrange(4)
    inner = expression(draw, names, depth - 1)
    if kind == 0:
        return f"{draw.choice(UNARY)}({inner})"
    if kind == 1:
        return f"({inner})**{draw.choice(['2', '3', '0.5'])}"
    other = expression(draw, names, depth - draw.randrange(1, 3))
    return f"({inner}) {draw.choice('+-*/')} ({other})"


def scalars(draw: random.Random) -> str:
    names = draw.sample(NAMES, draw.randrange(1, 5))
    given = [f"{name} = {number(draw)}" for name in names]
    made = []
    for step in range(draw.randrange(1, 5)):
        target = f"{draw.choice(['s', 'hidden_state_number_', '中間'])}{step}"
        made.append(f"{target} = {expression(draw, names, draw.randrange(1, 5))}")
        names = [*names, target]
    return "; ".join([*given, *made, expression(draw, names, 2)])


def tensors(draw: random.Random) -> str:
    rows, count = draw.randrange(1, 5), draw.choice([1, 2, 3, 7, 40])
    name = draw.choice(NAMES)
    matrix = [[float(f"{draw.gauss(0, 10 ** draw.randrange(-9, 9)):.{draw.randrange(1, 9)}g}") for _ in range(count)]
              for _ in range(rows)]  # fmt: skip
    vector = [round(draw.uniform(-3, 3), draw.randrange(5)) for _ in range(count)]
    ends = ["sum({n} @ w)", "mean(({n} @ w - 1)**2)", "sum(softmax({n}, -1)[0])", "sum(tanh({n} * w) / 7)"]
    return f"{name} = {matrix}; w = {vector}; " + draw.choice(ends).format(n=name)


def generated(count: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    return [draw.choice([scalars, tensors])(draw) for _ in range(count)]


PROGRAMS = [*EXAMPLES, *generated(50)]
