"""The module `torch.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.ops.support.return_types import ReturnType
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import LinAlgError, UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.operations import facade
from gradcli.script.torch.operations.outputs import with_out

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


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Any:
    """The vector products along a dimension: the last one, where `torch.cross` takes the first of size 3."""
    return facade.function("cross", "linalg")(input, other, dim)  # type: ignore[misc]


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonals of matrices, where `torch.diagonal` takes the first two dimensions."""
    return facade.function("diagonal", "linalg")(A, offset, dim1, dim2)  # type: ignore[misc]


def vander(x: Tensor, *, N: int | None = None) -> Any:
    """The powers of the entries of a vector, a row each, from 0 on."""
    x = x if x.ndim else ops.unsqueeze(x, 0)
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    running.machine.budget.fits(count * x.value.size, "the tensor")
    rows = ops.expand(ops.unsqueeze(x, -1), (*x.shape, count - 1))
    powers = ops.cumprod(rows, rows.ndim - 1)
    return ops.cat([Tensor(np.ones((*x.shape, 1), powers.dtype)), powers], powers.ndim - 1)


MEMBERS: dict[str, Callable[..., Any]] = {
    "vander": vander,
    "diagonal": diagonal,
    "cross": with_out("cross", cross),
}


def find(name: str) -> Any:
    if name in COMPLEX:
        raise UnsupportedError(
            f"torch.linalg.{name} gives complex numbers, which are not supported",
            help="torch.linalg.eigh has the real eigenvalues of a symmetric matrix",
        )
    if name in MEMBERS:
        return MEMBERS[name]
    known = facade.function(name, "linalg")
    return known and of_reals(name, known)


LINALG_ERROR = BuiltinType("_LinAlgError", LinAlgError, LinAlgError, module="torch._C")


def namespace(name: str) -> Namespace:
    known = [*OPERATIONS, "norm", *MEMBERS]
    return Namespace(name, {"LinAlgError": TYPES.setdefault(LinAlgError, LINALG_ERROR)}, find, known=known)
