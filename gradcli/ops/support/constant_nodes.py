"""Values that do not depend on their tensors, but have a node in torch: drawn numbers, filled tensors, angles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.forward import apply
from gradcli.engine.memory.writing import blank
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.language.tree import Argument, Call, Expression


def nothing(x: Any) -> Any:
    """Return zeros like `x`, which depend on nothing."""
    return Tensor(np.zeros_like(x.value)[()]) if isinstance(x, Tensor) else blank(x)


def constant_node(
    node: str,
    value: Any,
    *inputs: Tensor,
    saves: tuple[int, ...] = (),
    undefined: bool = False,
    written: Callable[[Any], Expression] = literal,
) -> Tensor:
    """Return the value as the result of a node with that name, which gives its inputs zeros, or `undefined` ones.

    The node saves the inputs of these positions, and the result if `OUT` is one of them. No operation of the language
    makes it from its inputs, so that a formula has the value itself, as it is `written`.
    """

    def rule(g: Carrier, out: Carrier, *given: Carrier, position: int) -> Any:
        return None if undefined else nothing(given[position])

    def forward(*_: Any) -> Any:
        return value

    def notation(*_: Any) -> Expression:
        return written(value)

    name = node.rpartition("::")[2].partition("Backward")[0].lower()
    kept: dict[str, Any] = {"copies": True, "saves": saves} if saves else {"saves": None}
    made = Primitive(name, forward, (rule,), node, notation, structured=True, variadic=True, **kept)
    return apply(made, inputs, {})


def identity(value: Any) -> Expression:
    """Write identity matrices."""
    one = Call("eye", tuple(Argument(literal(size)) for size in value.shape[-2:]))
    return one if value.ndim == 2 else Call("expand", (Argument(one), Argument(literal(value.shape))))
