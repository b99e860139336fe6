"""Entries combined by index along one dimension: their sum, product, mean, largest or smallest."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call
from gradcli.ops.formulas import scattering as entries
from gradcli.ops.indexing.factors import factor_rule, own_rule
from gradcli.ops.indexing.gathering import gather, gather_backward, gathered
from gradcli.ops.indexing.indexing import flat_positions
from gradcli.ops.indexing.places import vector_of
from gradcli.ops.indexing.sources import placing, scattering
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.selection import where
from gradcli.ops.support.arguments import Indices
from gradcli.ops.support.surface import operation

COMBINED: dict[str, Any] = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}
NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}


def _counts(index: Any, shape: tuple[int, ...], dim: int, include_self: bool) -> Any:
    """Count the entries that are combined at each position; 1 where there is none."""
    places = gathered(flat_positions(shape), index, dim=dim)
    found = np.bincount(places.ravel(), minlength=int(np.prod(shape))).reshape(shape)
    return np.maximum(found + include_self, 1)


def _combined(x: Any, index: Any, src: Any, *, dim: int, how: str, include_self: bool = True) -> Any:
    out = np.array(x, order="C")
    places = gathered(flat_positions(x.shape), index, dim=dim).ravel()
    if not include_self:
        neutral = NEUTRAL[how]
        if x.dtype.kind == "b":
            neutral = how in ("amin", "prod")
        elif x.dtype.kind in "iu" and how in ("amax", "amin"):
            neutral = np.iinfo(x.dtype).min if how == "amax" else np.iinfo(x.dtype).max
        out.reshape(-1)[places] = neutral
    COMBINED[how].at(out.reshape(-1), places, src.ravel())
    if how == "mean":
        counts = _counts(index, x.shape, dim, include_self)
        out = (out // counts if x.dtype.kind in "iu" else out / counts).astype(x.dtype)
    return out


def _reached(g: Any, index: Any, dim: int) -> Any:
    """Return a mask of the positions that the index names."""
    return gather_backward(np.ones(index.shape, g.dtype), index, shape=g.shape, dim=dim) > 0


def _product(index: Any, dim: int, include_self: bool) -> Any:
    return lambda x, src: scatter_reduce(x, index, src, dim=dim, how="prod", include_self=include_self)


def _own_rule(g: Any, out: Any, x: Any, index: Any, src: Any, *, dim: int, how: str, include_self: bool = True) -> Any:
    if how == "prod":
        found = own_rule(g, x, src, _product(index, dim, include_self))
    elif how in ("amax", "amin"):
        found = g / _tied(x, index, src, out, dim) * equal(x, out)  # a zero with the sign of the share, as in torch
    else:
        found = g / _divisors(g, index, dim, include_self) if how == "mean" else g
    return found if include_self else where(_reached(g, _value(index), dim), 0, found)


def _source_rule(
    g: Any, out: Any, x: Any, index: Any, src: Any, *, dim: int, how: str, include_self: bool = True, name: str = "src"
) -> Any:
    if how == "prod":
        return factor_rule(g, out, x, index, src, dim, _product(index, dim, include_self), name)
    if how in ("amax", "amin"):
        share = gather(g / _tied(x, index, src, out, dim), index, dim=dim)
        return share * equal(src, gather(out, index, dim=dim))
    found = gather(g, index, dim=dim)
    return found / gathered(_divisors(g, index, dim, include_self), _value(index), dim=dim) if how == "mean" else found


def _value(x: Any) -> Any:
    return getattr(x, "value", x)


def _divisors(g: Any, index: Any, dim: int, include_self: bool) -> Any:
    value = _value(g)
    return _counts(_value(index), g.shape, dim, include_self).astype(value.dtype)


def _tied(x: Any, index: Any, src: Any, out: Any, dim: int) -> Any:
    """Count the entries that tie for each maximum or minimum: none for a nan, which is equal to no entry."""
    values, places, sources, found = map(_value, (x, index, src, out))
    hits = sources == gathered(found, places, dim=dim)
    number = np.bincount(
        gathered(flat_positions(values.shape), places, dim=dim).ravel(), hits.ravel(), values.size
    ).reshape(values.shape)
    return (number + (values == found)).astype(values.dtype)


def _write_reduce(operands: Any, options: dict[str, Any]) -> Any:
    x, index, src = (operand.tree for operand in operands)
    others = [] if options.get("include_self", True) else [Argument(literal(False), "include_self")]
    return Call(
        "scatter_reduce",
        (*map(Argument, (x, literal(options["dim"]), index, src, literal(options["how"]))), *others),
    )


DECLARED: dict[str, Any] = {
    "structured": True,
    "notation": _write_reduce,
    "says": "Each entry that was combined gets its part: all of a sum, a share of a mean, the winner of a maximum.",
    "index": entries.combined,
}
scatter_reduce = primitive(
    "scatter_reduce",
    _combined,
    _own_rule,
    None,
    _source_rule,
    **DECLARED,
)
slices_reduce = primitive(
    "slices_reduce",
    _combined,
    _own_rule,
    None,
    lambda g, out, x, index, src, **o: _source_rule(g, out, x, index, src, name="source", **o),
    node="IndexReduceBackward0",
    **DECLARED,
)


@operation(
    "x = [1, 2, 3]; y = [4, 5, 7]; scatter_reduce(x, 0, [0, 0, 1], y, 'sum')",
    "x = [1, 2, 3]; y = [4, 5, 7]; scatter_reduce(x, 0, [0, 0, 1], y, 'mean', include_self=False)",
    "x = [1, 2, 3]; y = [4, 5, 7]; scatter_reduce(x, 0, [0, 0, 1], y, 'prod')",
    "x = [1, 2, 3]; y = [4, 5, 7]; scatter_reduce(x, 0, [0, 0, 1], y, 'amax')",
)
def scatter_reduce_(
    input: Tensor, dim: int, index: Indices, src: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Entries of `src` combined with the input at the indices: their sum, product, mean, largest or smallest."""
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduce not in COMBINED:
        raise AutogradError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    axis, places = dimension(dim, input.ndim), placing(input, index)
    found = scattering(input, axis, places, src)
    if src.dtype != input.dtype:
        raise AutogradError("scatter(): Expected self.dtype to be equal to src.dtype")
    options = {"dim": axis, "how": reduce, **({} if include_self else {"include_self": False})}
    return scatter_reduce(input, places, found, **options)


