"""The counts, indices and distinct values of entries; no gradient flows through them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import primitive
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Index, Literal, Number
from gradcli.ops.shaping.axes import axes, in_rows, wrapped
from gradcli.ops.support.arguments import Dims, Indices, check_size
from gradcli.ops.support.surface import operation

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
    ShapeError.when(
        input.ndim != 1 or input.dtype == np.bool_ or np.any(input.value < 0),
        "bincount only supports 1-d non-negative integral inputs.",
    )
    AutogradError.when(minlength < 0, "minlength should be >= 0")
    check_size((int(np.max(input.value, initial=0)) + 1,))
    check_size((minlength,))
    if weights is None:
        return counts(input, minlength=minlength)
    ShapeError.when(weights.shape != input.shape, "weights should be 1-d and have the same length as input")
    wide = weights.dtype if weights.dtype == np.float32 else np.float64
    return counts(input, with_origin(Tensor(weights.value.astype(wide)), weights), minlength=minlength)


@operation("unique([3, 1, 3])", "unique([3, 1, 3], return_inverse=True, return_counts=True)[1]")
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The distinct entries in order; on request with the index of each entry in them, and their counts."""
    refuse_examples("unique", input)
    values, inverse, numbers = np.unique(input.value, return_inverse=True, return_counts=True)
    results = [values, *([inverse.reshape(input.shape)] * return_inverse), *([numbers] * return_counts)]
    return Tensor(values) if len(results) == 1 else tuple(map(Tensor, results))
