"""Operations that torch computes in a way of its own for some arguments, in front of the engine's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.saved import TYPE_NAMES
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.arithmetic import quotient
from gradcli.ops.surface import OPERATIONS


def _whole(name: str) -> Callable[..., Any]:
    """Rounding leaves integers as they are."""

    def call(input: Tensor, **options: Any) -> Any:
        rounded = OPERATIONS[name].function
        return rounded(input, **options) if is_floating(input.value) else OPERATIONS["clone"].function(input)

    return call


def _only_real(name: str, kernel: str) -> Callable[..., Any]:
    """What torch has no code for where the numbers are integers."""

    def call(input: Tensor, *arguments: Any, **options: Any) -> Any:
        if not arguments and options.get("dim") is None:  # torch.nn.functional guesses, and says so
            raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
        if not is_floating(input.value) and options.get("dtype") is None:
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{TYPE_NAMES[input.dtype]}'")
        return OPERATIONS[name].function(input, *arguments, **options)

    return call


def _spread(name: str) -> Callable[..., Any]:
    def call(input: Tensor, *arguments: Any, **options: Any) -> Any:
        if not is_floating(input.value):
            raise RuntimeError("std and var only support floating point and complex dtypes")
        return OPERATIONS[name].function(input, *arguments, **options)

    return call


def _scaled(name: str) -> Callable[..., Any]:
    """A sum of integers takes no fraction of one of them."""

    def call(input: Any, other: Any, *, alpha: Any = 1) -> Any:
        whole = all(x.dtype.kind != "f" if isinstance(x, Tensor) else not isinstance(x, float) for x in (input, other))
        if isinstance(alpha, float) and whole:
            raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
        return OPERATIONS[name].function(input, other, alpha=alpha)

    return call


def _runtime(name: str) -> Callable[..., Any]:
    """Torch refuses the indices of these with a RuntimeError, where indexing raises an IndexError."""

    def call(input: Tensor, *arguments: Any, **options: Any) -> Any:
        indices = [x for x in arguments if isinstance(x, Tensor)][:1]
        if indices and is_floating(indices[0].value):
            raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
        try:
            return OPERATIONS[name].function(input, *arguments, **options)
        except AutogradError as error:
            if "out of bounds" in error.message:
                raise RuntimeError(error.message) from None
            raise

    return call


LOWERED: dict[str, Callable[..., Any]] = {
    **{name: _whole(name) for name in ("floor", "ceil", "round", "trunc", "fix")},
    "softmax": _only_real("softmax", "softmax_lastdim_kernel_impl"),
    "log_softmax": _only_real("log_softmax", "log_softmax_lastdim_kernel_impl"),
    "std": _spread("std"),
    "var": _spread("var"),
    "floor_divide": quotient,
    **{name: _scaled(name) for name in ("add", "sub", "subtract")},
    **{name: _runtime(name) for name in ("gather", "scatter", "scatter_add")},
}
