"""Running sums and products, and products that leave one entry out.

The gradient of a product divides by its entries, which a zero forbids. At a zero `carry` gives the gradient without
dividing; it is its own adjoint, so derivatives of any order work at zeros too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import dimension
from gradcli.engine.numerics.precision import SINGLE
from gradcli.engine.primitive import OUT, Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.support.arguments import Array, Dtype, converted
from gradcli.ops.support.surface import operation, printed


def _carry(g: Array, x: Array, *, dim: int, reverse: bool = False) -> Any:
    """`out[i]` is the sum over k > i of `g[k]` times the product of `x` between i and k; reversed, over k < i."""
    g, x = np.broadcast_arrays(np.moveaxis(g, dim, 0), np.moveaxis(x, dim, 0))
    out = np.zeros_like(g)
    length = len(g)
    order = range(1, length) if reverse else range(length - 2, -1, -1)
    back = -1 if reverse else 1
    for i in order:
        out[i] = g[i + back] + x[i + back] * out[i + back]
    return np.moveaxis(out, 0, dim)


def _prod_before(x: Array, *, dim: int, reverse: bool = False) -> Any:
    """`out[i]` is the product of `x` before i; reversed, behind it."""
    x = np.moveaxis(x, dim, 0)
    out = np.ones_like(x)
    if reverse:
        np.cumprod(x[:0:-1], axis=0, out=out[-2::-1])
    else:
        np.cumprod(x[:-1], axis=0, out=out[1:])
    return np.moveaxis(out, 0, dim)


carry: Primitive = primitive(
    "carry",
    _carry,
    lambda g, out, h, x, *, dim, reverse=False: carry(g, x, dim=dim, reverse=not reverse),
    lambda g, out, h, x, *, dim, reverse=False: carry(g, x, dim=dim, reverse=not reverse) * out,
    structured=True,
    says="A running sum with factors: the gradient runs back the other way with the same factors.",
    traits=("adjoint",),
)
prod_before: Primitive = primitive(
    "prod_before",
    _prod_before,
    lambda g, out, x, *, dim, reverse=False: carry(g, x, dim=dim, reverse=reverse) * out,
    structured=True,
    says="Each entry is a factor of all products behind it, and gets those gradients times the other factors.",
    traits=("adjoint",),
)


def _prod_others_rule(g: Carrier, out: Carrier, x: Carrier, *, dim: int) -> Any:
    before, behind = prod_before(x, dim=dim), prod_before(x, dim=dim, reverse=True)
    return before * carry(g * behind, x, dim=dim) + behind * carry(g * before, x, dim=dim, reverse=True)


def _prod_others(x: Array, *, dim: int) -> Any:
    """The product of all other entries along a dimension, for each entry."""
    return _prod_before(x, dim=dim) * _prod_before(x, dim=dim, reverse=True)


prod_others = primitive(
    "prod_others",
    _prod_others,
    _prod_others_rule,
    structured=True,
    says="Each entry is a factor of every product but its own, and gets those gradients times the rest.",
    traits=("adjoint",),
)
printed(carry, "u = [1, 2, 3]; x = [2, 0, 0.5]; carry(u, x, dim=0)")
printed(prod_before, "x = [2, 3, 0.5]; prod_before(x, dim=0)")
printed(prod_others, "x = [2, 3, 0.5]; prod_others(x, dim=0)")


def _cumprod_rule(g: Carrier, out: Carrier, x: Carrier, *, dim: int) -> Any:
    if math.prod(x.shape) <= 1 or x.shape[dim] == 1:
        return g
    return prod_before(x, dim=dim) * (g + carry(g * x, x, dim=dim))


def _write_back(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `flip(cumsum(flip(x, (0,)), 0), (0,))`, as users would."""
    dim, dims = literal(options["dim"]), literal((options["dim"],))
    tree = Call("flip", (Argument(operands[0].tree), Argument(dims)))
    return Call("flip", (Argument(Call("cumsum", (Argument(tree), Argument(dim)))), Argument(dims)))


def running(scan: Any, x: Any, dim: int) -> Any:
    """Run a scan; for single-precision numbers in double precision, as in torch, whose results are in order of rows."""
    x = np.asarray(x, order="C")
    if not x.ndim:  # which has whole numbers of 64 bits too
        return scan(x).reshape(()).astype(x.dtype if x.dtype.kind == "f" else np.int64)[()]
    return scan(x, axis=dim, dtype=np.float64).astype(SINGLE) if x.dtype is SINGLE else scan(x, axis=dim)


cumsum: Primitive = primitive(
    "cumsum",
    lambda x, *, dim: running(np.cumsum, x, dim),
    lambda g, out, x, *, dim: cumsum_back(g, dim=dim) if x.shape else g,
    structured=True,
    says="Each entry is in its own sum and in all later ones, so their gradients are added.",
    index=entries.running(),
)
cumsum_back: Primitive = primitive(
    "cumsum_back",
    lambda x, *, dim: np.array(np.flip(running(np.cumsum, np.flip(x, dim), dim), dim), order="C"),
    lambda g, out, x, *, dim: cumsum(g, dim=dim),
    structured=True,
    notation=_write_back,
    says="Each entry is in its own sum and in all earlier ones, so their gradients are added.",
    index=entries.running("≥"),
)
cumprod = primitive(
    "cumprod",
    lambda x, *, dim: running(np.cumprod, x, dim),
    _cumprod_rule,
    saves=(OUT,),
    structured=True,
    says="Each entry is a factor of its own product and of all later ones, so their parts are added.",
)


@operation("x = [[1, -2], [3, 0.5]]; cumsum(x, 0)", "x = [[1, -2], [3, 0.5]]; cumsum(x, dim=1)")
def apply_cumsum(input: Tensor, dim: int, *, dtype: Dtype | None = None) -> Any:
    """The running sum along a dimension."""
    return cumsum(converted(input, dtype), dim=dimension(dim, input.ndim))


@operation("x = [[1, -2], [3, 0.5]]; cumprod(x, 0)", "x = [[1, 0, 4], [3, 0.5, 2]]; cumprod(x, dim=1)")
def apply_cumprod(input: Tensor, dim: int, *, dtype: Dtype | None = None) -> Any:
    """The running product along a dimension."""
    return cumprod(converted(input, dtype), dim=dimension(dim, input.ndim))
