"""Division that rounds, and what it leaves over."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.notation import infix
from gradcli.engine.primitive import primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Literal
from gradcli.ops.elementwise import floor

floor_divide = primitive(
    "floor_divide",
    np.floor_divide,
    lambda g, out, a, b: g * 0,
    lambda g, out, a, b: g * 0,
    node="DivBackward2",
    notation=infix("//"),
    convention="the quotient is flat between its steps: derivative 0",
)
truncating_divide = primitive(
    "trunc_divide",
    lambda a, b: np.trunc(np.true_divide(a, b)).astype(np.result_type(a, b)),
    lambda g, out, a, b: g * 0,
    lambda g, out, a, b: g * 0,
    node="DivBackward2",
    notation=lambda operands, _: Call(
        "div", (*(Argument(x.tree) for x in operands), Argument(Literal("trunc"), "rounding_mode"))
    ),
    convention=floor_divide.convention,
)
remainder = primitive(
    "remainder",
    np.remainder,
    lambda g, out, x, n: g,
    node="RemainderBackward0",
    notation=infix("%"),
)
remainder_tensor = primitive(
    "remainder_tensor",
    np.remainder,
    lambda g, out, x, y: g,
    lambda g, out, x, y: -g * floor(x / y),
    node="RemainderBackward1",
    notation=infix("%"),
)


def check_divisor(*operands: Any) -> None:
    """Whole numbers have no infinity to give, so torch refuses to divide them by 0."""
    values = [np.asarray(x.value if isinstance(x, Tensor) else x) for x in operands]
    if all(value.dtype.kind in "iub" for value in values) and not np.all(values[1]):
        raise AutogradError("ZeroDivisionError")
