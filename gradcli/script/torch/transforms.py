"""`torch.func`: functions that make functions of derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from gradcli.engine.backward import grad as engine_grad
from gradcli.engine.backward import reachable
from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.derivatives import gradients, prepared, pushed, rows, several

Func = Callable[..., Any]
Places = int | tuple[int, ...]


def chosen(args: tuple[Any, ...], argnums: Places) -> tuple[list[Any], tuple[Tensor, ...]]:
    """The arguments with those of the given numbers replaced by tensors to differentiate by, and these."""
    places = (argnums,) if isinstance(argnums, int) else argnums
    leaves = prepared([args[place] for place in places], create_graph=True)
    given = list(args)
    for place, leaf in zip(places, leaves, strict=True):
        given[place] = leaf
    return given, leaves


def outside(results: Any, leaves: Sequence[Tensor]) -> Any:
    """Results stay in the graph of what lies outside of the function, and of nothing else."""
    if isinstance(results, tuple):
        return tuple(outside(x, leaves) for x in results)
    if not isinstance(results, Tensor) or results.node is None:
        return results
    node, own = results.node, {leaf.node for leaf in leaves}
    ends = set(reachable([node])[1]) if isinstance(node, Node) else {node}
    return results if any(isinstance(end, AccumulateGrad) and end not in own for end in ends) else results.detach()


def grad_and_value(func: Func, argnums: Places = 0, has_aux: bool = False) -> Func:
    """A function that gives the gradient, and the value of `func`."""

    @wraps(func, assigned=("__name__",), updated=())
    def call(*args: Any, **keywords: Any) -> Any:
        with set_grad_enabled(True):
            given, leaves = chosen(args, argnums)
            output = func(*given, **keywords)
            value, aux = output if has_aux else (output, None)
            if not isinstance(value, Tensor):
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a single tensor, "
                    f"got {type(value).__name__}."
                )
            if value.ndim:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{value.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            found = gradients([value], leaves, create_graph=True)
            slopes = outside(found[0] if isinstance(argnums, int) else found, leaves)
        value, aux = outside(value, leaves), outside(aux, leaves)
        return (slopes, (value, aux)) if has_aux else (slopes, value)

    return call


def grad(func: Func, argnums: Places = 0, has_aux: bool = False) -> Func:
    """A function that gives the gradient of `func`, which has one number for its result."""
    both = grad_and_value(func, argnums, has_aux)

    def call(*args: Any, **keywords: Any) -> Any:
        slopes, value = both(*args, **keywords)
        return (slopes, value[1]) if has_aux else slopes

    return call


def vjp(func: Func, *primals: Any) -> Any:
    """The output, and a function from upstream gradients to those of the inputs."""
    with set_grad_enabled(True):
        leaves = prepared(primals, create_graph=True)
        _, outputs = several(made := func(*leaves), "outputs", "vjp")

    def pull(*upstream: Any, **_: Any) -> tuple[Tensor, ...]:
        given = upstream[0] if len(upstream) == 1 and isinstance(upstream[0], tuple) else upstream
        with set_grad_enabled(True):
            found = engine_grad(outputs, leaves, given, retain_graph=True, create_graph=True, allow_unused=True)
        return outside(found, leaves)  # type: ignore[no-any-return]

    return outside(made, leaves), pull


def jvp(func: Func, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """The output, and what the tangents of the inputs become there."""
    with set_grad_enabled(True):
        leaves = prepared(primals, create_graph=True)
        many, outputs = several(made := func(*leaves), "outputs", "jvp")
        found = pushed(outputs, leaves, tangents, True)
    return outside(made, leaves), outside(found if many else found[0], leaves)


def jacrev(func: Func, argnums: Places = 0) -> Func:
    """A function that gives the Jacobian of `func`."""

    def call(*args: Any) -> Any:
        with set_grad_enabled(True):
            given, leaves = chosen(args, argnums)
            many, outputs = several(func(*given), "outputs", "jacrev")
            found = [rows(out, leaves, True) for out in outputs]
            told = [x[0] if isinstance(argnums, int) else x for x in found]
        return outside(tuple(told) if many else told[0], leaves)

    return call


def hessian(func: Func, argnums: Places = 0) -> Func:
    """A function that gives the Hessian of `func`."""
    return jacrev(jacrev(func, argnums), argnums)


MEMBERS: dict[str, Any] = {
    "grad": grad,
    "grad_and_value": grad_and_value,
    "vjp": vjp,
    "jvp": jvp,
    "jacrev": jacrev,
    "jacfwd": jacrev,  # the same numbers, found the other way round
    "hessian": hessian,
}
