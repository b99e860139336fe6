"""Sums of a multiple: `alpha=` and `beta=` are of the kind of the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.broadcast import to_copy
from gradcli.engine.checks.promotion import fitting
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops


def _check(name: str, scale: Any, kinds: set[str]) -> None:
    """Refuse a fraction of integers, and a boolean beside anything but booleans."""
    if isinstance(scale, float) and "f" not in kinds:
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    if isinstance(scale, bool) and kinds != {"b"}:
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")


def _boolean(found: Any, kinds: set[str]) -> Any:
    """Return the sum of booleans as booleans."""
    if kinds == {"b"} and not isinstance(found, Tensor):
        return Tensor(np.bool_(found))
    return to_copy(found, dtype=np.dtype(np.bool_)) if kinds == {"b"} and found.dtype.kind != "b" else found


def _sum(name: str, input: Any, other: Any, *, alpha: Any = 1) -> Any:
    kinds: set[str] = {x.dtype.kind if isinstance(x, Tensor) else np.asarray(x).dtype.kind for x in (input, other)}
    if name == "add" or "b" not in kinds:
        _check("alpha", alpha, kinds)
    if type(alpha) is int and all(isinstance(x, Tensor) and x.dtype == np.uint8 for x in (input, other)):
        alpha = int(fitting(alpha, input.dtype))
    return _boolean(getattr(ops, name)(input, other, alpha=alpha), kinds)


DEMANDS: dict[str, Callable[..., Any]] = {
    **{name: partial(_sum, name) for name in ("add", "sub", "subtract")},
}
