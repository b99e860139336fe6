"""The counts, indices and distinct values of entries; no gradient flows through them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import primitive
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Index, Literal, Number
from gradcli.ops.reducing.sets import check_rows
from gradcli.ops.reducing.underived import underived_from
from gradcli.ops.shaping.axes import axes, in_rows, wrapped
from gradcli.ops.support.arguments import Dims, Indices, Operand, Real, as_tensor, check_size
from gradcli.ops.support.surface import operation

SMALLER = 2.0**-30  # times a number of bins, a range is then within double precision

places = primitive(
    "nonzero", lambda x: np.argwhere(x) if np.ndim(x) else np.zeros((int(bool(x)), 0), np.int64), structured=True
)
places_along = primitive(
    "nonzero_along",
    lambda x, *, dim: np.nonzero(np.atleast_1d(x))[dim],
    structured=True,
    notation=lambda operands, options: Index(
        Call("nonzero", (Argument(operands[0].tree), Argument(Literal(True), "as_tuple"))), (Number(options["dim"]),)
    ),
)
number_of = primitive(
    "count_nonzero",
    in_rows(lambda x, *, dim=None: np.asarray(np.count_nonzero(x, axis=axes(dim, np.ndim(x))), np.int64)[()]),
    structured=True,
)
counts = primitive("bincount", lambda x, w=None, *, minlength=0: np.bincount(x, w, minlength), structured=True)


def _halving(boundaries: Any, x: Any, *, right: bool = False) -> Any:
    """Halve the interval until one place is left, as torch does, whose answers for unsorted boundaries these are."""
    start, end = np.zeros(np.shape(x), np.int64), np.full(np.shape(x), len(boundaries), np.int64)
    while np.any(start < end):
        middle = np.minimum(start + (end - start) // 2, len(boundaries) - 1)
        value = boundaries[middle]
        passed = (start < end) & (~(value > x) if right else ~(value >= x))
        start, end = np.where(passed, middle + 1, start), np.where(passed, end, np.minimum(middle, end))
    return np.asarray(start)[()]


slots = primitive("searchsorted", _halving, structured=True)


def _bars(x: Any, *, bins: int, bounds: tuple[float, float]) -> Any:
    """Count by the share of the range that lies below each entry, as torch does; the last bin holds its own end."""
    low, high = np.array(bounds, x.dtype)
    inside = np.ravel(x)[np.ravel((x >= low) & (x <= high))]
    if not np.isfinite((high - low) * bins):
        low, high, inside = (part * SMALLER for part in (low, high, inside))
    width = high - low
    places = (inside - low) * bins / width if width else np.full_like(inside, bins)
    return np.bincount(np.minimum(places, bins - 1).astype(np.int64), minlength=bins).astype(x.dtype)


bars = primitive(
    "histc",
    _bars,
    structured=True,
)


@operation("nonzero([[1, 0], [0, 2]])", "nonzero([[1, 0], [0, 2]], as_tuple=True)[1]")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the entries that are not 0, one row each; or one tensor for each dimension."""
    refuse_examples("nonzero", input)
    if as_tuple:
        return tuple(places_along(input, dim=dim) for dim in range(max(input.ndim, 1)))
    return places(input)


@operation("argwhere([[1, 0], [0, 2]])")
def argwhere(input: Tensor) -> Any:
    """The indices of the entries that are not 0, one row each."""
    refuse_examples("nonzero", input)
    return places(input)


@operation("x = [[1, 2], [3, 4]]; x*count_nonzero(x)", "x = [[1, 2], [3, 4]]; x*count_nonzero(x, dim=0)")
def count_nonzero(input: Tensor, dim: Dims = None) -> Any:
    """How many entries are not 0, of all or over dimensions."""
    return number_of(input, dim=wrapped(dim, input.ndim))


