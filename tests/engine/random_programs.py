"""Random programs with shapes that fit, for hypothesis: elementwise operations in their domains, broadcasting, fan-out,
reductions, products of matrices, indexing.
"""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import strategies as st

Shape = tuple[int, ...]
Shapes = dict[str, Shape]  # of the names so far

LEAF_SHAPES: list[Shape] = [(), (3,), (2, 3), (2, 1), (3, 2), (1, 3), (2, 2, 3)]
UNARY = [
    "sin({0})",
    "cos({0})",
    "tanh({0})",
    "sigmoid({0})",
    "relu({0})",
    "abs({0})",
    "softplus({0})",
    "gelu({0})",
    "leaky_relu({0}, 0.1)",
    "elu({0})",
    "silu({0})",
    "atan({0})",
    "erf({0})",
    "exp(-abs({0}))",
    "log(1 + {0}**2)",
    "sqrt({0}**2 + 0.5)",
    "2**sin({0})",
    "clamp({0}, -0.5, 0.5)",
    "-{0}",
    "2*{0}",
    "{0} + 1",
    "1 - {0}",
    "{0}/2",
    "2/(1 + {0}**2)",
    "{0}**3/10",
    "square({0})/4",
    "{0}.clone()",
]
BINARY = [
    "{0} + {1}",
    "{0} - {1}",
    "{0}*{1}",
    "{0}/(1 + {1}**2)",
    "maximum({0}, {1})",
    "minimum({0}, {1})",
    "where({0} > 0.1, {0}, {1})",
    "sigmoid({0})**tanh({1})",
    "atan2({0}, 2 + {1}**2)",
]
WHOLE = ["sum({0})", "mean({0})", "max({0})", "logsumexp({0}, 0)", "norm({0} + 0.1)"]
ALONG = [
    "sum({0}, dim={1})",
    "mean({0}, dim={1})",
    "amax({0}, dim={1})",
    "max({0}, dim={1}).values",
    "logsumexp({0}, {1})",
    "sum({0}, dim={1}, keepdim=True)",
]
SAME_SHAPE = ["softmax({0}, dim={1})", "log_softmax({0}, dim={1})", "cumsum({0}, {1})", "flip({0}, {1})"]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a program: leaves, then statements that reuse what is above, and the last or all for an output."""
    shapes: Shapes = {}
    lines = []
    for name in "xyz"[: draw(st.integers(1, 3))]:
        shape = draw(st.sampled_from(LEAF_SHAPES))
        # all entries of a program differ, so that no tie is decided by the last digit
        entries = draw(st.lists(st.integers(-19, 19), min_size=prod(shape), max_size=prod(shape), unique=True))
        shift = 0.01 * (1 + len(shapes))
        lines.append(f"{name} = {(np.array(entries) / 10 + shift).round(2).reshape(shape).tolist()}")
        shapes[name] = shape
    for number in range(draw(st.integers(1, 8))):
        step = draw(st.sampled_from([unary, unary, binary, binary, along, reshaped, product]))
        text, shape = step(draw, shapes)
        lines.append(f"a{number} = {text}")
        shapes[f"a{number}"] = shape
    read = {name for line in lines for name in shapes if name in line.partition(" = ")[2]}
    unread = [name for name in shapes if name not in read]
    lines.append(draw(st.sampled_from([list(shapes)[-1], " + ".join(f"sum({name})" for name in unread)])))
    return "; ".join(lines)


def any_of(draw: st.DrawFn, shapes: Shapes) -> str:
    return draw(st.sampled_from(list(shapes)))


def unary(draw: st.DrawFn, shapes: Shapes) -> tuple[str, Shape]:
    name = any_of(draw, shapes)
    return draw(st.sampled_from(UNARY)).format(name), shapes[name]


def binary(draw: st.DrawFn, shapes: Shapes) -> tuple[str, Shape]:
    first = any_of(draw, shapes)
    fitting = [name for name in shapes if broadcast(shapes[first], shapes[name]) is not None]
    second = draw(st.sampled_from(fitting))
    shape = broadcast(shapes[first], shapes[second])
    assert shape is not None
    return draw(st.sampled_from(BINARY)).format(first, second), shape


def broadcast(first: Shape, second: Shape) -> Shape | None:
    try:
        return np.broadcast_shapes(first, second)
    except ValueError:
        return None


def along(draw: st.DrawFn, shapes: Shapes) -> tuple[str, Shape]:
    name = any_of(draw, shapes)
    shape = shapes[name]
    if not shape or (draw(st.booleans()) and len(shape) == 1):
        return draw(st.sampled_from(WHOLE)).format(name), ()
    dim = draw(st.integers(0, len(shape) - 1))
    if draw(st.booleans()):
        return draw(st.sampled_from(SAME_SHAPE)).format(name, dim), shape
    text = draw(st.sampled_from(ALONG))
    left = (1,) if "keepdim" in text else ()
    return text.format(name, dim), (*shape[:dim], *left, *shape[dim + 1 :])


def reshaped(draw: st.DrawFn, shapes: Shapes) -> tuple[str, Shape]:
    name = any_of(draw, shapes)
    shape = shapes[name]
    choices: list[tuple[str, Shape]] = [
        (f"reshape({name}, (-1,))", (prod(shape),)),
        (f"unsqueeze({name}, 0)", (1, *shape)),
        (f"expand({name}, {(2, *shape)})", (2, *shape)),
    ]
    if shape:
        choices += [
            (f"{name}[-1]", shape[1:]),
            (f"{name}[0:1]", (1, *shape[1:])),
            (f"cat([{name}, {name}])", (2 * shape[0], *shape[1:])),
            (f"{name}[[0, -1, 0]]", (3, *shape[1:])),
            (f"stack([{name}, {name}*2], dim=-1)", (*shape, 2)),
        ]
    if len(shape) == 2:
        choices += [(f"{name}.T", shape[::-1]), (f"{name}[:, 0]", shape[:1])]
    text, result = draw(st.sampled_from(choices))
    return (text, result) if prod(result) <= 64 else (f"mean({name})", ())


def product(draw: st.DrawFn, shapes: Shapes) -> tuple[str, Shape]:
    """A product of matrices; where nothing fits, with a transpose of its own."""
    wide = [name for name in shapes if shapes[name]]
    fitting = [(a, b) for a in wide for b in wide if shapes[a][-1] == shapes[b][-2 if len(shapes[b]) > 1 else -1]]
    pairs = [pair for pair in fitting if fits(shapes[pair[0]], shapes[pair[1]])]
    if not pairs:
        return unary(draw, shapes)
    a, b = draw(st.sampled_from(pairs))
    return f"({a} @ {b})/4", np.matmul(np.empty(shapes[a]), np.empty(shapes[b])).shape


def fits(a: Shape, b: Shape) -> bool:
    return broadcast(a[:-2], b[:-2]) is not None if len(a) > 1 and len(b) > 1 else True
