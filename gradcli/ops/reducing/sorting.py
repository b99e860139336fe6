"""Entries by their order: sort, topk, median; places that are not 0, and distinct entries.

The indices are computed first; the values are then gathered by index, and each chosen entry gets the gradient of its
place in the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import Primitive, primitive, structured
from gradcli.engine.symbolic.formula import part
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Index, Literal, Number
from gradcli.ops import formulas as places
from gradcli.ops.indexing.gathering import gather_backward
from gradcli.ops.reducing.extremes import EVENLY, picked, picked_rule, refuse_empty, shared_rule, tied
from gradcli.ops.support.arguments import Array, ReturnType
from gradcli.ops.support.surface import CHOSEN, MOVED, PICKED, operation, printed


def _ordered(x: Any, *, dim: int, descending: bool = False) -> Any:
    """The indices that sort, equal entries in their order; nan counts as the largest."""
    if not np.ndim(x):
        return np.int64(0)
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - backwards, dim).copy()


def _top(x: Array, *, k: int, dim: int, largest: bool = True, sorted: bool = True) -> Any:
    """The indices of the `k` largest or smallest entries, equal ones in their order."""
    return np.take(_ordered(x, dim=dim, descending=largest), np.arange(k), dim) if np.ndim(x) else np.int64(0)


def _kth(x: Array, *, k: int, dim: int, keepdim: bool = False) -> Any:
    """The index of the `k`-th entry, equal ones in their order."""
    return np.take(_ordered(x, dim=dim), [k - 1] if keepdim else k - 1, dim) if np.ndim(x) else np.int64(0)


def _middle(x: Array, *, dim: int, keepdim: bool = False) -> Any:
    """The index of the median, the lower of two; of a nan where there is one."""
    if not np.ndim(x):
        return np.int64(0)
    middle = _kth(x, k=(x.shape[dim] + 1) // 2, dim=dim, keepdim=keepdim)
    missing = np.isnan(x)
    return np.where(np.any(missing, dim, keepdims=keepdim), np.argmax(missing, dim, keepdims=keepdim), middle)[()]


def _at(x: Any, indices: Any, dim: int) -> Any:
    return np.take_along_axis(np.atleast_1d(x), np.atleast_1d(indices), dim).reshape(np.shape(indices))[()]


def _sorted(x: Any, indices: Any, *, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    return _at(x, indices, dim)


def _chosen(x: Any, indices: Any, *, k: int, dim: int = -1, largest: bool = True) -> Any:
    return _at(x, indices, dim)


order = structured("argsort", _ordered)
top = structured("topk_indices", _top)
middle = structured("median_index", _middle)
printed(top, "x = [3, 1, 2]; gather(x, 0, topk_indices(x, k=2, dim=0))")
printed(middle, "x = [3, 1, 2]; x[median_index(x, dim=0)]")


def _by_index(name: str, forward: Callable[..., Any], node: str, function: str, says: str) -> Primitive:
    """Declare a primitive that gathers entries along one dimension by their indices."""
    return structured(
        name,
        forward,
        lambda g, out, x, indices, *, dim, **_: gather_backward(g, indices, shape=x.shape, dim=dim),
        node=node,
        notation=part("values", function, forward),
        says=says,
        index=places.ordered,
    )


sort = _by_index("sort", _sorted, "SortBackward0", "sort", MOVED)
sort_stable = _by_index("sort_stable", _sorted, "SortBackward1", "sort", MOVED)
topk = _by_index("topk", _chosen, "TopkBackward0", "topk", PICKED)


median_dim = structured(
    "median_dim",
    picked,
    picked_rule,
    node="MedianBackward1",
    notation=part("values", "median", picked),
    says=CHOSEN,
    index=places.picked,
)


def _median(x: Any) -> Any:
    if not np.size(x):
        return x.dtype.type(np.nan)
    flat = np.ravel(x)
    return flat[_middle(flat, dim=0)]


median = primitive(
    "median",
    _median,
    shared_rule,
    node="MedianBackward0",
    kinks=tied(lambda x, axis, keepdims: np.reshape(_median(x), [1] * np.ndim(x))),
    **EVENLY,
)


@operation(
    "x = [[3, 1, 2], [0.5, 4, -1]]; sort(x).values",
    "x = [3, 1, 2]; sort(x, dim=0, descending=True).values",
    "x = [3, 1, 2]; sort(x, stable=True)[0]",
)
def apply_sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Any:
    """The entries in order along a dimension: `.values`, and where they were: `.indices`."""
    options = {"dim": dimension(dim, input.ndim), "descending": descending}
    indices = order(input, **options)
    if stable is None:
        return ReturnType("sort", values=sort(input, indices, **options), indices=indices)
    return ReturnType("sort", values=sort_stable(input, indices, **options, stable=stable), indices=indices)


@operation("x = [[3, 1, 2], [0.5, 4, -1]]; gather(x, 1, argsort(x))")
def apply_argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The indices that put a dimension in order."""
    return order(input, dim=dimension(dim, input.ndim), descending=descending)


@operation(
    "x = [[3, 1, 2], [0.5, 4, -1]]; topk(x, 2).values",
    "x = [[3, 1, 2], [0.5, 4, -1]]; topk(x, 1, dim=0, largest=False)[0]",
)
def apply_topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The `k` largest entries of a dimension in order: `.values`, and where they were: `.indices`."""
    axis = dimension(dim, input.ndim)
    AutogradError.when(not 0 <= k <= (input.shape[axis] if input.ndim else 1), "selected index k out of range")
    options = {"k": k, "dim": axis, "largest": largest}
    indices = top(input, **options, **({} if sorted else {"sorted": False}))
    return ReturnType("topk", values=topk(input, indices, **options), indices=indices)


@operation("x = [3, 1, 2, 7]; median(x)", "x = [[3, 1, 2], [0.5, 4, -1]]; median(x, dim=1).values")
def apply_median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The entry in the middle, the lower of two; over a dimension its `.values` and `.indices`."""
    if dim is None:
        return median(input)
    axis = dimension(dim, input.ndim)
    refuse_empty("median", input.shape, axis)
    indices = middle(input, dim=axis, keepdim=keepdim)
    return ReturnType("median", values=median_dim(input, indices, dim=axis, keepdim=keepdim), indices=indices)


nonzero_places = structured(
    "nonzero", lambda x: np.argwhere(x) if np.ndim(x) else np.zeros((int(bool(x)), 0), np.int64)
)
places_along = structured(
    "nonzero_along",
    lambda x, *, dim: np.nonzero(np.atleast_1d(x))[dim],
    notation=lambda operands, options: Index(
        Call("nonzero", (Argument(operands[0].tree), Argument(Literal(True), "as_tuple"))), (Number(options["dim"]),)
    ),
)


@operation("nonzero([[1, 0], [0, 2]])", "nonzero([[1, 0], [0, 2]], as_tuple=True)[1]")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the entries that are not 0, one row each; or one tensor for each dimension."""
    refuse_examples("nonzero", input)
    if as_tuple:
        return tuple(places_along(input, dim=dim) for dim in range(max(input.ndim, 1)))
    return nonzero_places(input)


@operation("unique([3, 1, 3])", "unique([3, 1, 3], return_inverse=True, return_counts=True)[1]")
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The distinct entries in order; on request with the index of each entry in them, and their counts."""
    refuse_examples("unique", input)
    values, inverse, numbers = np.unique(input.value, return_inverse=True, return_counts=True)
    results = [values, *([inverse.reshape(input.shape)] * return_inverse), *([numbers] * return_counts)]
    return Tensor(values) if len(results) == 1 else tuple(map(Tensor, results))
