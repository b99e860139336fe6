"""Clamping: the input held between bounds, numbers or tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import Notation
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops.pointwise.comparisons import at_least, at_most, both, either
from gradcli.ops.pointwise.selection import where
from gradcli.ops.support.arguments import Operand, as_tensor, is_number
from gradcli.ops.support.surface import BETWEEN, BOUND, operation


def _clamp(x: Any, *, min: float | None = None, max: float | None = None) -> Any:
    return np.clip(x, min, max)


def _between(g: Carrier, out: Carrier, x: Carrier, *, min: float | None = None, max: float | None = None) -> Any:
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
SIDES: dict[str, Any] = {
    "min": (np.maximum, lambda g, x, low: where(x >= low, g, 0), lambda g, x, low: where(x < low, g, 0)),
    "max": (np.minimum, lambda g, x, high: where(x <= high, g, 0), lambda g, x, high: where(x > high, g, 0)),
}


def _one_sided(side: str, name: str, *, node: str = "", bound: bool = True, **facts: Any) -> Primitive:
    """Declare a clamp at one side; torch's node has the missing bound among its inputs, here it has the given one."""
    forward, by_input, by_bound = SIDES[side]
    rules = (by_input, by_bound) if bound else (by_input,)
    return primitive(
        name,
        forward,
        *(lambda g, out, x, end, by=by: by(g, x, end) for by in rules),
        node=node,
        kinks=np.equal,
        says=BOUND if bound else f"The gradient comes through {'above' if side == 'min' else 'below'} the bound alone.",
        **facts,
    )


clamp_min_tensor = _one_sided("min", "clamp_min_tensor", node="ClampBackward0", notation=_write_clamp("min"), **BOUNDS)
clamp_max_tensor = _one_sided("max", "clamp_max_tensor", node="ClampBackward0", notation=_write_clamp("max"), **BOUNDS)
AT_MIN, AT_MAX = "clamp_min' is 1 at the bound", "clamp_max' is 1 at the bound"
clamp_min = _one_sided("min", "clamp_min", bound=False, traits=("bounded", "gate"), convention=AT_MIN)
clamp_max = _one_sided("max", "clamp_max", bound=False, traits=("bounded",), convention=AT_MAX)
clamp_min_to = _one_sided(
    "min", "clamp_min_to", node="ClampMinBackward1", notation=clamp_min.notation, convention=AT_MIN
)
clamp_max_to = _one_sided(
    "max", "clamp_max_to", node="ClampMaxBackward1", notation=clamp_max.notation, convention=AT_MAX
)


@operation(
    "x = [-2, 0.5, 3]; clamp(x, -1, 1)",
    "x = [-2, 0.5, 3]; clamp(x, min=0)",
    "x = [-2, 0.5, 3]; clamp(x, max=1)",
    "x = [-2, 0.5, 3]; low = [-1, 0, 1]; high = [1, 2, 2]; clamp(x, low, high)",
    "x = [-2, 0.5, 3]; low = [-1, 0, 1]; clamp(x, min=low)",
    "x = [-2, 0.5, 3]; high = [1, 2, 2]; clamp(x, max=high)",
    aliases=["clip"],
)
def apply_clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Any:
    """The input held between two bounds; either may be left out."""
    AutogradError.when(min is None and max is None, "torch.clamp: At least one of 'min' or 'max' must not be None")
    if all(bound is None or is_number(bound) for bound in (min, max)):
        return clamp(input, **{k: v for k, v in (("min", min), ("max", max)) if v is not None})
    if max is None:
        return clamp_min_tensor(input, min)
    if min is None:
        return clamp_max_tensor(input, max)
    return clamp_tensor(input, as_tensor(min), as_tensor(max))


@operation("x = [-1, 2]; clamp_min(x, 0)", "x = [-1, 2]; y = [0, 3]; clamp_min(x, y)")
def apply_clamp_min(input: Tensor, min: Operand) -> Any:
    """The input where it is above a bound, else the bound."""
    return clamp_min(input, min) if is_number(min) else clamp_min_to(input, min)


@operation("x = [-1, 2]; clamp_max(x, 0)", "x = [-1, 2]; y = [0, 3]; clamp_max(x, y)")
def apply_clamp_max(input: Tensor, max: Operand) -> Any:
    """The input where it is below a bound, else the bound."""
    return clamp_max(input, max) if is_number(max) else clamp_max_to(input, max)
