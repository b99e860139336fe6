"""Programs to differentiate, in three styles: nested functions; quotients and powers of sums; tensors."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

Point = Mapping[str, Any]
Drawn = tuple[str, Point]

FUNCTIONS = "sin cos tanh exp sigmoid atan softplus erf asinh gelu silu relu abs sqrt log1p rsqrt log".split()
VECTORS = ["w", "X @ w", "softmax(w, 0)", "w*s", "tanh(w)", "w - mean(w)", "cumsum(w, 0)", "X.T @ y", "w/(1.5 + s**2)"]
VECTORS += ["sum(X, dim=0)", "X[0]", "X[1]*w", "maximum(w, 0.3)", "where(w > 0.1, w**2, 0.76*w)", "sort(w).values"]
MATRICES = ["X", "X*w", "outer(y, w)", "X @ X.T", "exp(0.31*X)", "X + y[:, None]", "softmax(X, 1)", "X**2/2.5"]
REDUCTIONS = ["sum", "mean", "prod", "logsumexp", "amax", "amin", "var", "std", "norm", "max", "min", "median"]
VALUES = ("max", "min", "median")


def decimal(draw: Random) -> str:
    return draw.choice(["2", "3", "0.5", f"{draw.uniform(0.1, 4):.2f}", f"{draw.uniform(0.1, 9):.3f}", "1.5"])


def nested(draw: Random, depth: int = 3) -> str:
    if not depth:
        return draw.choice(["x", "x", "y", f"{decimal(draw)}*x"])
    inner = nested(draw, depth - 1)
    kind = draw.random()
    if kind < 0.5:
        return f"{draw.choice(FUNCTIONS)}({decimal(draw)}*{inner})" if kind < 0.2 else f"{draw.choice(FUNCTIONS)}({inner})"
    if kind < 0.7:
        return f"({inner} {draw.choice('+-')} {decimal(draw)})"
    return f"{inner}*{nested(draw, depth - 2)}" if depth > 1 else f"({inner})**{draw.choice(['2', '3', '1.5', '-1'])}"


def quotient(draw: Random, depth: int = 2) -> str:
    def total() -> str:
        terms = [f"{decimal(draw)}*{draw.choice('xyz')}", draw.choice("xyz"), decimal(draw)]
        return f"({draw.choice([' + ', ' - ']).join(draw.sample(terms, draw.choice([2, 3])))})"

    if not depth:
        return f"{total()}**{draw.choice(['2', '-1', '0.5', '1.5', '3', '-2'])}" if draw.random() < 0.4 else total()
    left, right = (quotient(draw, depth - 1) for _ in range(2))
    return f"{left}{draw.choice(['/', '*', ' + ', ' - ', '/'])}{right}" if draw.random() < 0.8 else f"1/({left}{right[:0]})"


def tensors(draw: Random) -> str:
    is_matrix = draw.random() < 0.5
    inner = draw.choice(MATRICES if is_matrix else VECTORS)
    if draw.random() < 0.4:
        inner = f"{draw.choice(['tanh', 'exp', 'sigmoid', 'relu', 'sin'])}({decimal(draw)}*({inner}))"
    kind = draw.random()
    if kind < 0.25:
        return inner
    reduction = draw.choice(REDUCTIONS)
    dim, keepdim = draw.choice([0, 1]) if is_matrix else 0, draw.random() < 0.5
    found = f"{reduction}({inner}, dim={dim}, keepdim={keepdim})" + (".values" if reduction in VALUES else "")
    if kind < 0.4:
        return f"sum({found}**2)"
    return found if kind < 0.8 else f"{found}*{draw.choice(['s', 'w' if not is_matrix else 's', '2.5'])}"


STYLES = {"nested": nested, "quotients": quotient, "tensors": tensors}


def point(program: str, draw: np.random.Generator) -> dict[str, Any]:
    """Return values for the variables of a program."""
    shapes = {"x": (), "y": (), "z": (), "s": (), "w": (3,), "X": (2, 3)}
    if "X" in program or "w" in program:
        shapes["y"] = (2,)
    text = program.replace("max", "").replace("exp", "")
    return {
        name: draw.uniform(0.2, 1.9, shape) * (draw.choice([-1, 1], shape) if shape else 1)
        for name, shape in shapes.items()
        if any(word == name for word in __import__("re").findall(r"[A-Za-z_]\w*", text))
    }


def drawn(style: str, count: int, seed: int = 1) -> list[Drawn]:
    draw, numbers = Random(f"{style} {seed}"), np.random.default_rng(seed)
    texts = [STYLES[style](draw) for _ in range(count)]
    return [(text, point(text, numbers)) for text in texts]
