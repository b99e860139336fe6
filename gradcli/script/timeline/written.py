"""Operations as expressions: each in the notation of its primitive, over the names of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.primitive import Primitive
from gradcli.engine.recorder import Application
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.language.tree import Expression
from gradcli.script.timeline.model import Made
from gradcli.script.timeline.names import TensorNames, node_of

LARGEST = 4096  # entries of a value that is kept


def kept(value: Any) -> Any:
    """Copy a value for later; None where it is too large."""
    if value is None or np.size(value) > LARGEST:
        return None
    return np.array(value)[()]


def made(names: TensorNames, application: Application, place: tuple[Any, ...]) -> Made:
    """Return the facts of one application; nameless data are named after the place."""
    out = application.out
    node = node_of(out)
    operands = [
        names.expression(x, *place, names.get(out), position) if isinstance(x, Tensor) else literal(x)
        for position, x in enumerate(application.inputs)
    ]
    return Made(
        names.get(out) or "",
        notation(application.primitive, application.inputs, application.options, operands),
        application.primitive.name,
        node.short_name if isinstance(node, Node) else None,
        out.shape,
        str(out.dtype),
        kept(out.value),
    )


def notation(
    primitive: Primitive, inputs: Sequence[Any], options: dict[str, Any], operands: Sequence[Expression]
) -> Expression:
    """Return the expression of an application over the expressions of its inputs."""
    formulas = [
        Formula(tree, x.value if isinstance(x, Tensor) else x) for tree, x in zip(operands, inputs, strict=True)
    ]
    return primitive.notation(formulas, options)
