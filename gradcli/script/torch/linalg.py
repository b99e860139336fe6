"""The module `torch.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.arguments import ReturnType
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import LinAlgError, UnsupportedError
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.operations import facade

COMPLEX = ("eig", "eigvals")


def of_reals(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse integers where real numbers are read; several results are a `torch.return_types.linalg_slogdet`."""
    operation = OPERATIONS.get(f"linalg.{name}") or OPERATIONS[name]
    reads_reals = next(iter(operation.parameters.values())).annotation == "Real" and not operation.kernel

    def call(*arguments: Any, **keywords: Any) -> Any:
        first = arguments[0] if arguments else None
        if reads_reals and isinstance(first, Tensor) and first.dtype.kind != "f":
            inner = "vector_norm" if name == "norm" else name
            kind = TYPE_NAMES[first.dtype]
            raise RuntimeError(f"linalg.{inner}: Expected a floating point or complex tensor as input. Got {kind}")
        result = function(*arguments, **keywords)
        if isinstance(result, ReturnType):
            return ReturnType(f"linalg_{result.name}", **dict(zip(result._fields, result, strict=True)))
        return result

    call.__name__ = call.__qualname__ = f"linalg_{name}"
    return call


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonals of matrices, where `torch.diagonal` takes the first two dimensions."""
    return facade.function("diagonal", "linalg")(A, offset, dim1, dim2)  # type: ignore[misc]


MEMBERS: dict[str, Callable[..., Any]] = {
    "diagonal": diagonal,
}


def find(name: str) -> Any:
    if name in COMPLEX:
        raise UnsupportedError(
            f"torch.linalg.{name} gives complex numbers, which are not supported",
            help="torch.linalg.eigh has the real eigenvalues of a symmetric matrix",
        )
    if name in MEMBERS:
        return MEMBERS[name]
    operation = facade.function(name, "linalg")
    return operation and of_reals(name, operation)


LINALG_ERROR = BuiltinType("_LinAlgError", LinAlgError, LinAlgError, module="torch._C")


def namespace(name: str) -> Namespace:
    names = [*OPERATIONS, "norm", *MEMBERS]
    return Namespace(name, {"LinAlgError": TYPES.setdefault(LinAlgError, LINALG_ERROR)}, find, known=names)
