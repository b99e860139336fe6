"""`torch.autograd.functional`: Jacobians and Hessians."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine import tangents
from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.ops.shaping.joining import apply_stack
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.members.absence import without
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.autograd.grad_modes import is_inference
from gradcli.script.torch.autograd.rites import grad
from gradcli.script.torch.func.levels import REQUIRED

Func = Callable[..., Any]
OUTPUTS = "outputs of the user-provided function"


def several(x: Any, what: str, name: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Return whether the value is a tuple, and its tensors; TypeError for others."""
    items = x if isinstance(x, tuple) else (x,)
    for item in items:
        if not isinstance(item, Tensor):
            kind = represent(type_of(item))
            raise TypeError(f"The {what} given to {name} must be a Tensor or a tuple of Tensors, not of type {kind}")
    return isinstance(x, tuple), tuple(items)


def prepared(
    inputs: Sequence[Tensor], create_graph: bool, through: Callable[[Tensor], Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Copy the inputs to tensors that require grad; with `create_graph`, by a node in the graph of the inputs."""
    if through is None and mode.transforms:
        raise RuntimeError(REQUIRED)
    if mode.inference or any(map(is_inference, inputs)):
        raise UnsupportedError("derivatives in inference mode, or of inference tensors, are not supported here")
    made = tuple(
        (through(x) if through else ops.view(x, x.shape))
        if create_graph and x.requires_grad
        else tangents.carry(x, x.detach().requires_grad_())
        for x in inputs
    )
    if running.machine.timeline is not None:
        running.machine.timeline.run.inner.update(made)
    return made


def found_gradients(
    outputs: Sequence[Any], inputs: Sequence[Tensor], upstream: Sequence[Any] | None, create_graph: bool
) -> Sequence[Tensor | None]:
    """Return the gradients of the inputs; None for an input that no output depends on."""
    given = upstream if upstream is not None else [None] * len(outputs)
    pairs = [(out, g) for out, g in zip(outputs, given, strict=True) if out is not None and out.requires_grad]
    found: Sequence[Tensor | None] = [None] * len(inputs)
    if pairs:
        sources, seeds = zip(*pairs, strict=True)
        found = grad(sources, inputs, seeds, retain_graph=True, create_graph=create_graph, allow_unused=True)
    return found


def gradients(
    outputs: Sequence[Any],
    inputs: Sequence[Tensor],
    upstream: Sequence[Any] | None = None,
    *,
    create_graph: bool = False,
) -> tuple[Tensor, ...]:
    """Return the gradients of the inputs; zeros for an input that no output depends on."""
    return filled(found_gradients(outputs, inputs, upstream, create_graph), inputs)


def filled(found: Sequence[Tensor | None], inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    return tuple(zeros(x) if g is None else g for g, x in zip(found, inputs, strict=True))


def zeros(x: Tensor) -> Tensor:
    return Tensor(np.zeros(x.shape, x.dtype)[()])


def units(x: Tensor) -> Iterator[Tensor]:
    """Yield the basis vectors of a tensor: one entry is 1, the others 0."""
    for at in range(x.value.size):
        unit = np.zeros(x.value.size, x.dtype)
        unit[at] = 1
        yield Tensor(unit.reshape(x.shape)[()])


def rows(output: Tensor, inputs: Sequence[Tensor], create_graph: bool) -> tuple[Tensor, ...]:
    """Return the Jacobian of one output by each input, from one backward pass for each entry of it."""
    for x in inputs:
        running.machine.budget.fits(output.value.size * x.value.size, "the Jacobian")
    flat = ops.reshape(output, (-1,))
    passes = [gradients([flat[n]], inputs, create_graph=create_graph) for n in range(output.value.size)]
    view = ops.view
    return tuple(
        view(apply_stack([found[n] for found in passes]), (*output.shape, *x.shape))
        if passes
        else Tensor(np.zeros((*output.shape, *x.shape), x.dtype))
        for n, x in enumerate(inputs)
    )


def finished(results: tuple[Any, ...], create_graph: bool, many: bool) -> Any:
    """Detach the results unless the graph is asked for, and return one tensor where one was given."""
    kept = results if create_graph else tuple(x.detach() for x in results)
    return kept if many else kept[0]


@without("strict strategy")
def jacobian(func: Func, inputs: Any, create_graph: bool = False, vectorize: bool = False) -> Any:
    """Return the Jacobian: a tensor, or for tuples of outputs and of inputs tuples of them, outputs outside."""
    with set_grad_enabled(True):
        many_inputs, given = several(inputs, "inputs", "jacobian")
        leaves = prepared(given, create_graph)
        many_outputs, outputs = several(func(*leaves), OUTPUTS, "jacobian")
        blocks = [finished(rows(out, leaves, create_graph), create_graph, many_inputs) for out in outputs]
    return tuple(blocks) if many_outputs else blocks[0]


@without("strict outer_jacobian_strategy")
def hessian(func: Func, inputs: Any, create_graph: bool = False, vectorize: bool = False) -> Any:
    """Return the Jacobian of the gradient of a function, which returns one number."""
    many, given = several(inputs, "inputs", "hessian")

    def gradient(*leaves: Tensor) -> Any:
        return jacobian(lambda *x: single(func(*x), "hessian"), leaves, create_graph=True)

    blocks = jacobian(gradient, given, create_graph)
    return blocks if many else blocks[0][0]


def single(output: Any, name: str) -> Tensor:
    if not isinstance(output, Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if output.value.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return ops.squeeze(output)  # type: ignore[no-any-return]


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
