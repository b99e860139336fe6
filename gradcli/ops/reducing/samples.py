"""Descriptions of samples: sums that ignore nan, differences, covariance, quantiles."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.shapes import dimension
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.writing import copy
from gradcli.engine.primitive import primitive
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.formulas import reducing as entries
from gradcli.ops.indexing.entries import named
from gradcli.ops.indexing.gathering import gather
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.pointwise.arithmetic import div, mul, sub
from gradcli.ops.pointwise.clamping import clamp
from gradcli.ops.pointwise.elementwise import sqrt
from gradcli.ops.pointwise.logic import logical_xor, nan
from gradcli.ops.pointwise.scalars import mul_number
from gradcli.ops.pointwise.selection import where
from gradcli.ops.pointwise.ternary import lerp_tensor
from gradcli.ops.products.contractions import mm
from gradcli.ops.products.matmul import squeeze_in_place
from gradcli.ops.reducing.reductions import sum_, sum_dim
from gradcli.ops.reducing.sorting import sort_
from gradcli.ops.shaping.axes import Axes, aligned, axes, in_rows, wrapped
from gradcli.ops.shaping.diagonals import diagonal
from gradcli.ops.shaping.joining import cat_
from gradcli.ops.shaping.permutations import t, transpose
from gradcli.ops.shaping.shaping import flatten, reshape, squeeze, unsqueeze
from gradcli.ops.support.arguments import Dims, Dtype, Operand, Real, as_tensor, check_size
from gradcli.ops.support.dtypes import converted
from gradcli.ops.support.surface import operation

NO_FREEDOM = "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."

nansum = primitive(
    "nansum",
    in_rows(lambda x, *, dim=None, keepdim=False: np.nansum(x, axis=axes(dim, x.ndim), keepdims=keepdim)[()]),
    lambda g, out, x, *, dim=None, keepdim=False: where(
        nan(x), 0, expand(aligned(g, x.shape, dim, keepdim), size=x.shape)
    ),
    structured=True,
    says="A sum hands the gradient on to every entry that was added; those that are nan get 0.",
    index=entries.without_nan,
)


@operation("x = [[1, 2], [3, 4]]; nansum(x)", "x = [[1, 2], [3, 4]]; nansum(x, dim=1, keepdim=True)")
def nansum_(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Any:
    """The sum of the entries that are not nan, of all or over dimensions."""
    return nansum(converted(input, dtype), dim=wrapped(dim, input.ndim), keepdim=keepdim)


@operation("x = [[1, 2], [3, 4]]; nanmean(x)", "x = [[1, 2], [3, 4]]; nanmean(x, dim=0)", integers_stay=True)
def nanmean(input: Real, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Any:
    """The mean of the entries that are not nan, of all or over dimensions."""
    x = converted(input, dtype)
    along: Axes = wrapped(dim, x.ndim)
    counts = np.sum(~np.isnan(x.value), axis=axes(along, x.ndim), keepdims=keepdim, dtype=x.dtype)
    return div(nansum(x, dim=along, keepdim=keepdim), Tensor(counts))


@operation(
    "x = [1, 4, 9]; diff(x)", "x = [[1, 4, 9], [2, 3, 5]]; diff(x, n=2, dim=1)", "x = [1, 4]; diff(x, prepend=[0])"
)
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Any:
    """Each entry less the one before it, along a dimension; `n` times over."""
    if not input.ndim:
        raise AutogradError("diff expects input to be at least one-dimensional", code="E301")
    if n < 0:
        raise AutogradError(f"order must be non-negative but got {n}")
    for part in (part for part in (prepend, append) if part is not None):
        if part.ndim != input.ndim:
            raise AutogradError("diff expects prepend or append to be the same dimension as input", code="E301")
        axis = dimension(dim, input.ndim)
        for at, size in enumerate(part.shape):
            if at != axis and size != input.shape[at]:
                raise AutogradError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({at}) = {input.shape[at]}, but got tensor.size({at}) = {size}",
                    code="E301",
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


def _divided(x: Any, count: float) -> Any:
    return div(x, Tensor(x.dtype.type(count)))


@operation("X = [[1, 2, 4], [0.5, -1, 3]]; cov(X)", "x = [1, 2, 4]; cov(x, correction=0)")
def cov(input: Real, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Any:
    """The covariances of variables, a row of samples each; weights count samples, or say how much each matters."""
    if input.ndim > 2:
        raise AutogradError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions",
            code="E301",
        )
    x: Any = input if input.ndim == 2 else reshape(input, shape=(1, input.value.size))
    check_size((x.shape[0], x.shape[0]))
    weights = _weights(x.shape[1], fweights, aweights)
    if weights is None:
        count = x.shape[1]
        if count <= correction:
            warnings.warn(NO_FREEDOM, UserWarning, stacklevel=2)
        centred = sub(x, unsqueeze(_divided(sum_dim(x, dim=1), count), dim=1))
        return squeeze(_divided(mm(centred, t(centred)), max(count - correction, 0)))
    entire = sum_(weights)
    if entire.value == 0:
        raise AutogradError("cov(): weights sum to zero, can't be normalized")
    centred = sub(x, unsqueeze(div(sum_dim(mul(x, weights), dim=1), entire), dim=1))
    if aweights is not None and correction:
        lost: Any = div(mul_number(sum_(mul(weights, aweights)), correction), entire)
    else:
        lost = Tensor(np.asarray(correction))
    factor = sub(entire, lost) if np.any(lost.value) else entire
    if factor.value <= 0:
        warnings.warn(NO_FREEDOM, UserWarning, stacklevel=2)
        factor = Tensor(np.zeros_like(factor.value))
    return squeeze(div(mm(centred, t(mul(centred, weights))), factor))


def _weights(count: int, fweights: Tensor | None, aweights: Tensor | None) -> Any:
    """Return the product of the weights, after torch's checks; None where none are given."""
    for name, given, kind in (("fweights", fweights, "iu"), ("aweights", aweights, "f")):
        if given is None:
            continue
        if given.ndim > 1:
            raise AutogradError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with {given.ndim} dimensions",
                code="E301",
            )
        if given.dtype.kind not in kind:
            wanted = "integral" if kind == "iu" else "floating point"
            raise AutogradError(
                f"cov(): expected {name} to have {wanted} dtype but got {name} with {TYPE_NAMES[given.dtype]} dtype"
            )
        if given.value.size != count:
            raise AutogradError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but got "
                f"{given.value.size} != {count}",
                code="E301",
            )
        if given.value.size and not given.value.min() >= 0:  # nan is no weight either
            raise AutogradError(f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return mul(fweights, aweights)


# A correlation is beyond its bounds by rounding alone, so that it has no kink there.
within_rounding = replace(clamp, kinks=(), convention="")


@operation("X = [[1, 2, 4], [0.5, -1, 3]]; corrcoef(X)")
def corrcoef(input: Real) -> Any:
    """The correlations of variables, a row of samples each."""
    if input.ndim > 2:
        raise AutogradError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions",
            code="E301",
        )
    c = cov(input)
    if not c.ndim:
        return div(c, c)
    deviations = sqrt(diagonal(c, offset=0, dim1=0, dim2=1))
    size = c.shape[0]
    scaled = div(div(c, reshape(deviations, shape=(size, 1))), reshape(deviations, shape=(1, size)))
    return within_rounding(scaled, min=-1, max=1)


