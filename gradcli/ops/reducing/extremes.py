"""The largest and the smallest entry. How a tie is shared depends on the operation, as in torch: `max()` and `amax`
share it evenly, `max(dim)` gives all to the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import Notation, call, comparison, number
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Attribute
from gradcli.ops.formulas import indexing as places
from gradcli.ops.formulas import reducing as entries
from gradcli.ops.pointwise.selection import apply_maximum, apply_minimum, where
from gradcli.ops.shaping.axes import Axes, aligned, axes, in_rows, wrapped
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Dims, Places, as_tensor
from gradcli.ops.support.named_nodes import as_node
from gradcli.ops.support.return_types import ReturnType
from gradcli.ops.support.sentences import CHOSEN, EXTREME
from gradcli.ops.support.surface import operation

ROUNDED = 1e-13  # of entries that are the same but for rounding: (x*t)*y and (y*t)*x


def _attains(x: Any, extreme: Any) -> Any:
    """Return the mask of the entries equal to the extreme; where that is nan, of the nan."""
    found = x == extreme
    return found | (x != x) & (extreme != extreme) if np.isnan(extreme).any() else found


def _ties(x: Any, extreme: Any, *, dim: Axes = None) -> Any:
    return np.sum(_attains(x, extreme), axis=axes(dim, np.ndim(x)), keepdims=dim is not None, dtype=x.dtype)


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
ties = primitive("ties", _ties, structured=True, notation=_write_ties, fold=_fold_ties)


def tied(find: Callable[..., Any]) -> Callable[..., Any]:
    """Return the `kinks` of a reduction: the mask of entries that tie for the extreme."""

    def kinks(x: Any, *_: Any, dim: Axes = None, keepdim: bool = False) -> Any:
        along = axes(dim, np.ndim(x))
        found = np.equal(x, find(x, axis=along, keepdims=True))
        return found & (np.sum(found, axis=along, keepdims=True) > 1)

    return kinks


EVENLY: Any = {"structured": True, "convention": "ties share the gradient evenly", "says": EXTREME}
FIRST = "at a tie the first gets the gradient"


def shared_rule(g: Carrier, out: Carrier, x: Carrier, *, dim: Axes = None, keepdim: bool = False) -> Any:
    g, out = aligned(g, x.shape, dim, keepdim), aligned(out, x.shape, dim, keepdim)
    return where(attains(x, out), g / ties(x, out, dim=dim), 0)


amax = primitive(
    "amax",
    in_rows(lambda x, *, dim=None, keepdim=False: np.max(x, axis=axes(dim, x.ndim), keepdims=keepdim)),
    shared_rule,
    kinks=tied(np.max),
    **EVENLY,
    index=entries.extreme("max"),
)
amin = primitive(
    "amin",
    in_rows(lambda x, *, dim=None, keepdim=False: np.min(x, axis=axes(dim, x.ndim), keepdims=keepdim)),
    shared_rule,
    kinks=tied(np.min),
    **EVENLY,
    index=entries.extreme("min"),
)
largest = primitive(
    "max",
    lambda x: np.max(x),
    shared_rule,
    node="MaxBackward1",
    kinks=tied(np.max),
    **EVENLY,
    index=entries.extreme("max"),
)
smallest = primitive(
    "min",
    lambda x: np.min(x),
    shared_rule,
    node="MinBackward1",
    kinks=tied(np.min),
    **EVENLY,
    index=entries.extreme("min"),
)


def _place(find: Callable[..., Any]) -> Callable[..., Any]:
    def forward(x: Any, *, dim: int | None = None, keepdim: bool = False) -> Any:
        if np.ndim(x) == 0:
            return np.int64(0)
        return np.asarray(find(x, axis=dim, keepdims=keepdim))[()]

    return forward


argmax = primitive("argmax", _place(np.argmax), structured=True)
argmin = primitive("argmin", _place(np.argmin), structured=True)


def picked(x: Any, indices: Any, *, dim: int, keepdim: bool = False, **_: Any) -> Any:
    if np.ndim(x) == 0:
        return x
    taken = np.take_along_axis(x, indices if keepdim else np.expand_dims(indices, dim), dim)
    return taken if keepdim else np.squeeze(taken, dim)[()]


def _hot(indices: Places, *, size: int, dim: int, keepdim: bool = False) -> Any:
    """The mask of an index, along a new dimension or along the kept one."""
    behind = np.ndim(indices) - dim - keepdim
    places = np.arange(size).reshape(size, *(1,) * behind)
    return np.equal(indices if keepdim else np.expand_dims(indices, dim), places)


hot = primitive("hot", _hot, structured=True)
printed(hot, "x = [[1, 2, 3], [4, 5, 6]]; where(hot([2, 0], size=3, dim=1), x, x**2)")


def picked_rule(
    g: Carrier, out: Carrier, x: Carrier, indices: Any, *, dim: int, keepdim: bool = False, **_: Any
) -> Any:
    if x.shape == ():
        return as_node(g, "ScatterBackward0") if isinstance(g, Tensor) else g
    chosen = hot(indices, size=x.shape[dim], dim=dim, keepdim=keepdim)
    return where(chosen, aligned(g, x.shape, dim, keepdim), 0)


def values_of(name: str, forward: Callable[..., Any] = picked) -> Notation:
    """Write the values of the result: `max(x, dim=1).values`."""
    write = call(name, forward)
    return lambda operands, options: Attribute(write(operands[:1], options), "values")


first_largest = primitive(
    "max_dim",
    picked,
    picked_rule,
    node="MaxBackward0",
    structured=True,
    notation=values_of("max"),
    kinks=tied(np.max),
    convention=FIRST,
    says=CHOSEN,
    index=places.picked,
)
first_smallest = primitive(
    "min_dim",
    picked,
    picked_rule,
    node="MinBackward0",
    structured=True,
    notation=values_of("min"),
    kinks=tied(np.min),
    convention=FIRST,
    says=CHOSEN,
    index=places.picked,
)


def refuse_empty(name: str, shape: tuple[int, ...], dim: Axes) -> None:
    """Raise AutogradError for a reduction of no entries, which have no extreme."""
    if dim is None and 0 in shape:
        advice = "" if name.startswith("arg") else " Specify the reduction dim with the 'dim' argument."
        raise AutogradError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{advice}")
    for axis in axes(dim, len(shape)):
        if shape[axis] == 0:
            shown = getattr(axis, "given", axis) if name in ("amax", "amin") else axis
            raise AutogradError(f"{name}(): Expected reduction dim {shown} to have non-zero size.")


def _extreme(
    name: str, whole: Primitive, part: Primitive, place: Primitive, input: Tensor, dim: Any, keepdim: bool
) -> Any:
    dim = wrapped(dim, input.ndim)
    refuse_empty(name, input.shape, dim)
    if dim is None:
        return whole(input)
    indices = place(input, dim=dim, keepdim=keepdim)
    return ReturnType(name, values=part(input, indices, dim=dim, keepdim=keepdim), indices=indices)


@operation(
    "x = [[1, -2], [3, 0.5]]; max(x)",
    "x = [[1, -2], [3, 0.5]]; max(x, dim=0).values",
    "x = [[1, -2], [3, 0.5]]; max(x, 1, keepdim=True)[0]",
    "x = [1, -2]; y = [0, 3]; max(x, y)",
)
def apply_max(
    input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None
) -> Any:
    """The largest entry; over a dimension its `.values` and `.indices`; of two tensors the larger, entry by entry."""
    if isinstance(dim, Tensor) or other is not None:
        return apply_maximum(input, as_tensor(dim if other is None else other))
    return _extreme("max", largest, first_largest, argmax, input, dim, keepdim)


@operation(
    "x = [[1, -2], [3, 0.5]]; min(x)",
    "x = [[1, -2], [3, 0.5]]; min(x, dim=0).values",
    "x = [[1, -2], [3, 0.5]]; min(x, 1, keepdim=True)[0]",
    "x = [1, -2]; y = [0, 3]; min(x, y)",
)
def apply_min(
    input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None
) -> Any:
    """The smallest entry; over a dimension its `.values` and `.indices`; of two tensors the smaller, entry by entry."""
    if isinstance(dim, Tensor) or other is not None:
        return apply_minimum(input, as_tensor(dim if other is None else other))
    return _extreme("min", smallest, first_smallest, argmin, input, dim, keepdim)


@operation("x = [[1, -2], [3, 0.5]]; amax(x, dim=1)", "x = [[1, -2], [3, 0.5]]; amax(x, (0, 1), keepdim=True)")
def apply_amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Any:
    """The largest entry over dimensions; ties share the gradient."""
    refuse_empty("amax", input.shape, dim := wrapped(dim, input.ndim))
    return amax(input, dim=dim, keepdim=keepdim)


@operation("x = [[1, -2], [3, 0.5]]; amin(x, dim=1)", "x = [[1, -2], [3, 0.5]]; amin(x, (0, 1), keepdim=True)")
def apply_amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Any:
    """The smallest entry over dimensions; ties share the gradient."""
    refuse_empty("amin", input.shape, dim := wrapped(dim, input.ndim))
    return amin(input, dim=dim, keepdim=keepdim)


@operation("x = [[1, -2], [3, 0.5]]; where(argmax(x, dim=1, keepdim=True) == 0, x, x**2)")
def apply_argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The index of the largest entry; without `dim` that of the flattened tensor."""
    axis = wrapped(dim, input.ndim)
    refuse_empty("argmax", input.shape, axis)
    return argmax(input, dim=axis, keepdim=keepdim)


@operation("x = [[1, -2], [3, 0.5]]; where(argmin(x, dim=1, keepdim=True) == 0, x, x**2)")
def apply_argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The index of the smallest entry; without `dim` that of the flattened tensor."""
    axis = wrapped(dim, input.ndim)
    refuse_empty("argmin", input.shape, axis)
    return argmin(input, dim=axis, keepdim=keepdim)