@operation(
    "x = [[1, 2], [3, 4]]; y = [[5, 6], [7, 8]]; index_reduce(x, 0, [1, 1], y, 'prod')",
    "x = [[1, 2], [3, 4]]; y = [[5, 6], [7, 8]]; index_reduce(x, 0, [0, 1], y, 'mean', include_self=False)",
    "x = [[1, 2], [3, 4]]; y = [[5, 1], [7, 8]]; index_reduce(x, 1, [1, 1], y, 'amax')",
)
def index_reduce(
    input: Tensor, dim: int, index: Indices, source: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Slices of `source` combined with those of the input at the indices: their product, mean, largest or smallest."""
    if reduce == "sum" or reduce not in COMBINED:
        raise AutogradError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    axis = dimension(dim, input.ndim)
    vector = vector_of("index_reduce", input, axis, index)
    expected = (*input.shape[:axis], vector.value.size, *input.shape[axis + 1 :]) if input.ndim else ()
    if source.shape != expected:
        words = "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
        raise AutogradError(f"{words}{list(input.shape)} source.shape = {list(source.shape)}", code="E301")
    along = [-1 if at == axis else 1 for at in range(input.ndim)]
    spread = Tensor(np.broadcast_to(vector.value.reshape(along), expected)[()])
    options = {"dim": axis, "how": reduce, **({} if include_self else {"include_self": False})}
    return slices_reduce(input, spread, source, **options)
