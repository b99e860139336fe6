"""The forward pass: a primitive is applied to Tensors, and leaves a node behind and a line on the tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.promotion import operand_values, refusal, settle_dtype, wrap_integers
from gradcli.engine.graph import Node
from gradcli.engine.memory.views import view_of
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor

ARRAY = np.ndarray


def apply(primitive: Primitive, inputs: tuple[Any, ...], options: dict[str, Any]) -> Tensor:
    """Compute a primitive over Tensors; the result has a node if graphs are recorded and an input requires grad."""
    values, edges = [], []
    for x in inputs:
        if isinstance(x, Tensor):
            values.append(x.value)
            edges.append(x.node)
        else:
            values.append(x)
            edges.append(None)
    kind = type(values[-1])
    if primitive.view:
        values[0] = inputs[0].array
    elif primitive.combines and len(values) > 1 and (kind is ARRAY or kind is not type(values[0]) or len(values) > 2):
        values = operand_values(primitive, values)
    try:
        value = primitive.forward(*values, **options) if options else primitive.forward(*values)
    except (OverflowError, TypeError, ValueError) as error:
        value = _recovered(primitive, values, options, error)
    if (type(value) is not kind or kind is ARRAY) and value.dtype is not mode.default_dtype:
        value = settle_dtype(primitive, value, values, options)
    if type(value) is ARRAY and value is values[0] and not primitive.view:
        value = value.copy(order="K")
    out = view_of(inputs[0], value, primitive, options) if primitive.view else Tensor(value)
    if len(edges) != primitive.full and not primitive.variadic:
        edges = _with_gaps(primitive, edges)
    if mode.grad_enabled and edges.count(None) != len(edges):
        kept = _copied(primitive, inputs) if primitive.copies else inputs
        out.node = node = Node(primitive, kept, options, edges, out.value)
        if primitive.saves_out:
            node.saved_out = (out.shared_history(), node.sequence)
    if mode.tape is not None:
        mode.tape.append(Application(primitive, inputs, options, out))
    return out


def _recovered(primitive: Primitive, values: list[Any], options: dict[str, Any], error: Exception) -> Any:
    """Compute again with integers wrapped to a narrow dtype that they do not fit; else raise torch's error."""
    if isinstance(error, OverflowError):
        return primitive.forward(*wrap_integers(values), **options)
    reason = refusal(primitive, values, error)
    if reason is error:
        raise error
    raise reason from None


def _copied(primitive: Primitive, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copy the inputs that the node keeps for its rules alone, whatever becomes of the tensors."""
    watched = primitive.saves or ()
    return tuple(
        Tensor(x.value.copy(), x.node) if isinstance(x, Tensor) and position not in watched else x
        for position, x in enumerate(inputs)
    )


def _with_gaps(primitive: Primitive, edges: list[Any]) -> list[Any]:
    """Leave out the edge of an input without a rule (indices, a condition): nothing may wait for its gradient."""
    rules = primitive.rules
    return [edge if position < len(rules) and rules[position] else None for position, edge in enumerate(edges)]
