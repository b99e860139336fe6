"""`torch.testing.assert_close`: two results side by side, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.python.values.kinds import type_of
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, Size

TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}  # relative and absolute
NUMBERS = {int: "int64", float: "float64"}
Place = tuple[Any, ...]  # the keys that lead to a pair


class MismatchError(Exception):
    """Two values differ, at a place within the given ones."""

    def __init__(self, kind: type[Exception], message: str, place: Place) -> None:
        super().__init__(message)
        where = "".join(f"[{represent(key)}]" for key in place)
        self.error = kind(f"{message}\n\nThe failure occurred for item {where}" if place else message)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless two tensors, numbers or collections of them are the same up to a tolerance."""
    found: list[MismatchError] = []
    try:
        for one, other, place in list(pairs(actual, expected, ())):
            bounds = tolerances(one, other, rtol, atol, place)
            try:
                compare(one, other, bounds, place, equal_nan=equal_nan, dtypes=check_dtype, strides=check_stride)
            except MismatchError as mismatch:
                found.append(mismatch)
    except MismatchError as mismatch:
        raise mismatch.error from None
    if not found:
        return
    if msg is None:
        raise found[0].error
    raise type(found[0].error)(msg(str(found[0].error)) if callable(msg) else msg)


def pairs(actual: Any, expected: Any, place: Place) -> Iterator[tuple[Any, Any, Place]]:
    """Yield the values to compare, with their places in two equal collections."""
    stack = [(actual, expected, place)]
    while stack:
        one, other, place = stack.pop()
        running.machine.budget.watch()
        if isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                words = f"The length of the sequences mismatch: {len(one)} != {len(other)}"
                raise MismatchError(AssertionError, words, place)
            stack += [(one[n], other[n], (*place, n)) for n in reversed(range(len(one)))]
        elif isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                words = (
                    "The keys of the mappings do not match:\n"
                    f"Missing keys in the actual mapping: {sorted(other.keys() - one.keys())}\n"
                    f"Additional keys in the actual mapping: {sorted(one.keys() - other.keys())}"
                )
                raise MismatchError(AssertionError, words, place)
            stack += [(one[key], other[key], (*place, key)) for key in sorted(one, reverse=True)]
        elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            yield Tensor(one), Tensor(other), place
        else:
            yield one, other, place


def tolerances(
    one: Any, other: Any, rtol: float | None, atol: float | None, place: Place
) -> tuple[float, float] | None:
    """Return the relative and the absolute tolerance; None for values that are compared as they are."""
    if one is None or other is None or (isinstance(one, bool) and isinstance(other, bool)):
        return None
    numbers = type(one) in NUMBERS and type(other) in NUMBERS
    if not numbers and not (isinstance(one, Tensor) and isinstance(other, Tensor)):
        words = f"No comparison pair was able to handle inputs of type {type_of(one)} and {type_of(other)}."
        raise MismatchError(TypeError, words, place)
    if rtol is not None and atol is not None:
        return rtol, atol
    if rtol is not None or atol is not None:
        absent = "rtol" if rtol is None else "atol"
        words = f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {absent}."
        raise MismatchError(ValueError, words, place)
    names = [NUMBERS[type(x)] if numbers else x.dtype.name for x in (one, other)]
    both = [TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    return max(both[0][0], both[1][0]), max(both[0][1], both[1][1])


def compare(
    one: Any,
    other: Any,
    bounds: tuple[float, float] | None,
    place: Place,
    *,
    equal_nan: bool,
    dtypes: bool,
    strides: bool,
) -> None:
    """Raise MismatchError where one pair differs."""
    if one is None or other is None:
        if one is not other:
            raise MismatchError(AssertionError, f"None mismatch: {text(one)} is not {text(other)}", place)
    elif bounds is None:
        if one is not other:
            raise MismatchError(AssertionError, f"Booleans mismatch: {one} is not {other}", place)
    elif isinstance(one, Tensor):
        _compare_attributes(one, other, place, dtypes=dtypes, strides=strides)
        dtype = np.promote_types(one.dtype, other.dtype)
        a, b = (Tensor(x.value.astype(dtype)) for x in (one, other))
        same = np.asarray(ops.isclose(a, b, *bounds, equal_nan).value)
        if not same.all():
            shown = _of_numbers(a.value.item(), b.value.item(), bounds) if same.ndim == 0 else None
            raise MismatchError(AssertionError, shown or _of_tensors(a.value, b.value, same, bounds), place)
    else:
        if dtypes and type(one) is not type(other):
            words = f"The (d)types do not match: {type_of(one)} != {type_of(other)}."
            raise MismatchError(AssertionError, words, place)
        if equal_nan and one != one and other != other:
            return
        apart, allowed = abs(one - other), bounds[1] + bounds[0] * abs(other)
        if not (one == other or (np.isfinite(apart) and apart <= allowed)):
            raise MismatchError(AssertionError, _of_numbers(one, other, bounds), place)


def _compare_attributes(one: Tensor, other: Tensor, place: Place, *, dtypes: bool, strides: bool) -> None:
    steps = [tuple(step // x.value.itemsize for step in x.array.strides) for x in (one, other)]
    kinds = [BY_NUMPY[x.dtype] for x in (one, other)]
    for name, a, b, asked in (
        ("shape", Size(one.shape), Size(other.shape), True),
        ("stride()", *steps, strides),
        ("dtype", *kinds, dtypes),
    ):
        if asked and a != b:
            words = f"The values for attribute '{name}' do not match: {text(a)} != {text(b)}."
            raise MismatchError(AssertionError, words, place)


def _of_numbers(one: Any, other: Any, bounds: tuple[float, float]) -> str:
    apart = abs(one - other)
    relative = float("inf") if other == 0 else apart / abs(other)
    facts = f"Expected {other} but got {one}.\n"
    return _message("Scalars", facts, (f"Absolute difference: {apart}", f"Relative difference: {relative}"), bounds)


def _of_tensors(one: Any, other: Any, same: Any, bounds: tuple[float, float]) -> str:
    if one.dtype.kind != "f":
        one, other = one.astype(np.int64), other.astype(np.int64)
    with np.errstate(all="ignore"):
        apart = np.where(same, 0, np.abs(one - other))
        over = apart if one.dtype.kind == "f" else apart.astype(np.float32)
        relative = np.where(same, 0, over / np.abs(other).astype(over.dtype))
    lines = []
    for name, values in (("absolute", apart), ("relative", relative)):
        at = np.unravel_index(np.argmax(values), values.shape)
        where = tuple(int(n) for n in at)
        lines.append(f"Greatest {name} difference: {values[at].item()} at index {where}")
    wrong = same.size - int(same.sum())
    facts = f"Mismatched elements: {wrong} / {same.size} ({wrong / same.size:.1%})\n"
    return _message("Tensor-likes", facts, (lines[0], lines[1]), bounds)


def _message(things: str, facts: str, differences: tuple[str, str], bounds: tuple[float, float]) -> str:
    exact = bounds == (0, 0)
    ends = [""] * 2 if exact else [f" (up to {bound} allowed)" for bound in reversed(bounds)]
    lines = "\n".join(line + end for line, end in zip(differences, ends, strict=True))
    return f"{things} are not {'equal' if exact else 'close'}!\n\n{facts}{lines}"


def namespace(name: str) -> Namespace:
    """Make `torch.testing`."""
    return Namespace(name, {"assert_close": assert_close})
