"""Predicates of entries and of whole tensors, and operations on bits; no gradient flows through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.promotion import result_type
from gradcli.engine.checks.shapes import check_together
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.modes import mode, refuse_examples
from gradcli.engine.primitive import Primitive, primitive, structured
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.pointwise.comparisons import different
from gradcli.ops.shaping.shaping import axes, dims_from_front, in_rows
from gradcli.ops.support.arguments import Dims, Real
from gradcli.ops.support.surface import operation, register


def question(name: str, forward: Callable[..., Any], doc: str, example: str, method: bool = True) -> Primitive:
    """Declare a predicate of each entry, as a primitive and as an operation."""
    declared = primitive(name, forward)

    def function(input: Tensor) -> Any:
        return declared(input)

    function.__doc__ = doc
    register(name, function, [example], method=method)
    return declared


nan = question("isnan", np.isnan, "Whether an entry is nan.", "x = [1, 2]; where(isnan(x), 0, x**2)")
infinite = question("isinf", np.isinf, "Whether an entry is infinite.", "x = [1, 2]; where(isinf(x), 0, x**2)")
finite = question("isfinite", np.isfinite, "Whether an entry is a number.", "x = [1, 2]; where(isfinite(x), x**2, 0)")
close = primitive(
    "isclose", lambda x, y, *, rtol=1e-05, atol=1e-08, equal_nan=False: np.isclose(x, y, rtol, atol, equal_nan)
)


def _over(function: Any) -> Callable[..., Any]:
    return lambda x, *, dim=None, keepdim=False: function(x, axis=axes(dim, np.ndim(x)), keepdims=keepdim)


all_true = structured("all", in_rows(_over(np.all)), stacked=("dim",))
any_true = structured("any", in_rows(_over(np.any)), stacked=("dim",))


@operation("x = [1, 2]; where(isclose(x, [1, 3]), x**2, x)", integers_stay=True)
def isclose(input: Real, other: Real, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether entries agree within `atol + rtol*abs(other)`."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        AutogradError.when(value < 0, f"{name} must be greater than or equal to zero, but got {value:g}")
    return close(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


@operation("allclose([1, 2], [1, 2.000000001])", integers_stay=True)
def allclose(input: Real, other: Real, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all entries agree within `atol + rtol*abs(other)`; a plain True or False."""
    refuse_examples("allclose", input, other)
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan).value))


@operation("equal([1, 2], [1, 3])")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have one shape and the same entries; a plain True or False."""
    refuse_examples("equal", input, other)
    return bool(np.array_equal(input.value, other.value))


@operation(
    "x = [[1, 2], [3, 4]]; where(all(x > 0), x**2, x)", "x = [[1, 2], [3, 4]]; where(all(x > 2.5, dim=0), x**2, x)"
)
def apply_all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Any:
    """Whether no entry is False or 0, of all or over dimensions."""
    return different(input, 0) if dim == () else all_true(input, dim=dims_from_front(dim, input.ndim), keepdim=keepdim)


@operation(
    "x = [[1, 2], [3, 4]]; where(any(x > 3.5), x**2, x)", "x = [[1, 2], [3, 4]]; where(any(x > 3.5, dim=1), x**2, x)"
)
def apply_any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Any:
    """Whether one entry is neither False nor 0, of all or over dimensions."""
    return different(input, 0) if dim == () else any_true(input, dim=dims_from_front(dim, input.ndim), keepdim=keepdim)


def _check_bits(kernel: str, *operands: Any) -> None:
    values = [
        x.value if isinstance(x, Tensor) else np.asarray(x, mode.default_dtype if type(x) is float else None)
        for x in operands
    ]
    dtype = result_type(values)
    if dtype.kind == "f":
        kind = TYPE_NAMES[dtype]
        raise AutogradError(f"\"{kernel}_cpu\" not implemented for '{kind}'", help="bits are those of whole numbers")
    check_together(*values)


def of_bits(name: str, forward: Callable[..., Any], doc: str, *examples: str) -> None:
    """Declare an operation on the bits of two whole numbers, as a primitive and as an operation."""
    declared = primitive(name, forward)

    def function(input: Tensor, other: int | Tensor) -> Any:
        _check_bits(name, input, other)
        return declared(input, other)

    function.__doc__ = doc
    register(name, function, examples)


of_bits(
    "bitwise_and",
    np.bitwise_and,
    "The bits that both have; of booleans, whether both hold.",
    "x = [1, 2]; where(bitwise_and(x > 0, x < 1.5), x**2, x)",
    "bitwise_and([5, 6], 3)",
)
of_bits(
    "bitwise_or",
    np.bitwise_or,
    "The bits that one has; of booleans, whether one holds.",
    "x = [1, 2]; where(bitwise_or(x > 5, x < 1.5), x**2, x)",
)
of_bits(
    "bitwise_xor",
    np.bitwise_xor,
    "The bits that exactly one has; of booleans, whether exactly one holds.",
    "x = [1, 2]; where(bitwise_xor(x > 0, x < 1.5), x**2, x)",
)
of_bits(
    "bitwise_left_shift",
    np.left_shift,
    "The bits moved up: times a power of 2.",
    "bitwise_left_shift([1, 2], 3)",
)
of_bits(
    "bitwise_right_shift",
    np.right_shift,
    "The bits moved down: divided by a power of 2, rounded down.",
    "bitwise_right_shift([16, 7], 2)",
)
bit_not = primitive("bitwise_not", np.invert)


@operation("x = [1, 2]; where(bitwise_not(x < 1.5), x**2, x)")
def bitwise_not(input: Tensor) -> Any:
    """Every bit inverted; of booleans, the logical not."""
    _check_bits("bitwise_not", input)
    return bit_not(input)
