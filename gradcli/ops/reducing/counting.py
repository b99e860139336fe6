"""The counts, indices and distinct values of entries; no gradient flows through them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import primitive
from gradcli.engine.tensor import Tensor
from gradcli.language.tree import Argument, Call, Index, Literal, Number
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


@operation("nonzero([[1, 0], [0, 2]])", "nonzero([[1, 0], [0, 2]], as_tuple=True)[1]")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the entries that are not 0, one row each; or one tensor for each dimension."""
    refuse_examples("nonzero", input)
    if as_tuple:
        return tuple(places_along(input, dim=dim) for dim in range(max(input.ndim, 1)))
    return places(input)


@operation("unique([3, 1, 3])", "unique([3, 1, 3], return_inverse=True, return_counts=True)[1]")
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The distinct entries in order; on request with the index of each entry in them, and their counts."""
    refuse_examples("unique", input)
    values, inverse, numbers = np.unique(input.value, return_inverse=True, return_counts=True)
    results = [values, *([inverse.reshape(input.shape)] * return_inverse), *([numbers] * return_counts)]
    return Tensor(values) if len(results) == 1 else tuple(map(Tensor, results))
