"""Random formulas as people type them: decimals of one to four digits, quotients and powers of sums, matrices."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

Shapes = Mapping[str, tuple[int, ...]]

FUNCTIONS = ("exp", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "atan", "asin", "acos", "acosh",
             "reciprocal", "square", "relu", "abs", "softplus", "erf", "asinh", "atanh")  # fmt: skip
EXPONENTS = ("2", "3", "-1", "-2", "0.5", "1.5", "0.76", "(1/3)", "2.2")
LETTERS = "xykm"
SHAPES: Shapes = {"x": (3,), "w": (3,), "A": (3, 3), "B": (3, 3), "X": (4, 3), "y": (4,), "s": (), "r": (1, 3)}


def decimal(draw: Random) -> str:
    """Return a number of one to four digits, most often with a point: `0.76`, `5.51`, `8.88`, `3`."""
    digits = draw.randint(1, 4)
    value = draw.randint(1, 10**digits - 1)
    places = draw.choice([0, 1, 2, 2, 3, 4])
    return f"{value / 10**places:.{places}f}".rstrip("0").rstrip(".") if places else str(value % 10 or 1)


def letter(draw: Random) -> str:
    """Return a letter, often with a number before it, below it or beside it."""
    name = draw.choice(LETTERS)
    return draw.choice(
        [name, name, f"{decimal(draw)}*{name}", f"{name}/{decimal(draw)}", f"({name} + {decimal(draw)})"]
    )


def nested(draw: Random, depth: int = 3) -> str:
    """Return functions of functions."""
    if depth == 0:
        return letter(draw)
    inside = nested(draw, depth - 1)
    match draw.randrange(6):
        case 0 | 1:
            return f"{draw.choice(FUNCTIONS)}({inside})"
        case 2:
            return f"({inside} {draw.choice('+-')} {decimal(draw)})"
        case 3:
            return f"({inside} {draw.choice('+-*/')} {nested(draw, draw.randrange(depth))})"
        case 4:
            return f"({inside})**{draw.choice(EXPONENTS)}"
    return f"{decimal(draw)}*({inside})"


def polynomial(draw: Random) -> str:
    """Return a sum of powers and products of one to three letters."""
    names = draw.sample(LETTERS, draw.randint(1, 3))
    terms = [decimal(draw)] if draw.random() < 0.5 else []
    for _ in range(draw.randint(1, 3)):
        powers = [
            f"{name}**2" if draw.random() < 0.4 else name for name in draw.sample(names, draw.randint(1, len(names)))
        ]
        terms.append("*".join([decimal(draw), *powers] if draw.random() < 0.7 else powers))
    return draw.choice([" + ", " - "]).join(terms)


def quotient(draw: Random) -> str:
    """Return a product of powers of sums, of squares of sums, and of functions of such."""
    factors = []
    for _ in range(draw.randint(1, 3)):
        inside = polynomial(draw)
        if draw.random() < 0.3:
            inside = f"({inside})**2 {draw.choice('+-')} ({polynomial(draw)})**2"
        if draw.random() < 0.2:
            inside = f"{draw.choice(FUNCTIONS)}({inside})"
        factors.append(f"({inside})" + draw.choice(["", "", f"**{draw.choice(EXPONENTS)}"]))
    text = factors[0]
    for factor in factors[1:]:
        text += draw.choice("*/+-") + factor
    return text


def of_shape(draw: Random, shape: str, depth: int) -> str:
    """Return a formula of the shape of a vector `v` of 3, a square matrix `m`, or a number `s`."""

    def inner(of: str) -> str:
        return of_shape(draw, of, depth - 1)

    if depth == 0:
        return {"v": draw.choice("xw"), "m": draw.choice("AB"), "s": "s"}[shape]
    match draw.randrange(11):
        case 0:
            return f"({inner(shape)} {draw.choice('+-*/')} {inner(shape)})"
        case 8:
            whole = inner(draw.choice("vm"))
            return {
                "v": f"softmax({inner('v')}, dim=0)",
                "m": f"({inner('m')} - {draw.choice(['mean', 'sum', 'amax'])}({inner('m')}, dim=1, keepdim=True))",
                "s": draw.choice([f"amax({whole})", f"amin(({decimal(draw)}*{whole})**2)", f"norm({whole})"]),
            }[shape]
        case 9:
            return {
                "v": f"(r*{inner('m')}).mean(dim=0)",
                "m": f"outer({inner('v')}, {inner('v')})",
                "s": f"where({inner('s')} > {decimal(draw)}, {inner('s')}, {decimal(draw)})",
            }[shape]
        case 10:
            return {
                "v": f"maximum({inner('v')}, {decimal(draw)}*{inner('v')})",
                "m": f"unsqueeze({inner('v')}, 1)*{inner('m')}",
                "s": f"var({inner('v')})",
            }[shape]
        case 1:
            return f"{decimal(draw)}*{inner(shape)}"
        case 2:
            return f"({inner(shape)} {draw.choice('+-*/')} {inner('s')})"
        case 3:
            return f"{draw.choice(['sin', 'tanh', 'square', 'exp', 'relu'])}({inner(shape)})"
        case 4:
            return {
                "v": f"sum({inner('m')}, dim={draw.randrange(2)})",
                "m": f"({inner('m')} {draw.choice('+-*/')} {inner('v')})",
                "s": f"{draw.choice(['sum', 'mean'])}({inner(draw.choice('vm'))})",
            }[shape]
        case 5:
            inverse = f"(1/{draw.choice('xw')})"
            return {
                "v": f"({inner('m')} @ {inverse})",
                "m": f"({inner('m')} @ {inner('m')})",
                "s": f"({inner('v')} @ {inverse})",
            }[shape]
        case 6:
            same = inner(shape)
            return draw.choice([f"({same} - {same})", f"{same}/{same}", f"({decimal(draw)}*{same} - {same})"])
    return {"v": f"({inner('v')} @ {inner('m')})", "m": f"{inner('m')}.T", "s": f"({inner('v')} @ {inner('v')})"}[shape]


def tensor(draw: Random) -> str:
    """Return a number made of vectors and matrices."""
    return f"sum({of_shape(draw, draw.choice('vvm'), draw.randint(2, 4))})"
