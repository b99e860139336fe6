"""`torch.autograd.functional`: Jacobians, Hessians, and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.ops.joining import stack_
from gradcli.ops.surface import OPERATIONS
from gradcli.script.python.builtins import type_of
from gradcli.script.python.formatting import represent

Func = Callable[..., Any]
OUTPUTS = "outputs of the user-provided function"
NO_VECTOR_OUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
)
NO_VECTOR_IN = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)


def several(x: Any, what: str, name: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether it is a tuple, and its tensors."""
    items = x if isinstance(x, tuple) else (x,)
    for position, item in enumerate(items):
        if not isinstance(item, Tensor):
            wrong = f"value at index {position}" if isinstance(x, tuple) else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {wrong} has type "
                f"{represent(type_of(item))}."
            )
    return isinstance(x, tuple), tuple(items)


def prepared(inputs: Sequence[Tensor], create_graph: bool) -> tuple[Tensor, ...]:
    """Tensors of their own that require grad: in the graph of the inputs where that is asked for."""
    return tuple(
        OPERATIONS["view"].function(x, x.shape) if create_graph and x.requires_grad else x.detach().requires_grad_()
        for x in inputs
    )


def gradients(
    outputs: Sequence[Any],
    inputs: Sequence[Tensor],
    upstream: Sequence[Any] | None = None,
    *,
    create_graph: bool = False,
) -> tuple[Tensor, ...]:
    """The gradients of those outputs that have any; zeros for the inputs that none depends on."""
    given = upstream if upstream is not None else [None] * len(outputs)
    pairs = [(out, g) for out, g in zip(outputs, given, strict=True) if out is not None and out.requires_grad]
    found: Sequence[Tensor | None] = [None] * len(inputs)
    if pairs:
        sources, seeds = zip(*pairs, strict=True)
        found = grad(sources, inputs, seeds, retain_graph=True, create_graph=create_graph, allow_unused=True)
    return tuple(zeros(x) if g is None else g for g, x in zip(found, inputs, strict=True))


def zeros(x: Tensor) -> Tensor:
    return Tensor(np.zeros(x.shape, x.dtype)[()])


def rows(output: Tensor, inputs: Sequence[Tensor], create_graph: bool) -> tuple[Tensor, ...]:
    """The Jacobian of one output with respect to each input, one backward pass for each entry of the output."""
    flat = OPERATIONS["reshape"].function(output, (-1,))
    passes = [gradients([flat[at]], inputs, create_graph=create_graph) for at in range(output.value.size)]
    view = OPERATIONS["view"].function
    return tuple(
        view(stack_([found[n] for found in passes]), (*output.shape, *x.shape))
        if passes
        else Tensor(np.zeros((*output.shape, *x.shape), x.dtype))
        for n, x in enumerate(inputs)
    )


def finished(results: tuple[Any, ...], create_graph: bool, many: bool) -> Any:
    """Outside the graph unless it was asked for, and as one tensor where one was given."""
    kept = results if create_graph else tuple(x.detach() for x in results)
    return kept if many else kept[0]


def jacobian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """One tensor, or for tuples of inputs or outputs tuples of them: outputs outside, inputs inside."""
    with set_grad_enabled(True):
        many_inputs, given = several(inputs, "inputs", "jacobian")
        leaves = prepared(given, create_graph)
        many_outputs, outputs = several(func(*leaves), OUTPUTS, "jacobian")
        found = [finished(rows(out, leaves, create_graph), create_graph, many_inputs) for out in outputs]
    return tuple(found) if many_outputs else found[0]


def hessian(func: Func, inputs: Any, create_graph: bool = False, strict: bool = False, **_: Any) -> Any:
    """The Jacobian of the gradient of a function with one number for its result."""
    many, given = several(inputs, "inputs", "hessian")

    def gradient(*leaves: Tensor) -> Any:
        return jacobian(lambda *inner: single(func(*inner), "hessian"), leaves, create_graph=True)

    found = jacobian(gradient, given, create_graph=create_graph)
    return found if many else found[0][0]


