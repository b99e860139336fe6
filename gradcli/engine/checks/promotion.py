"""The dtype of a result: torch's promotion where numpy's differs.

torch asks for the highest category (bool, integer, float) first: the dimensioned tensors decide the dtype, unless a
tensor without dimensions is of a higher category. Python numbers count only by category, as in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcastable, check_broadcast, mismatch
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError

INVERT = "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."


def refusal(primitive: Primitive, values: Sequence[Any], error: Exception) -> Exception:
    """Return the error to raise for a primitive that failed: the same one, unless the values explain it."""
    if primitive.name == "neg" and values[0].dtype == np.bool_:
        return AutogradError(f"Negation, the `-` operator, on a bool tensor is not supported. {INVERT}")
    if "difference" in primitive.traits:
        check_difference(values)
    if primitive.name.startswith("pow") and isinstance(error, ValueError) and "negative integer powers" in str(error):
        return AutogradError(
            "Integers to negative integer powers are not allowed.", help="give the base or the exponent as a float"
        )
    if isinstance(error, ValueError) and not primitive.structured and not broadcastable(values):
        return mismatch(values)
    return error


def check_difference(values: Sequence[Any]) -> None:
    """Refuse to subtract booleans, where numpy would take them for numbers."""
    booleans = [isinstance(value, bool) or getattr(value, "dtype", None) == np.bool_ for value in values]
    if not any(booleans):
        return
    how = "with two bool tensors" if all(booleans) else "with a bool tensor"
    advice = "Use the `^` or `logical_xor()` operator instead." if all(booleans) else INVERT
    raise AutogradError(f"Subtraction, the `-` operator, {how} is not supported. {advice}")


def check_constant(function: str, argument: str, value: Tensor) -> None:
    """Refuse a tensor that requires a gradient where torch gives that argument none."""
    AutogradError.when(
        value.requires_grad and mode.grad_enabled,
        f"The function '{function}' is not differentiable with respect to argument '{argument}'. This input cannot "
        "have requires_grad True.",
        help=f"write the numbers of {argument} in the call, or detach it",
    )


CATEGORIES = {"b": 0, "u": 1, "i": 1, "f": 2}
BOOL, BYTE, HALF = np.dtype(np.bool_), np.dtype(np.int8), np.dtype(np.float16)
NUMBERS = frozenset({float, int, bool})
OTHERWISE = {np.dtype(np.uint64): np.dtype(np.int64)}  # numpy's dtype of sums of bytes, and torch's


NUMERIC = (np.ndarray, np.generic, int, float, complex)


def operand_values(primitive: Primitive, values: list[Any]) -> list[Any]:
    """Return what a primitive that combines entries computes with: operands in torch's dtype that fit together."""
    first, last = values[0], values[-1]
    are_arrays = type(first) is np.ndarray and type(last) is np.ndarray
    is_alike = type(last) in NUMBERS or getattr(first, "dtype", None) is getattr(last, "dtype", 0)
    if primitive.promotes and not (is_alike and len(values) == 2):
        values = promote_operands(primitive, values)
    if not primitive.structured and (len(values) > 2 or (are_arrays and first.shape != last.shape)):
        check_broadcast(values)
    return values


def promote_operands(primitive: Primitive, values: list[Any]) -> list[Any]:
    """Cast the operands of a primitive to the dtype that torch computes in; booleans stay, for they may be masks."""
    if not all(isinstance(value, NUMERIC) for value in values):
        raise TypeError("neither tensors nor numbers")
    if "difference" in primitive.traits:
        check_difference(values)
    arrays = [value for value in values if isinstance(value, np.ndarray | np.generic)]
    dtypes = {value.dtype for value in arrays} - {BOOL}
    if len(dtypes) < 2:
        return values
    dtype = result_type(arrays)
    return [
        value.astype(dtype)
        if isinstance(value, np.ndarray | np.generic) and value.dtype != BOOL and value.dtype != dtype
        else value
        for value in values
    ]


def result_type(arrays: Sequence[Any]) -> np.dtype[Any]:
    """Return the dtype that torch gives to a result of these arrays."""
    dimensioned = [value.dtype for value in arrays if value.ndim]
    single = [value.dtype for value in arrays if not value.ndim]
    if not dimensioned or not single:
        return widest(dimensioned or single)
    first, second = widest(dimensioned), widest(single)
    return second if CATEGORIES[second.kind] > CATEGORIES[first.kind] else first


def widest(dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
    """Promote as numpy does, but integers never widen a float."""
    top = max(CATEGORIES[dtype.kind] for dtype in dtypes)
    return np.result_type(*(dtype for dtype in dtypes if CATEGORIES[dtype.kind] == top))


def settle_dtype(primitive: Primitive, value: Any, values: Sequence[Any], options: dict[str, Any]) -> Any:
    """Return a result in torch's dtype, where numpy made another of integers or booleans.

    Without a floating point tensor among the values, floats are of the default dtype; numpy makes small floats of small
    integers, and bytes of booleans.
    """
    if "difference" in primitive.traits:
        check_difference(values)
    kind = value.dtype.kind
    if kind == "b" or "dtype" in options:
        return value
    dtypes = {x.dtype for x in values if isinstance(x, np.ndarray | np.generic)}
    if kind == "f":
        floats = [dtype for dtype in dtypes if dtype.kind == "f"]
        dtype = widest(floats) if floats else mode.default_dtype
        if value.dtype == dtype or (floats and value.dtype.itemsize < dtype.itemsize):
            return value
        if value.dtype == HALF:
            return primitive.forward(*_cast(values, dtype), **options)
        return value.astype(dtype)
    if value.dtype == BYTE and BOOL in dtypes and BYTE not in dtypes:
        return primitive.forward(*_cast(values, np.dtype(np.int64)), **options)
    return value.astype(OTHERWISE[value.dtype]) if value.dtype in OTHERWISE else value


def wrap_integers(values: Sequence[Any]) -> list[Any]:
    """Return the values; Python integers too large for the dtype of the arrays are wrapped to its bits, as in C."""
    dtype = next((x.dtype for x in values if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "iu"), None)
    if dtype is None or not any(type(x) is int for x in values):
        raise overflow(dtype or np.dtype(np.int64))
    return [_cut(x, dtype) if type(x) is int else x for x in values]


def overflow(dtype: np.dtype[Any]) -> AutogradError:
    kind = "int" if dtype == np.int32 else f"{dtype.name}_t"
    return AutogradError(f"value cannot be converted to type {kind} without overflow")


def wrap_integer(number: int, dtype: np.dtype[Any]) -> Any:
    """Return a number in an integer dtype; an unsigned dtype takes negative numbers too, and wraps them."""
    most = int(np.iinfo(dtype).max)
    if not (-most if dtype.kind == "u" else -most - 1) <= number <= most:
        raise overflow(dtype)
    return _cut(number, dtype)


def _cut(number: int, dtype: np.dtype[Any]) -> Any:
    return np.array(number % 2**64, np.uint64).astype(dtype)[()]


def _cast(values: Sequence[Any], dtype: np.dtype[Any]) -> list[Any]:
    return [x.astype(dtype) if isinstance(x, np.ndarray | np.generic) else x for x in values]
