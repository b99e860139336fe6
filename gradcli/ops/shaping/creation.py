"""Constants: tensors made from sizes and numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.shaping.shaping import flat
from gradcli.ops.support.arguments import Dtype, Operand, Shape, check_size
from gradcli.ops.support.surface import operation


def _filled(name: str, sizes: Shape, value: Any, dtype: Dtype | None = None) -> Tensor:
    AutogradError.when(any(size < 0 for size in sizes), f"{name}: Dimension size must be non-negative.")
    check_size(sizes)
    return Tensor(np.full(sizes, value, dtype)[()])


def _default(value: float) -> Any:
    return mode.default_dtype.type(value)


def _plain(value: Operand) -> Any:
    """Return a Python number; an int makes a tensor of integers, as in torch."""
    return value.item() if isinstance(value, Tensor) else value


@operation("x = [1, 2]; x + zeros(2)", method=False)
def zeros(*size: Shape, dtype: Dtype | None = None) -> Tensor:
    """A constant tensor of zeros."""
    return _filled("zeros", flat(size), _default(0), dtype)


@operation("x = [1, 2]; x + ones(3, 2)", method=False)
def ones(*size: Shape, dtype: Dtype | None = None) -> Tensor:
    """A constant tensor of ones."""
    return _filled("ones", flat(size), _default(1), dtype)


@operation("x = [1, 2]; x*full((2,), 0.5)", method=False)
def full(size: Shape, fill_value: Operand, *, dtype: Dtype | None = None) -> Tensor:
    """A constant tensor of one number."""
    value = _plain(fill_value)
    return _filled("full", flat((size,)), _default(value) if isinstance(value, float) else value, dtype)


@operation("A = [[1, 2], [3, 4]]; A @ eye(2)", "A = [[1, 2], [3, 4]]; A @ eye(2, 3)", method=False)
def eye(n: int, m: int | None = None, *, dtype: Dtype | None = None) -> Tensor:
    """The identity matrix."""
    for name, size in (("n", n), ("m", n if m is None else m)):
        AutogradError.when(size < 0, f"{name} must be greater or equal to 0, got {size}")
    check_size((n, n if m is None else m))
    return Tensor(np.eye(n, m, dtype=dtype or mode.default_dtype))


@operation("x = [1, 2, 3]; x*arange(3)", "x = [1, 2]; x*arange(1, 2, step=0.5)", method=False)
def arange(start: Operand, end: Operand = None, step: Operand = 1, *, dtype: Dtype | None = None) -> Tensor:
    """Equally spaced numbers from `start` (0) up to and without `end`."""
    first, last, by = (0, _plain(start), _plain(step)) if end is None else map(_plain, (start, end, step))
    AutogradError.when(not by or by != by, "step must be nonzero")
    AutogradError.when(not math.isfinite(first) or not math.isfinite(last), f"unsupported range: {first} -> {last}")
    AutogradError.when((last - first) / by < 0, "upper bound and lower bound inconsistent with step sign")
    check_size((math.ceil((last - first) / by),))
    is_whole = all(isinstance(value, int) for value in (first, last, by))
    places = first + np.arange(math.ceil((last - first) / by)) * by
    return Tensor(places.astype(dtype or (np.int64 if is_whole else mode.default_dtype)))


@operation("x = [1, 2, 3]; x*linspace(0, 1, 3)", method=False)
def linspace(start: float, end: float, steps: int, *, dtype: Dtype | None = None) -> Tensor:
    """`steps` equally spaced numbers from `start` to `end`."""
    AutogradError.when(steps < 0, "number of steps must be non-negative")
    check_size((steps,))
    return Tensor(np.linspace(start, end, steps, dtype=dtype or mode.default_dtype))


@operation("x = [1, 2]; x + zeros_like(x)")
def zeros_like(input: Tensor, *, dtype: Dtype | None = None) -> Tensor:
    """Zeros in the shape of the input."""
    return Tensor(np.zeros_like(input.value, dtype)[()])


@operation("x = [1, 2]; x + ones_like(x)")
def ones_like(input: Tensor, *, dtype: Dtype | None = None) -> Tensor:
    """Ones in the shape of the input."""
    return Tensor(np.ones_like(input.value, dtype)[()])


@operation("x = [1, 2]; x*full_like(x, 3)")
def full_like(input: Tensor, fill_value: float, *, dtype: Dtype | None = None) -> Tensor:
    """One number in the shape of the input."""
    return Tensor(np.full_like(input.value, fill_value, dtype)[()])


@operation("x = [1, 2]; x + 0*empty(2)", method=False)
def empty(*size: Shape, dtype: Dtype | None = None) -> Tensor:
    """A constant tensor of any numbers: here of zeros."""
    return _filled("empty", flat(size), _default(0), dtype)


@operation("x = [1, 2]; x + 0*empty_like(x)")
def empty_like(input: Tensor, *, dtype: Dtype | None = None) -> Tensor:
    """Any numbers in the shape of the input: here zeros."""
    return zeros_like(input, dtype=dtype)


@operation("x = [1, 2, 3]; x*logspace(0, 2, 3)", method=False)
def logspace(start: float, end: float, steps: int, base: float = 10.0, *, dtype: Dtype | None = None) -> Tensor:
    """The powers of a base with `steps` equally spaced exponents from `start` to `end`."""
    AutogradError.when(steps < 0, "number of steps must be non-negative")
    check_size((steps,))
    return Tensor(np.logspace(start, end, steps, base=base, dtype=dtype or mode.default_dtype))
