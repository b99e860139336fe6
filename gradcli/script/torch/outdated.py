"""Warnings of torch about functions that newer ones replace, and about calls that are going out of use."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from gradcli.engine.modes import warn_once
from gradcli.engine.tensor import Tensor

Function = Callable[..., Any]

RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)
CHAIN = (
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
    "instead, which accepts a list of two or more tensors rather than multiple parameters."
)
QR = """torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.
The boolean parameter 'some' has been replaced with a string parameter 'mode'.
Q, R = torch.qr(A, some)
should be replaced with
Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"""
CHOLESKY = """\
torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.
L = torch.cholesky(A)
should be replaced with
L = torch.linalg.cholesky(A)
and
U = torch.cholesky(A, upper=True)
should be replaced with
U = torch.linalg.cholesky(A).mH
This transform will produce equivalent results for all valid (symmetric positive definite) inputs."""
LU = (
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a "
    "future PyTorch release.\n"
    "LU, pivots = torch.lu(A, compute_pivots)\n"
    "should be replaced with\n"
    "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\n"
    "and\n"
    "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
    "should be replaced with\n"
    "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
)
TRIANGULAR = (
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
    "PyTorch release.\n"
    "torch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
    "X = torch.triangular_solve(B, A).solution\n"
    "should be replaced with\n"
    "X = torch.linalg.solve_triangular(A, B)."
)
MESHGRID = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
CROSS = """Using torch.cross without specifying the dim arg is deprecated.
Please either pass the dim explicitly or simply use torch.linalg.cross.
The default value of dim will change to agree with that of linalg.cross in a future release."""
REDUCE = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)
APART = (
    "torch.searchsorted(): {0} tensor is non-contiguous, this will lower the performance due to extra data copy when "
    "converting non-contiguous tensor to contiguous, please use contiguous {0} tensor if possible. This message will "
    "only appear once per program."
)


def _without_order(*tensors: Any, indexing: Any = None) -> str:
    return MESHGRID if indexing is None else ""


def _without_dim(input: Any, other: Any, dim: Any = None, **_: Any) -> str:
    return CROSS if dim is None else ""


def _combining(input: Any, dim: Any, index: Any, src: Any = None, *, reduce: Any = None, **_: Any) -> str:
    return REDUCE if reduce is not None and isinstance(src, Tensor) else ""


def _apart(boundaries: Any, values: Any, **_: Any) -> str:
    for words, x in (("boundary", boundaries), ("input value", values)):
        if isinstance(x, Tensor) and not x.array.flags.c_contiguous:
            return APART.format(words)
    return ""


def _apart_of(values: Any, boundaries: Any, **_: Any) -> str:
    return _apart(boundaries, values)


# What is said of a call, once in a run.
SAID: dict[str, Function] = {
    "meshgrid": _without_order,
    "cross": _without_dim,
    "scatter": _combining,
    "searchsorted": _apart,
    "bucketize": _apart_of,
}


def warning(name: str, function: Function) -> Function:
    """The function of read arguments, which says once in a run what torch says of a call."""
    words_of = SAID.get(name)
    if words_of is None:
        return function

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        found = function(*arguments, **keywords)
        words = words_of(*arguments, **keywords)
        if words:
            warn_once(words)
        return found

    return call
