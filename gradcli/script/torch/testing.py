"""`torch.testing.assert_close`: two results side by side, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.text.formatting import text
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, Size

TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}  # relative and absolute


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_dtype: bool = True,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless two tensors, arrays or numbers are the same up to a tolerance."""
    message = difference(as_tensor(actual), as_tensor(expected), (rtol, atol), equal_nan, check_dtype)
    if message:
        raise AssertionError(message if msg is None else msg(message) if callable(msg) else msg)


def as_tensor(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, int | float | np.ndarray):
        return Tensor(np.asarray(value))
    raise UnsupportedError(
        "assert_close of anything but tensors, arrays and numbers is not supported here",
        python=TypeError,
        help="compare the tensors in it one by one",
    )


def difference(
    actual: Tensor,
    expected: Tensor,
    tolerances: tuple[float | None, float | None],
    equal_nan: bool,
    check_dtype: bool,
) -> str:
    """Return what is different, in torch's words; an empty text where nothing is."""
    shapes, dtypes = [Size(x.shape) for x in (actual, expected)], [BY_NUMPY[x.dtype] for x in (actual, expected)]
    for name, (first, second), asked in (("shape", shapes, True), ("dtype", dtypes, check_dtype)):
        if asked and first != second:
            return f"The values for attribute '{name}' do not match: {text(first)} != {text(second)}."
    relative, absolute = bounds(actual, expected, *tolerances)
    dtype = np.promote_types(actual.dtype, expected.dtype)
    a, b = (x.value.astype(dtype) for x in (actual, expected))
    is_same = np.asarray(ops.isclose(Tensor(a), Tensor(b), relative, absolute, equal_nan).value)
    if is_same.all():
        return ""
    exact = relative == absolute == 0
    ends = [""] * 2 if exact else [f" (up to {bound} allowed)" for bound in (absolute, relative)]
    things, facts, lines = of_scalars(a, b) if not is_same.ndim else of_tensors(a, b, is_same)
    apart = "\n".join(line + end for line, end in zip(lines, ends, strict=True))
    return f"{things} are not {'equal' if exact else 'close'}!\n\n{facts}\n{apart}"


def bounds(actual: Tensor, expected: Tensor, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """Return the relative and the absolute tolerance: those of the coarser dtype unless both are given."""
    if rtol is not None and atol is not None:
        return rtol, atol
    if rtol is not None or atol is not None:
        absent = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {absent}.")
    pairs = [TOLERANCES.get(x.dtype.name, (0.0, 0.0)) for x in (actual, expected)]
    return max(pairs[0][0], pairs[1][0]), max(pairs[0][1], pairs[1][1])


def of_scalars(a: Any, b: Any) -> tuple[str, str, list[str]]:
    apart = abs(a.item() - b.item())
    relative = float("inf") if b == 0 else apart / abs(b.item())
    lines = [f"Absolute difference: {apart}", f"Relative difference: {relative}"]
    return "Scalars", f"Expected {b.item()} but got {a.item()}.", lines


def of_tensors(a: Any, b: Any, is_same: Any) -> tuple[str, str, list[str]]:
    if a.dtype.kind != "f":
        a, b = a.astype(np.int64), b.astype(np.int64)
    with np.errstate(all="ignore"):
        absolute = np.where(is_same, 0, np.abs(a - b))
        quotient = absolute if a.dtype.kind == "f" else absolute.astype(np.float32)
        relative = np.where(is_same, 0, quotient / np.abs(b).astype(quotient.dtype))
    lines = []
    for name, values in (("absolute", absolute), ("relative", relative)):
        place = tuple(int(n) for n in np.unravel_index(np.argmax(values), values.shape))
        lines.append(f"Greatest {name} difference: {values[place].item()} at index {place}")
    wrong = is_same.size - int(is_same.sum())
    return "Tensor-likes", f"Mismatched elements: {wrong} / {is_same.size} ({wrong / is_same.size:.1%})", lines


def namespace(name: str) -> Namespace:
    """Make `torch.testing`."""
    return Namespace(name, {"assert_close": assert_close})