@operation("bincount([1, 3, 1])", "bincount([1, 3, 1], weights=[0.5, 1, 2], minlength=5)")
def bincount(input: Indices, weights: Tensor | None = None, minlength: int = 0) -> Any:
    """How often each whole number occurs, or the sum of the weights of its occurrences."""
    if input.ndim != 1 or input.dtype == np.bool_ or np.any(input.value < 0):
        raise AutogradError("bincount only supports 1-d non-negative integral inputs.", code="E301")
    if minlength < 0:
        raise AutogradError("minlength should be >= 0")
    check_size((int(np.max(input.value, initial=0)) + 1,))
    check_size((minlength,))
    if weights is None:
        return counts(input, minlength=minlength)
    if weights.shape != input.shape:
        raise AutogradError("weights should be 1-d and have the same length as input", code="E301")
    wide = weights.dtype if weights.dtype == np.float32 else np.float64
    return counts(input, with_origin(Tensor(weights.value.astype(wide)), weights), minlength=minlength)


@operation("histc([1, 2, 1, 4], bins=4, min=0, max=3)", "histc([1, 2, 1, 4], 2)", integers_stay=True)
def histc(input: Real, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """The number of entries in each of `bins` equal parts of a range, by default the range of the entries."""
    if bins < 1:
        raise AutogradError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    check_size((bins,))
    low, high = min, max
    if low > high:
        raise AutogradError("torch.histc: max must be larger than min")
    if low == high and input.value.size:
        low, high = float(np.min(input.value)), float(np.max(input.value))
    if not np.isfinite([low, high]).all():
        raise AutogradError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    return bars(input.detach(), bins=bins, bounds=(low, high))


@operation("unique([3, 1, 3])", "unique([3, 1, 3], return_inverse=True, return_counts=True)[1]")
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct entries, or slices, in order; on request with the index of each entry in them, and their counts."""
    refuse_examples("unique", input)
    axis = None if dim is None else dimension(dim, input.ndim)
    if dim is not None:
        check_rows(input, dim)
    whole = input.value if axis is None else np.atleast_1d(input.value)
    values, inverse, numbers = np.unique(whole, return_inverse=True, return_counts=True, axis=axis)
    name = "_unique2" if dim is None else "unique_dim"
    found = [underived_from(input, Tensor(values), name)]
    if return_inverse:
        found.append(Tensor(np.reshape(inverse, input.shape if axis is None else -1)))
    if return_counts:
        found.append(Tensor(numbers))
    return found[0] if len(found) == 1 else tuple(found)


@operation(
    "searchsorted([1, 2, 3], [0, 2, 5])",
    "searchsorted([1, 2, 3], [0, 2, 5], right=True)",
    method=False,
    numbers="first",
)
def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Any:
    """Where entries would be put into sorted vectors, before equal ones or (`right`) behind them."""
    if side not in (None, "left", "right"):
        raise AutogradError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise AutogradError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    given = as_tensor(input)
    if not sorted_sequence.ndim:
        raise AutogradError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if sorter is not None:
        if sorter.shape != sorted_sequence.shape:
            raise AutogradError(
                "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                f"{list(sorted_sequence.shape)} and got sorter tensor {list(sorter.shape)}",
                code="E301",
            )
        if sorter.dtype != np.int64 or np.any((sorter.value < 0) | (sorter.value >= sorter.shape[-1])):
            raise AutogradError("torch.searchsorted(): sorter must be a tensor of long dtype with values in range")
        sorted_sequence = Tensor(np.take_along_axis(sorted_sequence.value, sorter.value, -1))
    behind = right or side == "right"
    if sorted_sequence.ndim == 1:
        found = slots(sorted_sequence, given, right=behind)
    else:
        found = Tensor(_by_rows(sorted_sequence.value, given.value, "right" if behind else "left"))
    return Tensor(np.asarray(found.value).astype(np.int32)[()]) if out_int32 else found


def _by_rows(sequences: Any, values: Any, side: Any) -> Any:
    """Search each row of values in the row of the same place."""
    if sequences.shape[:-1] != values.shape[:-1] or not values.ndim:
        raise AutogradError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(sequences.shape)} and input "
            f"value tensor {list(values.shape)}",
            code="E301",
        )
    found = np.zeros(values.shape, np.int64)
    for place in np.ndindex(values.shape[:-1]):
        found[place] = _halving(sequences[place], values[place], right=side == "right")
    return found


@operation("bucketize([0, 2, 5], [1, 2, 3])", numbers="first")
def bucketize(input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Any:
    """The index of the interval between sorted boundaries in which each entry lies."""
    if boundaries.ndim != 1:
        raise AutogradError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})", code="E301")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
