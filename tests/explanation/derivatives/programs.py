"""Programs to differentiate, in three styles: nested functions; quotients and powers of sums; tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

FUNCTIONS = ["sin", "cos", "tanh", "exp", "sigmoid", "atan", "softplus", "erf", "asinh", "gelu", "silu", "relu"]
FUNCTIONS += ["abs", "sqrt", "log1p", "rsqrt", "log"]
VECTORS = ["w", "X @ w", "softmax(w, 0)", "w*s", "tanh(w)", "w - mean(w)", "cumsum(w, 0)", "X.T @ y", "w/(1.5 + s**2)"]
VECTORS += ["sum(X, dim=0)", "X[0]", "X[1]*w", "maximum(w, 0.3)", "where(w > 0.1, w**2, 0.76*w)", "sort(w).values"]
MATRICES = ["X", "X*w", "outer(y, w)", "X @ X.T", "exp(0.31*X)", "X + y[:, None]", "softmax(X, 1)", "X**2/2.5"]
REDUCTIONS = ["sum", "mean", "prod", "logsumexp", "amax", "amin", "var", "std", "norm", "max", "min", "median"]
WITH_INDICES = ("max", "min", "median")
SHAPES = {"x": (), "y": (2,), "z": (), "s": (), "w": (3,), "X": (2, 3)}


def decimal(draw: Random) -> str:
    return draw.choice(["2", "3", "0.5", "1.5", f"{draw.uniform(0.1, 4):.2f}", f"{draw.uniform(0.1, 9):.3f}"])


def nested(draw: Random, depth: int = 3) -> str:
    if depth < 1:
        return draw.choice(["x", "x", "z", f"{decimal(draw)}*x"])
    inner, kind = nested(draw, depth - 1), draw.random()
    if kind < 0.5:
        factor = f"{decimal(draw)}*" if kind < 0.2 else ""
        return f"{draw.choice(FUNCTIONS)}({factor}({inner}))"
    if kind < 0.7:
        return f"({inner} {draw.choice('+-')} {decimal(draw)})"
    return f"({inner})*{nested(draw, depth - 2)}" if kind < 0.85 else f"({inner})**{draw.choice(['2', '1.5', '-1'])}"


def total(draw: Random) -> str:
    terms = [f"{decimal(draw)}*{draw.choice('xz')}", draw.choice("xzs"), decimal(draw)]
    return f"({draw.choice([' + ', ' - ']).join(draw.sample(terms, draw.choice([2, 3])))})"


def quotients(draw: Random, depth: int = 2) -> str:
    if not depth:
        exponent = draw.choice(["**2", "**-1", "**0.5", "**1.5", "**3", "**-2"]) if draw.random() < 0.4 else ""
        return f"{total(draw)}{exponent}"
    left, right = (quotients(draw, depth - 1) for _ in range(2))
    return f"({left}){draw.choice(['/', '/', '*', ' + ', ' - '])}({right})"


def tensors(draw: Random) -> str:
    is_matrix = draw.random() < 0.5
    inner = draw.choice(MATRICES if is_matrix else VECTORS)
    if draw.random() < 0.4:
        inner = f"{draw.choice(['tanh', 'exp', 'sigmoid', 'relu', 'sin'])}({decimal(draw)}*({inner}))"
    kind = draw.random()
    if kind < 0.25:
        return inner
    reduction, dim = draw.choice(REDUCTIONS), draw.choice([0, 1]) if is_matrix else 0
    reduced = f"{reduction}({inner}, dim={dim}, keepdim={draw.random() < 0.5})"
    reduced += ".values" if reduction in WITH_INDICES else ""
    if kind < 0.4:
        return f"sum({reduced}**2)"
    return reduced if kind < 0.8 else f"{reduced}*{draw.choice(['s', '2.5', 's' if is_matrix else 'w'])}"


STYLES = {"nested": nested, "quotients": quotients, "tensors": tensors}


def drawn(style: str, count: int, seed: int = 1) -> list[tuple[str, Mapping[str, Any]]]:
    """Return programs of a style, each with values for its variables."""
    draw, numbers = Random(f"{style} {seed}"), np.random.default_rng(seed)
    found = []
    for _ in range(count):
        text = STYLES[style](draw)
        used = {name: shape for name, shape in SHAPES.items() if re.search(rf"\b{name}\b", text)}
        signs = {name: numbers.choice([-1, 1], shape) if shape else 1 for name, shape in used.items()}
        found.append((text, {name: signs[name] * numbers.uniform(0.2, 1.9, shape) for name, shape in used.items()}))
    return found
