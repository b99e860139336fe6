"""Descriptions of samples: differences, covariance, correlation, quantiles."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.memory.writing import copy
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.indexing.entries import named
from gradcli.ops.indexing.gathering import gather
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.pointwise.arithmetic import div, sub
from gradcli.ops.pointwise.clamping import clamp
from gradcli.ops.pointwise.elementwise import sqrt
from gradcli.ops.pointwise.logic import logical_xor
from gradcli.ops.pointwise.ternary import lerp_tensor
from gradcli.ops.products.contractions import mm
from gradcli.ops.products.matmul import squeeze_in_place
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.reducing.sorting import sort_
from gradcli.ops.shaping.diagonals import diagonal
from gradcli.ops.shaping.joining import cat_
from gradcli.ops.shaping.permutations import t, transpose
from gradcli.ops.shaping.shaping import flatten, reshape, squeeze, unsqueeze
from gradcli.ops.support.arguments import Operand, Real, as_tensor, check_size
from gradcli.ops.support.surface import operation

NO_FREEDOM = "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."


@operation(
    "x = [1, 4, 9]; diff(x)", "x = [[1, 4, 9], [2, 3, 5]]; diff(x, n=2, dim=1)", "x = [1, 4]; diff(x, prepend=[0])"
)
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Any:
    """Each entry less the one before it, along a dimension; `n` times over."""
    ShapeError.when(not input.ndim, "diff expects input to be at least one-dimensional")
    AutogradError.when(n < 0, f"order must be non-negative but got {n}")
    for part in (part for part in (prepend, append) if part is not None):
        ShapeError.when(part.ndim != input.ndim, "diff expects prepend or append to be the same dimension as input")
        axis = dimension(dim, input.ndim)
        for at, size in enumerate(part.shape):
            if at != axis and size != input.shape[at]:
                raise ShapeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({at}) = {input.shape[at]}, but got tensor.size({at}) = {size}"
                )
    if not n:  # then no dimension is looked at
        return copy(Tensor(np.zeros_like(input.value)), input)
    axis = dimension(dim, input.ndim)
    x: Any = input
    if prepend is not None or append is not None:
        x = cat_([_like(part, input) for part in (prepend, input, append) if part is not None], axis)
    for _ in range(min(n, x.shape[axis])):
        length = x.shape[axis]
        later, earlier = cut(x, dim=axis, start=1, stop=length), cut(x, dim=axis, start=0, stop=max(length - 1, 0))
        x = logical_xor(later, earlier) if x.dtype == np.bool_ else sub(later, earlier)
    return x


def _like(x: Tensor, other: Tensor) -> Tensor:
    """Convert integers where the other tensor holds floating point numbers."""
    is_alike = is_floating(x.value) or not is_floating(other.value)
    return x if is_alike else with_origin(Tensor(x.value.astype(other.dtype)), x)


@operation("X = [[1, 2, 4], [0.5, -1, 3]]; cov(X)", "x = [1, 2, 4]; cov(x, correction=0)")
def cov(input: Real, *, correction: int = 1) -> Any:
    """The covariances of variables, a row of samples each."""
    ShapeError.when(
        input.ndim > 2,
        f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions",
    )
    x: Any = input if input.ndim == 2 else reshape(input, shape=(1, input.value.size))
    count = x.shape[1]
    check_size((x.shape[0], x.shape[0]))
    if count <= correction:
        warnings.warn(NO_FREEDOM, UserWarning, stacklevel=2)
    numbers = [Tensor(x.dtype.type(number)) for number in (count, max(count - correction, 0))]
    centred = sub(x, unsqueeze(div(sum_dim(x, dim=1), numbers[0]), dim=1))
    return squeeze(div(mm(centred, t(centred)), numbers[1]))


# A correlation is beyond its bounds by rounding alone, so that it has no kink there.
within_rounding = replace(clamp, kinks=(), convention="")


@operation("X = [[1, 2, 4], [0.5, -1, 3]]; corrcoef(X)")
def corrcoef(input: Real) -> Any:
    """The correlations of variables, a row of samples each."""
    ShapeError.when(
        input.ndim > 2,
        f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions",
    )
    c = cov(input)
    if not c.ndim:
        return div(c, c)
    deviations = sqrt(diagonal(c, offset=0, dim1=0, dim2=1))
    size = c.shape[0]
    scaled = div(div(c, reshape(deviations, shape=(size, 1))), reshape(deviations, shape=(1, size)))
    return within_rounding(scaled, min=-1, max=1)


ROUNDED = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}
INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@operation(
    "x = [4, 1, 9, 3]; quantile(x, 0.4)",
    "x = [[4, 1, 9], [2, 3, 5]]; quantile(x, [0.25, 0.75], dim=1)",
    "x = [[4, 1, 9], [2, 3, 5]]; quantile(x, 0.3, dim=0, keepdim=True, interpolation='higher')",
    integers_stay=True,
)
def quantile(
    input: Real, q: Operand, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """The values below which the share `q` of the entries lies, of all entries or along a dimension."""
    shares = as_tensor(q).value
    AutogradError.when(not input.value.size, "quantile() input tensor must be non-empty")
    if np.ndim(shares) > 1:
        raise AutogradError(f"quantile() q must be a scalar or 1D tensor, but got a {np.ndim(shares)}D tensor")
    if not np.all((shares >= 0) & (shares <= 1)):
        outside = " but got " + f"{float(shares):g}" if not np.ndim(shares) else ""
        raise AutogradError(f"quantile() q {'values ' if np.ndim(shares) else ''}must be in the range [0, 1]{outside}")
    AutogradError.when(
        interpolation not in INTERPOLATIONS,
        f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}",
    )
    x: Any = flatten(input) if dim is None else input
    axis = dimension(0 if dim is None else dim, x.ndim)
    reduced = (1,) * (keepdim and bool(x.ndim))
    kept = reduced * input.ndim if dim is None else (*x.shape[:axis], *reduced, *x.shape[axis + 1 :])
    if axis != x.ndim - 1:
        x = transpose(unsqueeze(x, dim=x.ndim), dim0=axis, dim1=x.ndim)
    rows = reshape(sort_(x).values, shape=(*kept, max(x.value.size // max(math.prod(kept), 1), 1)))
    last, most = rows.ndim - 1, rows.shape[-1] - 1
    missing = np.isnan(rows.value).any(-1, keepdims=True)
    ranks = ROUNDED.get(interpolation, np.asarray)(np.where(missing, most, np.atleast_1d(shares) * most))
    below, above = (Tensor(ends.astype(np.int64)) for ends in (np.floor(ranks), np.ceil(ranks)))
    result = gather(rows, below, dim=last)
    if interpolation in ("linear", "midpoint"):
        weights = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below.value
        result = lerp_tensor(result, gather(rows, above, dim=last), Tensor(weights.astype(x.dtype)))
    if not np.ndim(shares):
        return squeeze_in_place(result, dim=last)
    beside = named(unsqueeze, "UnsqueezeBackward1", view=False)(result, dim=0)
    turned = named(transpose, "TransposeBackward1", view=False)(beside, dim0=0, dim1=rows.ndim)
    return squeeze_in_place(turned, dim=rows.ndim)