def single(output: Any, name: str) -> Tensor:
    if not isinstance(output, Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if output.value.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return OPERATIONS["squeeze"].function(output)  # type: ignore[no-any-return]


def vector(v: Any, others: Sequence[Tensor], many: bool, name: str, absent: str) -> tuple[Tensor, ...]:
    """The vector of a product, which has the shapes of the others; 1 where they are one number."""
    if v is None:
        if len(others) != 1 or others[0].value.size != 1:
            raise RuntimeError(absent)
        return (Tensor(np.ones(others[0].shape, others[0].dtype)[()]),)
    _, found = several(v, "v", name)
    if len(found) != len(others):
        if many:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(others)} but got {len(found)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for position, (given, other) in enumerate(zip(found, others, strict=True)):
        if given.shape != other.shape:
            entry = f"Entry {position} in " if many else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be torch.Size({list(other.shape)}) but got "
                f"torch.Size({list(given.shape)})."
            )
    return found


def vjp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The outputs, and the vector times the Jacobian."""
    with set_grad_enabled(True):
        many_inputs, given = several(inputs, "inputs", "vjp")
        leaves = prepared(given, create_graph)
        many, outputs = several(func(*leaves), OUTPUTS, "vjp")
        upstream = vector(v, outputs, many, "vjp", NO_VECTOR_OUT)
        found = gradients(outputs, leaves, upstream, create_graph=create_graph)
    return finished(outputs, create_graph, many), finished(found, create_graph, many_inputs)


def jvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The outputs, and the Jacobian times the vector: the vector-Jacobian product, differentiated by its vector."""
    with set_grad_enabled(True):
        many_inputs, given = several(inputs, "inputs", "jvp")
        leaves = prepared(given, create_graph)
        tangents = vector(v, leaves, many_inputs, "jvp", NO_VECTOR_IN)
        many, outputs = several(func(*leaves), OUTPUTS, "jvp")
        found = pushed(outputs, leaves, tangents, create_graph)
    return finished(outputs, create_graph, many), finished(found, create_graph, many)


def pushed(
    outputs: Sequence[Tensor], leaves: Sequence[Tensor], tangents: Sequence[Tensor], create_graph: bool
) -> tuple[Tensor, ...]:
    """What the tangents of the inputs become at the outputs."""
    upstream = [zeros(out).requires_grad_() for out in outputs]
    through = gradients(outputs, leaves, upstream, create_graph=True)
    return gradients(through, upstream, tangents, create_graph=create_graph)


def vhp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The output, and the vector times the Hessian."""
    with set_grad_enabled(True):
        many, given = several(inputs, "inputs", "vhp")
        leaves = prepared(given, create_graph)
        times = vector(v, leaves, many, "vhp", NO_VECTOR_IN)
        output = func(*leaves)
        slopes = gradients([single(output, "vhp")], leaves, create_graph=True)
        found = gradients(slopes, leaves, times, create_graph=create_graph)
    return finished((output,), create_graph, False), finished(found, create_graph, many)


def hvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The output, and the Hessian times the vector."""
    with set_grad_enabled(True):
        many, given = several(inputs, "inputs", "hvp")
        leaves = prepared(given, create_graph)
        times = vector(v, leaves, many, "hvp", NO_VECTOR_IN)
        output = func(*leaves)
        slopes = gradients([single(output, "hvp")], leaves, create_graph=True)
        found = pushed(slopes, leaves, times, create_graph)
    return finished((output,), create_graph, False), finished(found, create_graph, many)


MEMBERS: dict[str, Any] = {
    "jacobian": jacobian,
    "hessian": hessian,
    "vjp": vjp,
    "jvp": jvp,
    "vhp": vhp,
    "hvp": hvp,
}
