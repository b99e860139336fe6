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


def copy_inputs(
    inputs: Sequence[Tensor], create_graph: bool, through: Callable[[Tensor], Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Copy the inputs to tensors that require grad; with `create_graph`, by a node in the graph of the inputs."""
    if through is None and mode.transforms:
        raise RuntimeError(REQUIRED)
    if mode.inference or any(map(is_inference, inputs)):
        raise UnsupportedError("derivatives in inference mode, or of inference tensors, are not supported here")
    copies = tuple(
        (through(x) if through else ops.view(x, x.shape))
        if create_graph and x.requires_grad
        else tangents.carry(x, x.detach().requires_grad_())
        for x in inputs
    )
    if running.machine.timeline is not None:
        running.machine.timeline.run.inner.update(copies)
    return copies


def slopes(
    outputs: Sequence[Any], inputs: Sequence[Tensor], upstream: Sequence[Any] | None, create_graph: bool
) -> Sequence[Tensor | None]:
    """Return the gradients of the inputs; None for an input that no output depends on."""
    given = upstream if upstream is not None else [None] * len(outputs)
    pairs = [(out, g) for out, g in zip(outputs, given, strict=True) if out is not None and out.requires_grad]
    if not pairs:
        return [None] * len(inputs)
    sources, seeds = zip(*pairs, strict=True)
    return grad(sources, inputs, seeds, retain_graph=True, create_graph=create_graph, allow_unused=True)


def gradients(
    outputs: Sequence[Any],
    inputs: Sequence[Tensor],
    upstream: Sequence[Any] | None = None,
    *,
    create_graph: bool = False,
) -> tuple[Tensor, ...]:
    """Return the gradients of the inputs; zeros for an input that no output depends on."""
    slopes_or_none = slopes(outputs, inputs, upstream, create_graph)
    return tuple(zeros(x) if g is None else g for g, x in zip(slopes_or_none, inputs, strict=True))


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
    return tuple(
        ops.view(apply_stack([row[n] for row in passes]), (*output.shape, *x.shape))
        if passes
        else Tensor(np.zeros((*output.shape, *x.shape), x.dtype))
        for n, x in enumerate(inputs)
    )


def finish_results(results: tuple[Any, ...], create_graph: bool, many: bool) -> Any:
    """Detach the results unless the graph is asked for, and return one tensor where one was given."""
    kept = results if create_graph else tuple(x.detach() for x in results)
    return kept if many else kept[0]


@without("strict strategy")
def jacobian(func: Func, inputs: Any, create_graph: bool = False, vectorize: bool = False) -> Any:
    """Return the Jacobian: a tensor, or for tuples of outputs and of inputs tuples of them, outputs outside."""
    with set_grad_enabled(True):
        many_inputs, given = several(inputs, "inputs", "jacobian")
        leaves = copy_inputs(given, create_graph)
        many_outputs, outputs = several(func(*leaves), OUTPUTS, "jacobian")
        blocks = [finish_results(rows(out, leaves, create_graph), create_graph, many_inputs) for out in outputs]
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


def vector(v: Any, others: Sequence[Tensor], name: str, what: str) -> tuple[Tensor, ...]:
    """Check the vector of a product, which has the shapes of the others; without one, 1 if they are one number."""
    if v is None:
        if len(others) != 1 or others[0].value.size != 1:
            raise RuntimeError(f"The vector v can only be None where it would be a single number: {what} has more")
        return (Tensor(np.ones(others[0].shape, others[0].dtype)[()]),)
    _, factors = several(v, "v", name)
    if [factor.shape for factor in factors] != [other.shape for other in others]:
        raise RuntimeError(f"v should have the sizes {[list(x.shape) for x in others]}")
    return factors


@without("strict")
def vjp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """Return the outputs, and the vector times the Jacobian."""
    with set_grad_enabled(True):
        many_inputs, given = several(inputs, "inputs", "vjp")
        leaves = copy_inputs(given, create_graph)
        many, outputs = several(func(*leaves), OUTPUTS, "vjp")
        products = gradients(outputs, leaves, vector(v, outputs, "vjp", "the output"), create_graph=create_graph)
    return finish_results(outputs, create_graph, many), finish_results(products, create_graph, many_inputs)


@without("strict")
def jvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """Return the outputs, and the Jacobian times the vector: the derivative of the vjp by its vector."""
    with set_grad_enabled(True):
        _, given = several(inputs, "inputs", "jvp")
        leaves = copy_inputs(given, create_graph)
        directions = vector(v, leaves, "jvp", "the input")
        many, outputs = several(func(*leaves), OUTPUTS, "jvp")
        upstream = [zeros(x).requires_grad_() for x in outputs]
        through = slopes(outputs, leaves, upstream, True)
        pushed = gradients(through, upstream, directions, create_graph=create_graph)
    return finish_results(outputs, create_graph, many), finish_results(pushed, create_graph, many)


@without("strict")
def hvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    with set_grad_enabled(True):
        many, given = several(inputs, "inputs", "hvp")
        leaves = copy_inputs(given, create_graph)
        factors = vector(v, leaves, "hvp", "the input")
        output = func(*leaves)
        of_output = slopes([single(output, "hvp")], leaves, None, True)
        products = gradients(of_output, leaves, factors, create_graph=create_graph)
    return finish_results((output,), create_graph, False), finish_results(products, create_graph, many)


MEMBERS: dict[str, Any] = {function.__name__: function for function in (jacobian, hessian, vjp, jvp, hvp)}
