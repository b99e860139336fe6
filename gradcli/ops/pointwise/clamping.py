"""Clamping: the input held between bounds, numbers or tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import Notation
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops.pointwise.comparisons import at_least, at_most, both, either
from gradcli.ops.pointwise.selection import where
from gradcli.ops.support.arguments import Operand, as_tensor
from gradcli.ops.support.sentences import BETWEEN, BOUND
from gradcli.ops.support.surface import operation


def _clamp(x: Any, *, min: float | None = None, max: float | None = None) -> Any:
    return np.clip(x, min, max)


def _between(g: Any, out: Any, x: Any, *, min: float | None = None, max: float | None = None) -> Any:
    if min is None:
        return where(at_most(x, max), g, 0)
    return where(at_least(x, min) if max is None else both(at_least(x, min), at_most(x, max)), g, 0)


def _at_bound(x: Any, min: Any = None, max: Any = None) -> Any:
    return np.isin(x, [bound for bound in (min, max) if bound is not None])


def _write_clamp(*bounds: str) -> Notation:
    """Write `clamp(x, min=a, max=b)` with the given bounds."""

    def write(operands: Sequence[Formula], _: dict[str, Any]) -> Expression:
        named = [Argument(bound.tree, name) for name, bound in zip(bounds, operands[1:], strict=True)]
        return Call("clamp", (Argument(operands[0].tree), *named))

    return write


BOUNDS: dict[str, Any] = {"convention": "clamp' is 1 at the bounds and 0 outside"}

clamp = primitive(
    "clamp",
    _clamp,
    _between,
    node="ClampBackward1",
    kinks=_at_bound,
    **BOUNDS,
    traits=("bounded", "gate"),
    says=BETWEEN,
)


def _at_either(x: Any, low: Any, high: Any) -> Any:
    """Tell where the input is one of its bounds, or they meet above it; bounds that are crossed leave the upper one."""
    return ((np.equal(x, low) | np.equal(x, high)) & np.less(low, high)) | (np.equal(low, high) & np.less_equal(x, low))


clamp_tensor = primitive(
    "clamp_tensor",
    np.clip,
    lambda g, out, x, low, high: where(both(x >= low, x <= high), g, 0),
    lambda g, out, x, low, high: where(both(x < low, low < high), g, 0),
    lambda g, out, x, low, high: where(either(x > high, high < low), g, 0),
    node="ClampBackward0",
    notation=_write_clamp("min", "max"),
    kinks=_at_either,
    **BOUNDS,
    says=BOUND,
)
# the forward, and the rules of the input and of the bound
LOWER: Any = (
    np.maximum,
    lambda g, out, x, low: where(x >= low, g, 0),
    lambda g, out, x, low: where(x < low, g, 0),
)
UPPER: Any = (
    np.minimum,
    lambda g, out, x, high: where(x <= high, g, 0),
    lambda g, out, x, high: where(x > high, g, 0),
)
# torch's node has the missing bound among its inputs, as None; here it has the given one alone.
clamp_min_tensor = primitive(
    "clamp_min_tensor",
    *LOWER,
    node="ClampBackward0",
    notation=_write_clamp("min"),
    kinks=np.equal,
    **BOUNDS,
    says=BOUND,
)
clamp_max_tensor = primitive(
    "clamp_max_tensor",
    *UPPER,
    node="ClampBackward0",
    notation=_write_clamp("max"),
    kinks=np.equal,
    **BOUNDS,
    says=BOUND,
)
clamp_min = primitive(
    "clamp_min",
    *LOWER[:2],
    kinks=np.equal,
    convention="clamp_min' is 1 at the bound",
    traits=("bounded", "gate"),
    says="The gradient comes through above the bound, and is 0 below it.",
)
clamp_max = primitive(
    "clamp_max",
    *UPPER[:2],
    kinks=np.equal,
    convention="clamp_max' is 1 at the bound",
    traits=("bounded",),
    says="The gradient comes through below the bound, and is 0 above it.",
)
clamp_min_to = primitive(
    "clamp_min_to",
    *LOWER,
    node="ClampMinBackward1",
    notation=clamp_min.notation,
    kinks=np.equal,
    convention=clamp_min.convention,
    says=BOUND,
)
clamp_max_to = primitive(
    "clamp_max_to",
    *UPPER,
    node="ClampMaxBackward1",
    notation=clamp_max.notation,
    kinks=np.equal,
    convention=clamp_max.convention,
    says=BOUND,
)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


@operation(
    "x = [-2, 0.5, 3]; clamp(x, -1, 1)",
    "x = [-2, 0.5, 3]; clamp(x, min=0)",
    "x = [-2, 0.5, 3]; clamp(x, max=1)",
    "x = [-2, 0.5, 3]; low = [-1, 0, 1]; high = [1, 2, 2]; clamp(x, low, high)",
    "x = [-2, 0.5, 3]; low = [-1, 0, 1]; clamp(x, min=low)",
    "x = [-2, 0.5, 3]; high = [1, 2, 2]; clamp(x, max=high)",
    aliases=["clip"],
)
def clamp_(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Any:
    """The input held between two bounds; either may be left out."""
    if min is None and max is None:
        raise AutogradError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if all(bound is None or _is_number(bound) for bound in (min, max)):
        return clamp(input, **{k: v for k, v in (("min", min), ("max", max)) if v is not None})
    if max is None:
        return clamp_min_tensor(input, min)
    if min is None:
        return clamp_max_tensor(input, max)
    return clamp_tensor(input, as_tensor(min), as_tensor(max))


@operation("x = [-1, 2]; clamp_min(x, 0)", "x = [-1, 2]; y = [0, 3]; clamp_min(x, y)")
def clamp_min_(input: Tensor, min: Operand) -> Any:
    """The input where it is above a bound, else the bound."""
    return clamp_min(input, min) if _is_number(min) else clamp_min_to(input, min)


@operation("x = [-1, 2]; clamp_max(x, 0)", "x = [-1, 2]; y = [0, 3]; clamp_max(x, y)")
def clamp_max_(input: Tensor, max: Operand) -> Any:
    """The input where it is below a bound, else the bound."""
    return clamp_max(input, max) if _is_number(max) else clamp_max_to(input, max)
