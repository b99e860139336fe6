"""Operations that gradcli does not know, as boxes with torch's name: the gradients that leave them are torch's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, Rule
from gradcli.engine.symbolic.formula import Formula, call
from gradcli.language.tree import Expression, Index, Number

SAYS = "torch computes this; gradcli knows no rule for it, and shows the gradients that torch gave"


def box(name: str, shape: tuple[int, ...], inputs: Sequence[tuple[int, ...]], place: int | None) -> Primitive:
    """Return an operation with torch's name for a node, from the shapes of its result and of its inputs.

    Of a node with several results `place` says which this is.
    """
    notation = call(name, unknown_values)

    def part(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        return Index(notation(operands, options), (Number(place or 0),))

    return Primitive(
        name=name,
        forward=lambda *_: unknown_values(shape),
        rules=tuple(rule(name, x) for x in inputs),
        node=name,
        notation=notation if place is None else part,
        says=SAYS,
        structured=True,
    )


def rule(name: str, shape: tuple[int, ...]) -> Rule:
    """Return the rule that says of a gradient only that the node gives it."""
    rule_primitive = Primitive(
        name=f"{name} of its gradient",
        forward=lambda _: unknown_values(shape),
        rules=(),
        node=name,
        notation=call(name, unknown_values),
        structured=True,
    )
    return lambda g, *_: rule_primitive(g)


def unknown_values(shape: tuple[int, ...]) -> Any:
    return np.broadcast_to(np.nan, shape)[()]
