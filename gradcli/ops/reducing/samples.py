"""Descriptions of samples: differences and quantiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.indexing.entries import named
from gradcli.ops.indexing.gathering import gather
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.pointwise.arithmetic import sub
from gradcli.ops.pointwise.comparisons import exactly_one
from gradcli.ops.pointwise.ternary import lerp_tensor
from gradcli.ops.products.matmul import squeeze_in_place
from gradcli.ops.reducing.sorting import apply_sort
from gradcli.ops.shaping.permutations import transpose
from gradcli.ops.shaping.shaping import clone, flatten, reshape, unsqueeze
from gradcli.ops.support.arguments import Operand, Real, as_tensor
from gradcli.ops.support.surface import operation


@operation("x = [1, 4, 9]; diff(x)", "x = [[1, 4, 9], [2, 3, 5]]; diff(x, n=2, dim=1)")
def diff(input: Tensor, n: int = 1, dim: int = -1) -> Any:
    """Each entry less the one before it, along a dimension; `n` times over."""
    ShapeError.when(not input.ndim, "diff expects input to be at least one-dimensional")
    AutogradError.when(n < 0, f"order must be non-negative but got {n}")
    axis, x = dimension(dim, input.ndim), clone(input) if not n else input
    for _ in range(min(n, input.shape[axis])):
        length = x.shape[axis]
        later, earlier = cut(x, dim=axis, start=1, stop=length), cut(x, dim=axis, start=0, stop=max(length - 1, 0))
        x = exactly_one(later, earlier) if x.dtype == np.bool_ else sub(later, earlier)
    return x


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
    rows = reshape(apply_sort(x).values, shape=(*kept, max(x.value.size // max(math.prod(kept), 1), 1)))
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
