"""The module `torch.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.pairs import ReturnType
from gradcli.script.errors import LinAlgError, UnsupportedError
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.operations import facade

SAME = (
    "cholesky cond cross det diagonal eigh eigvalsh lstsq matmul matrix_exp matrix_norm matrix_power matrix_rank "
    "multi_dot pinv qr lu lu_factor slogdet solve solve_triangular svd svdvals tensorinv tensorsolve "
    "vecdot vector_norm"
)
# The names of torch.linalg, and what the engine calls them.
NAMES = {"norm": "linalg_norm", "inv": "inv", **{name: name for name in SAME.split()}}
COMPLEX = ("eig", "eigvals")
WHOLE = frozenset(("cross", "diagonal", "matmul", "matrix_power", "multi_dot", "vander"))  # they take integers


def of_reals(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Integers are refused; several results are of a type of their own: `torch.return_types.linalg_slogdet`."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        first = arguments[0] if arguments else None
        if name not in WHOLE and isinstance(first, Tensor) and first.dtype.kind != "f":
            kind = TYPE_NAMES[first.dtype]
            inner = "vector_norm" if name == "norm" else name
            raise RuntimeError(f"linalg.{inner}: Expected a floating point or complex tensor as input. Got {kind}")
        result = function(*arguments, **keywords)
        if isinstance(result, ReturnType):
            return ReturnType(f"linalg_{result.name}", **dict(zip(result._fields, result, strict=True)))
        return result

    return call


def checked(name: str) -> Callable[..., Any]:
    """`inv_ex` and its kin: the result, and 0 for each matrix, or where it fails which step of it failed."""

    def call(A: Tensor, *arguments: Any, check_errors: bool = False, **keywords: Any) -> ReturnType:
        plain = find(name)
        found = plain(A, *arguments, **keywords)
        part = {"inv": "inverse", "cholesky": "L", "solve": "result"}[name]
        return ReturnType(f"linalg_{name}_ex", **{part: found, "info": Tensor(np.zeros(A.shape[:-2], np.int32)[()])})

    return call


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True) -> Any:
    """The solution X of `A @ X = B`, for the two results of `lu_factor(A)`."""
    from gradcli.ops.linalg.elimination import factored

    if LU.requires_grad or not left:
        raise UnsupportedError(
            "gradients and left=False of lu_solve are not supported here",
            python=RuntimeError,
            help="solve(A, B) has them",
        )
    return find("solve")(factored(LU, pivots), B)


def vander(x: Tensor, *, N: int | None = None) -> Any:
    """The powers of the entries of a vector, a row each, from 0 on."""
    from gradcli.script.torch import deprecated

    return deprecated.vander(x, N, increasing=True)


def find(name: str) -> Any:
    if name == "vander":
        return vander
    if name == "lu_solve":
        return lu_solve
    if name in COMPLEX:
        raise UnsupportedError(
            f"torch.linalg.{name} gives complex numbers, which are not supported",
            help="torch.linalg.eigh has the real eigenvalues of a symmetric matrix",
        )
    if name.endswith("_ex") and name[:-3] in ("inv", "cholesky", "solve"):
        return checked(name[:-3])
    if name not in NAMES:
        return None
    known = facade.function(NAMES[name])
    return known if known is None else of_reals(name, known)


def namespace(name: str) -> Namespace:
    return Namespace(
        name, {"LinAlgError": LinAlgError}, find, known=[*NAMES, "lu_solve", "inv_ex", "cholesky_ex", "solve_ex"]
    )
