"""Descriptions of samples: differences and quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.indexing.gathering import gather
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.pointwise.arithmetic import sub
from gradcli.ops.pointwise.comparisons import exactly_one
from gradcli.ops.pointwise.ternary import lerp_tensor
from gradcli.ops.reducing.sorting import apply_sort
from gradcli.ops.shaping.permutations import movedim
from gradcli.ops.shaping.shaping import clone, flatten, reshape
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


@operation(
    "x = [4, 1, 9, 3]; quantile(x, 0.4)",
    "x = [[4, 1, 9], [2, 3, 5]]; quantile(x, [0.25, 0.75], dim=1)",
    "x = [[4, 1, 9], [2, 3, 5]]; quantile(x, 0.3, dim=0, keepdim=True)",
    integers_stay=True,
)
def quantile(input: Real, q: Operand, dim: int | None = None, keepdim: bool = False) -> Any:
    """The values below which the share `q` of the entries lies, of all entries or along a dimension."""
    shares = as_tensor(q).value
    AutogradError.when(not input.value.size, "quantile() input tensor must be non-empty")
    AutogradError.when(
        np.ndim(shares) > 1, f"quantile() q must be a scalar or 1D tensor, but got a {np.ndim(shares)}D tensor"
    )
    AutogradError.when(not np.all((shares >= 0) & (shares <= 1)), "quantile() q must be in the range [0, 1]")
    whole = dim is None or not input.ndim
    x: Any = flatten(input) if whole else input
    axis = 0 if dim is None else dimension(dim, x.ndim)
    rows = apply_sort(x, axis).values
    last = rows.shape[axis] - 1
    missing = np.isnan(rows.value).any(axis, keepdims=True)  # a nan is sorted last
    ranks = np.where(missing, last, np.expand_dims(np.atleast_1d(shares) * last, tuple(range(1, x.ndim - axis))))
    below, above = (Tensor(ends.astype(np.int64)) for ends in (np.floor(ranks), np.ceil(ranks)))
    weights = Tensor((ranks - below.value).astype(x.dtype))
    result = lerp_tensor(gather(rows, below, dim=axis), gather(rows, above, dim=axis), weights)
    kept = (1,) * (keepdim * input.ndim) if whole else (*x.shape[:axis], *(1,) * keepdim, *x.shape[axis + 1 :])
    return reshape(movedim(result, axis, 0), shape=(*shares.shape, *kept))
