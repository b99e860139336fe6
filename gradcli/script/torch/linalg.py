"""The module `torch.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.ops.pairs import ReturnType
from gradcli.script.python.attributes import Namespace
from gradcli.script.torch import operations

# The names of torch.linalg, and what the engine calls them.
NAMES = {
    "norm": "linalg_norm",
    **{name: name for name in ("vector_norm", "matrix_norm", "det", "inv", "solve", "slogdet", "cholesky")},
    **{name: name for name in ("matrix_power", "multi_dot", "cross", "vecdot", "matmul", "diagonal")},
}


def renamed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Several results are of a type of their own: `torch.return_types.linalg_slogdet`."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        result = function(*arguments, **keywords)
        if isinstance(result, ReturnType):
            return ReturnType(f"linalg_{result.name}", **dict(zip(result._fields, result, strict=True)))
        return result

    return call


def find(name: str) -> Any:
    known = operations.function(NAMES[name]) if name in NAMES else None
    return known if known is None else renamed(known)


def namespace(name: str) -> Namespace:
    return Namespace(name, {}, find, known=NAMES)
