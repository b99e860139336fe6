"""`torch.autograd.functional`: the products of Jacobians and Hessians with vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.python.members.absent_arguments import without
from gradcli.script.torch.autograd.functional.derivatives import (
    OUTPUTS,
    Func,
    filled,
    finished,
    found_gradients,
    hessian,
    jacobian,
    prepared,
    several,
    single,
    zeros,
)

Tensors = Sequence[Tensor]
Slopes = Sequence[Tensor | None]
Multiply = Callable[[Slopes, Tensors, Tensors, bool], tuple[Tensor, ...]]
NO_VECTOR = "The vector v can only be None where it would be a single number: {} has more"


def vector(v: Any, others: Sequence[Tensor], many: bool, name: str, absent: str) -> tuple[Tensor, ...]:
    """Check the vector of a product, which has the shapes of the others; without one, 1 if they are one number."""
    if v is None:
        if len(others) != 1 or others[0].value.size != 1:
            raise RuntimeError(absent)
        return (Tensor(np.ones(others[0].shape, others[0].dtype)[()]),)
    _, found = several(v, "v", name)
    if [given.shape for given in found] != [other.shape for other in others]:
        raise RuntimeError(f"v should have the sizes {[list(x.shape) for x in others]}")
    return found


@without("strict")
def vjp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """Return the outputs, and the vector times the Jacobian."""
    with set_grad_enabled(True):
        many_inputs, given = several(inputs, "inputs", "vjp")
        leaves = prepared(given, create_graph)
        many, outputs = several(func(*leaves), OUTPUTS, "vjp")
        upstream = vector(v, outputs, many, "vjp", NO_VECTOR.format("the output"))
        raw = found_gradients(outputs, leaves, upstream, create_graph)
        found = filled(raw, leaves)
    return finished(outputs, create_graph, many), finished(found, create_graph, many_inputs)


@without("strict")
def jvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """Return the outputs, and the Jacobian times the vector: the derivative of the vjp by its vector."""
    with set_grad_enabled(True):
        many_inputs, given = several(inputs, "inputs", "jvp")
        leaves = prepared(given, create_graph)
        tangents = vector(v, leaves, many_inputs, "jvp", NO_VECTOR.format("the input"))
        many, outputs = several(func(*leaves), OUTPUTS, "jvp")
        found = pushed(outputs, outputs, leaves, tangents, create_graph)
    return finished(outputs, create_graph, many), finished(found, create_graph, many)


def pushed(
    outputs: Slopes, like: Tensors, leaves: Tensors, tangents: Tensors, create_graph: bool
) -> tuple[Tensor, ...]:
    """Return the tangents of the outputs, each of the shape of one in `like`, from those of the inputs."""
    upstream = [zeros(x).requires_grad_() for x in like]
    through = found_gradients(outputs, leaves, upstream, True)
    return filled(found_gradients(through, upstream, tangents, create_graph), upstream)


def of_hessian(name: str, func: Func, inputs: Any, v: Any, create_graph: bool, multiply: Multiply) -> tuple[Any, Any]:
    """Return the output, and a product with the Hessian, which `multiply` makes of gradients, inputs and vector."""
    with set_grad_enabled(True):
        many, given = several(inputs, "inputs", name)
        leaves = prepared(given, create_graph)
        times = vector(v, leaves, many, name, NO_VECTOR.format("the input"))
        output = func(*leaves)
        slopes = found_gradients([single(output, name)], leaves, None, True)
        found = multiply(slopes, leaves, times, create_graph)
    return finished((output,), create_graph, False), finished(found, create_graph, many)


@without("strict")
def vhp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """Return the output, and the vector times the Hessian."""

    def multiply(slopes: Slopes, leaves: Tensors, times: Tensors, create_graph: bool) -> tuple[Tensor, ...]:
        return filled(found_gradients(slopes, leaves, times, create_graph), leaves)

    return of_hessian("vhp", func, inputs, v, create_graph, multiply)


@without("strict")
def hvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """Return the output, and the Hessian times the vector."""

    def multiply(slopes: Slopes, leaves: Tensors, times: Tensors, create_graph: bool) -> tuple[Tensor, ...]:
        return pushed(slopes, leaves, leaves, times, create_graph)

    return of_hessian("hvp", func, inputs, v, create_graph, multiply)


MEMBERS: dict[str, Any] = {function.__name__: function for function in (jacobian, hessian, vjp, jvp, vhp, hvp)}
