"""Operations that torch computes in a way of its own for some arguments, in front of the engine's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.broadcast import to_copy
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.pointwise.arithmetic import quotient
from gradcli.ops.support.calling import ops


def _rounded(name: str, input: Tensor, *, decimals: int = 0) -> Any:
    """Rounding leaves integers as they are."""
    options = {"decimals": decimals} if decimals else {}
    return getattr(ops, name)(input, **options) if is_floating(input.value) else ops.clone(input)


def _along(name: str, input: Tensor, dim: int | None = None, **options: Any) -> Any:
    """A softmax without `dim` is refused: torch.nn.functional guesses, and says so."""
    if dim is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
    if not is_floating(input.value) and options.get("dtype") is None:
        kernel = f"{name}_lastdim_kernel_impl" if dim in (-1, max(input.ndim, 1) - 1) else f"{name}_kernel_impl"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{TYPE_NAMES[input.dtype]}'")
    return getattr(ops, name)(input, dim, **options)


@contextmanager
def out_of_bounds() -> Iterator[None]:
    """Raise RuntimeError for an index out of bounds, where indexing raises an IndexError."""
    try:
        yield
    except AutogradError as error:
        if "out of bounds" in error.message:
            raise RuntimeError(error.message) from None
        raise


def _indexed(name: str, input: Tensor, *arguments: Any, **options: Any) -> Any:
    if any(isinstance(x, Tensor) and is_floating(x.value) and x.value.size for x in arguments[1:2]):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    with out_of_bounds():
        return getattr(ops, name)(input, *arguments, **options)


def _where(condition: Tensor, *given: Any, **named: Any) -> Any:
    """Refuse one of the two tensors without the other."""
    if len(given) + len(named) == 1:
        raise TypeError("where() takes a condition alone, or with both of the values to choose from")
    return ops.where(condition, *given, **named)


def _sum(name: str, input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """A sum of booleans is one; a multiple of whole numbers is whole."""
    kinds = {x.dtype.kind if isinstance(x, Tensor) else np.asarray(x).dtype.kind for x in (input, other)}
    if isinstance(alpha, float) and "f" not in kinds:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    found = getattr(ops, name)(input, other, alpha=alpha)
    return to_copy(found, dtype=np.dtype(np.bool_)) if kinds == {"b"} and isinstance(found, Tensor) else found


def _close(name: str, input: Tensor, other: Tensor, *arguments: Any, **options: Any) -> Any:
    if input.dtype != other.dtype:
        raise RuntimeError(f"{TYPE_NAMES[input.dtype]} did not match {TYPE_NAMES[other.dtype]}")
    return getattr(ops, name)(input, other, *arguments, **options)


def _mean(input: Tensor, *arguments: Any, **options: Any) -> Any:
    dtype = options.get("dtype")
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise RuntimeError(f"mean(): a mean has a floating point dtype. Got: {TYPE_NAMES[np.dtype(dtype)]}")
    return ops.mean(input, *arguments, **options)


def _copied(name: str, input: Tensor, *, memory_format: Any = None) -> Any:
    """`x.clone(memory_format=torch.preserve_format)`, as optimizers of one's own are often written."""
    return getattr(ops, name)(input)


def _each(function: Callable[..., Any], *names: str) -> dict[str, Callable[..., Any]]:
    return {name: partial(function, name) for name in names}


LOWERED: dict[str, Callable[..., Any]] = {
    **_each(_rounded, "floor", "ceil", "round", "trunc", "fix"),
    **_each(_along, "softmax", "log_softmax"),
    **_each(_indexed, "gather", "scatter", "scatter_add", "index_add"),
    **_each(_sum, "add", "sub", "subtract"),
    **_each(_close, "allclose", "isclose"),
    **_each(_copied, "clone", "contiguous"),
    "floor_divide": quotient,
    "mean": _mean,
    "where": _where,
}
