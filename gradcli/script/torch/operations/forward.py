"""Functions that torch has no forward mode of, with its words for that; and others that have none here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.tangents import tangents_of
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError

MISSING = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file "
    "an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can "
    "prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
)
# The names that torch has for them; those without any derivative come after "aten::".
NAMES = {
    "cdist": "_cdist_forward",
    "embedding_bag": "_embedding_bag",
    "floor_divide": "aten::floor_divide",
    "heaviside": "aten::heaviside",
    "histogram": "aten::histogram",
    "igamma": "igamma",
    "igammac": "igammac",
    "nonzero_static": "aten::nonzero_static",
    "unique": "_unique2",
    "unique_consecutive": "unique_consecutive",
    "zeta": "special_zeta",
}


def refuse_forward(name: str, *given: Any) -> None:
    """Raise torch's NotImplementedError where one of the tensors has a tangent."""
    if not tangents_of(*given):
        return
    if name.startswith("aten::"):
        raise NotImplementedError(f"Trying to use forward AD with {name} that does not support it.")
    raise NotImplementedError(MISSING.format(name))


def unpushed(name: str, given: tuple[Any, ...]) -> bool:
    """Tell a call whose tangent would not be torch's: in the words of `UNPUSHED`, or by the tensors themselves."""
    first = next(iter(given), None)
    if name in ("scatter_reduce", "scatter_reduce_"):
        return "prod" in given
    if name == "eigh":  # whose derivatives read whole tangents, of which it reads one triangle
        return any(not np.array_equal(x.value, x.value.swapaxes(-1, -2)) for x in tangents_of(first))
    if name.startswith("max_unpool"):  # of an index that comes twice torch writes the last tangent
        index = given[1].value if len(given) > 1 and isinstance(given[1], Tensor) else np.zeros(0)
        rows = index.reshape(-1, int(np.prod(index.shape[-int(name[-2]) :]))) if index.size else ()
        return any(len(np.unique(row)) < len(row) for row in rows)
    upper = "upper" in given or True in given[1:]
    return isinstance(first, Tensor) and any(
        np.any(np.triu(x.value, 1) if not upper else np.tril(x.value, -1)) for x in tangents_of(first)
    )


UNPUSHED = ("cholesky_inverse", "eigh", "max_unpool1d", "max_unpool2d", "max_unpool3d", "scatter_reduce")


def refusing_forward(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which refuses tensors with tangents where torch does, or where torch's tangents are others."""
    if name not in NAMES and name not in UNPUSHED:
        return function

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        given = (*arguments, *keywords.values())
        if name in NAMES:
            refuse_forward(NAMES[name], *given)
        elif tangents_of(*given) and unpushed(name, given):
            raise UnsupportedError(f"forward mode of {name} with these arguments is not supported here")
        return function(*arguments, **keywords)

    return call
