"""Functions of one real number: exponentials, logarithms, trigonometry, rounding.

Adding one is one declaration; users can call it at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, Rule, primitive
from gradcli.ops.surface import Real, register


def elementwise(name: str, forward: Callable[..., Any], rule: Rule, *, example: str = "", **facts: Any) -> Primitive:
    """Declare a primitive of one input and give it to users under the same name."""
    declared = primitive(name, forward, rule, **facts)

    def function(input: Real) -> Any:
        return declared(input)

    register(name, function, [example or f"x = [0.25, 0.5]; {name}(x)"])
    return declared


exp = elementwise("exp", np.exp, lambda g, out, x: g * out)
log = elementwise("log", np.log, lambda g, out, x: g / x, domain=(0.1, 5.0))
floor = elementwise("floor", np.floor, lambda g, out, x: g * 0)