MODES = ("linear", "lower", "higher", "midpoint", "nearest")


def _ranks(x: Any, q: Any, interpolation: str, passes_nan: bool) -> tuple[Any, Any, Any]:
    """Return the indices below and above each quantile in a sorted row, and the weight of the upper one."""
    missing, last = np.isnan(x), x.shape[-1] - 1
    if passes_nan:
        ranks = q * np.maximum(last - missing.sum(-1, keepdims=True), 0)
    else:
        ranks = np.where(missing.any(-1, keepdims=True), last, q * last)
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}[interpolation](ranks)
    below, above = np.floor(ranks), np.ceil(ranks)
    weights = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
    return below.astype(np.int64), above.astype(np.int64), weights.astype(x.dtype)


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
    return quantiles("quantile", input, q, dim, keepdim, interpolation)


def quantiles(
    name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, *, passes_nan: bool = False
) -> Any:
    """Return the quantiles under the name of a function of torch, perhaps of the entries that are not nan."""
    shares = as_tensor(q).value
    if not input.value.size:
        raise AutogradError(f"{name}() input tensor must be non-empty")
    if np.ndim(shares) > 1:
        raise AutogradError(f"{name}() q must be a scalar or 1D tensor, but got a {np.ndim(shares)}D tensor")
    if not np.all((shares >= 0) & (shares <= 1)):
        outside = " but got " + f"{float(shares):g}" if not np.ndim(shares) else ""
        raise AutogradError(f"{name}() q {'values ' if np.ndim(shares) else ''}must be in the range [0, 1]{outside}")
    if interpolation not in MODES:
        raise AutogradError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    x: Any = flatten(input) if dim is None else input
    axis = dimension(0 if dim is None else dim, x.ndim)
    reduced = (1,) * (keepdim and bool(x.ndim))
    kept = reduced * input.ndim if dim is None else (*x.shape[:axis], *reduced, *x.shape[axis + 1 :])
    if axis != x.ndim - 1:
        x = transpose(unsqueeze(x, dim=x.ndim), dim0=axis, dim1=x.ndim)
    rows = reshape(sort_(x).values, shape=(*kept, max(x.value.size // max(math.prod(kept), 1), 1)))
    below, above, weights = _ranks(rows.value, np.atleast_1d(shares), interpolation, passes_nan)
    last = rows.ndim - 1
    found = gather(rows, Tensor(below), dim=last)
    weighed = interpolation in ("linear", "midpoint")
    if weighed:
        found = lerp_tensor(found, gather(rows, Tensor(above), dim=last), Tensor(weights))
    if not np.ndim(shares):
        return squeeze_in_place(found, dim=last)
    beside = named(unsqueeze, "UnsqueezeBackward1", view=False)(found, dim=0)
    turned = named(transpose, "TransposeBackward1", view=False)(beside, dim0=0, dim1=rows.ndim)
    return squeeze_in_place(turned, dim=rows.ndim)
