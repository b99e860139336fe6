"""Entries by their order: the largest and smallest, sort, topk, median; places that are not 0, and distinct entries.

How a tie is shared depends on the operation, as in torch: `max()` and `amax` share it evenly, `max(dim)` gives all to
the first.

The indices are computed first; the values are then gathered by index, and each chosen entry gets the gradient of its
place in the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import behind, dimension, in_front
from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import Primitive, primitive, structured
from gradcli.engine.symbolic.formula import Formula, call, comparison, number, part
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Index, Literal, Number
from gradcli.ops import formulas as entries
from gradcli.ops import formulas as places
from gradcli.ops.indexing.gathering import gather_backward
from gradcli.ops.pointwise.selection import apply_maximum, apply_minimum, where
from gradcli.ops.shaping.shaping import Axes, align_reduced, axes, dims_from_front, in_rows
from gradcli.ops.support.arguments import Array, Dims, Places, ReturnType, as_tensor
from gradcli.ops.support.constant_nodes import as_node
from gradcli.ops.support.surface import CHOSEN, EXTREME, MOVED, PICKED, operation, register, register_printed

ROUNDED = 1e-13  # of entries that are the same but for rounding: (x*t)*y and (y*t)*x


def _attains(x: Any, extreme: Any) -> Any:
    """Return the mask of the entries equal to the extreme; where that is nan, of the nan."""
    mask = x == extreme
    return mask | (x != x) & (extreme != extreme) if np.isnan(extreme).any() else mask


def _ties(x: Any, extreme: Any, *, dim: Axes = None) -> Any:
    return np.sum(_attains(x, extreme), axis=axes(dim, np.ndim(x)), keepdims=dim is not None, dtype=x.dtype)


def _stacked_ties(x: Any, extreme: Any, *, dim: Axes = None) -> Any:
    extreme = extreme.reshape(len(x), *in_front(extreme.shape[1:], x.ndim - 1))
    return np.sum(_attains(x, extreme), axis=behind(dim, x.ndim - 1), keepdims=dim is not None, dtype=x.dtype)


def _fold_ties(x: Formula, extreme: Formula, *, value: Any, dim: Axes = None) -> Formula | None:
    """Fold the number of ties to 1 where there are none, and no two entries are one expression."""
    if np.any(value != 1):
        return None
    along = axes(dim, np.ndim(x.value))
    entries = np.moveaxis(x.value, along, range(len(along)))
    ordered = np.sort(np.reshape(entries, (-1, *entries.shape[len(along) :])), axis=0)
    is_same = np.diff(ordered, axis=0) <= ROUNDED * np.abs(ordered[1:])
    return None if is_same.any() else Formula(number(1), 1)


def _write_ties(operands: Any, options: dict[str, Any]) -> Any:
    equality = Formula(comparison("==")(operands, {}), None)
    dim = options.get("dim")
    named = {} if dim is None else {"dim": dim, "keepdim": True}
    return call("sum", _ties)([equality], named)


attains = primitive("attains", _attains, notation=comparison("=="))
ties = structured("ties", _ties, notation=_write_ties, fold=_fold_ties, stacked=_stacked_ties)


def tie_kinks(find: Callable[..., Any]) -> Callable[..., Any]:
    """Return the `kinks` of a reduction: the mask of entries that tie for the extreme."""

    def kinks(x: Any, *_: Any, dim: Axes = None, keepdim: bool = False) -> Any:
        along = axes(dim, np.ndim(x))
        mask = np.equal(x, find(x, axis=along, keepdims=True))
        return mask & (np.sum(mask, axis=along, keepdims=True) > 1)

    return kinks


EVENLY: Any = {"structured": True, "convention": "ties share the gradient evenly", "says": EXTREME}
FIRST = "at a tie the first gets the gradient"


def shared_rule(g: Carrier, out: Carrier, x: Carrier, *, dim: Axes = None, keepdim: bool = False) -> Any:
    g, out = align_reduced(g, x.shape, dim, keepdim), align_reduced(out, x.shape, dim, keepdim)
    return where(attains(x, out), g / ties(x, out, dim=dim), 0)


def _place(find: Callable[..., Any]) -> Callable[..., Any]:
    def forward(x: Any, *, dim: int | None = None, keepdim: bool = False) -> Any:
        if np.ndim(x) == 0:
            return np.int64(0)
        return np.asarray(find(x, axis=dim, keepdims=keepdim))[()]

    return forward


def pick_entries(x: Any, indices: Any, *, dim: int, keepdim: bool = False, **_: Any) -> Any:
    if np.ndim(x) == 0:
        return x
    taken = np.take_along_axis(x, indices if keepdim else np.expand_dims(indices, dim), dim)
    return taken if keepdim else np.squeeze(taken, dim)[()]


def _pick_stacked(x: Any, indices: Any, *, dim: int, keepdim: bool = False, **_: Any) -> Any:
    return pick_entries(x, indices, dim=dim + 1, keepdim=keepdim) if x.ndim > 1 else x


def _hot(indices: Places, *, size: int, dim: int, keepdim: bool = False) -> Any:
    """The mask of an index, along a new dimension or along the kept one."""
    behind = np.ndim(indices) - dim - keepdim
    places = np.arange(size).reshape(size, *(1,) * behind)
    return np.equal(indices if keepdim else np.expand_dims(indices, dim), places)


hot = structured("hot", _hot, stacked=lambda indices, *, dim, **options: _hot(indices, dim=dim + 1, **options))
register_printed(hot, "x = [[1, 2, 3], [4, 5, 6]]; where(hot([2, 0], size=3, dim=1), x, x**2)")


def pick_rule(g: Carrier, out: Carrier, x: Carrier, indices: Any, *, dim: int, keepdim: bool = False, **_: Any) -> Any:
    if x.shape == ():
        return as_node(g, "ScatterBackward0") if isinstance(g, Tensor) else g
    chosen = hot(indices, size=x.shape[dim], dim=dim, keepdim=keepdim)
    return where(chosen, align_reduced(g, x.shape, dim, keepdim), 0)


def refuse_empty(name: str, shape: tuple[int, ...], dim: Axes) -> None:
    """Raise AutogradError for a reduction of no entries, which have no extreme."""
    if dim is None and 0 in shape:
        advice = "" if name.startswith("arg") else " Specify the reduction dim with the 'dim' argument."
        raise AutogradError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{advice}")
    for axis in axes(dim, len(shape)):
        if shape[axis] == 0:
            shown = getattr(axis, "given", axis) if name in ("amax", "amin") else axis
            raise AutogradError(f"{name}(): Expected reduction dim {shown} to have non-zero size.")


def _declare(name: str, word: str, word_of_two: str, between: Callable[..., Any]) -> None:
    """Declare `max` or `min`, its forms that share ties and that find places, and the primitives of each."""
    find, node = getattr(np, name), f"{name.title()}Backward"
    evenly: Any = {"kinks": tie_kinks(find), "index": entries.extreme(name), **EVENLY}
    over_all = primitive(
        name,
        lambda x: find(x),
        shared_rule,
        node=f"{node}1",
        stacked=lambda x: find(x, axis=behind(None, x.ndim - 1)),
        **evenly,
    )
    over = primitive(
        f"a{name}",
        in_rows(lambda x, *, dim=None, keepdim=False: find(x, axis=axes(dim, x.ndim), keepdims=keepdim)),
        shared_rule,
        stacked=("dim",),
        **evenly,
    )
    place = structured(f"arg{name}", _place(getattr(np, f"arg{name}")), stacked=("dim",))
    first = structured(
        f"{name}_dim",
        pick_entries,
        pick_rule,
        node=f"{node}0",
        notation=part("values", name, pick_entries),
        kinks=tie_kinks(find),
        convention=FIRST,
        says=CHOSEN,
        index=entries.picked,
        stacked=_pick_stacked,
    )

    def extreme(
        input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None
    ) -> Any:
        if isinstance(dim, Tensor) or other is not None:
            return between(input, as_tensor(dim if other is None else other))
        axis = dims_from_front(dim, input.ndim)
        refuse_empty(name, input.shape, axis)
        if axis is None:
            return over_all(input)
        indices = place(input, dim=axis, keepdim=keepdim)
        return ReturnType(name, values=first(input, indices, dim=axis, keepdim=keepdim), indices=indices)

    def shared(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Any:
        axis = dims_from_front(dim, input.ndim)
        refuse_empty(f"a{name}", input.shape, axis)
        return over(input, dim=axis, keepdim=keepdim)

    def index(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
        axis = dims_from_front(dim, input.ndim)
        refuse_empty(f"arg{name}", input.shape, axis)
        return place(input, dim=axis, keepdim=keepdim)

    extreme.__doc__ = (
        f"The {word} entry; over a dimension its `.values` and `.indices`; of two tensors the {word_of_two}, entry by "
        "entry."
    )
    shared.__doc__ = f"The {word} entry over dimensions; ties share the gradient."
    index.__doc__ = f"The index of the {word} entry; without `dim` that of the flattened tensor."
    matrix = "x = [[1, -2], [3, 0.5]]; "
    register(
        name,
        extreme,
        (
            f"{matrix}{name}(x)",
            f"{matrix}{name}(x, dim=0).values",
            f"{matrix}{name}(x, 1, keepdim=True)[0]",
            f"x = [1, -2]; y = [0, 3]; {name}(x, y)",
        ),
        traits=("reducing",),
    )
    examples = (f"{matrix}a{name}(x, dim=1)", f"{matrix}a{name}(x, (0, 1), keepdim=True)")
    register(f"a{name}", shared, examples, traits=("reducing",))
    soft = f"torch.softmax({'-' if name == 'min' else ''}{{x}}, dim=-1) in place of the index"
    register(f"arg{name}", index, (f"{matrix}where(arg{name}(x, dim=1, keepdim=True) == 0, x, x**2)",), soft=soft)


_declare("max", "largest", "larger", apply_maximum)
_declare("min", "smallest", "smaller", apply_minimum)


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


order = structured("argsort", _ordered, stacked=("dim",))
top = structured("topk_indices", _top, stacked=("dim",))
middle = structured("median_index", _middle, stacked=("dim",))
register_printed(top, "x = [3, 1, 2]; gather(x, 0, topk_indices(x, k=2, dim=0))")
register_printed(middle, "x = [3, 1, 2]; x[median_index(x, dim=0)]")


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
        stacked=("dim",),
    )


sort = _by_index("sort", _sorted, "SortBackward0", "sort", MOVED)
sort_stable = _by_index("sort_stable", _sorted, "SortBackward1", "sort", MOVED)
topk = _by_index("topk", _chosen, "TopkBackward0", "topk", PICKED)


median_dim = structured(
    "median_dim",
    pick_entries,
    pick_rule,
    node="MedianBackward1",
    notation=part("values", "median", pick_entries),
    says=CHOSEN,
    index=places.picked,
    stacked=_pick_stacked,
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
    kinks=tie_kinks(lambda x, axis, keepdims: np.reshape(_median(x), [1] * np.ndim(x))),
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
    "nonzero",
    lambda x: np.argwhere(x) if np.ndim(x) else np.zeros((int(bool(x)), 0), np.int64),
    traits=("counting",),
)
places_along = structured(
    "nonzero_along",
    lambda x, *, dim: np.nonzero(np.atleast_1d(x))[dim],
    traits=("counting",),
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
