"""Running the callbacks of a node, and checking the gradients that they return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.engine.broadcast import fit
from gradcli.engine.dtypes import TYPE_NAMES, type_name
from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.tensor import Tensor


def before_hooks(node: Target, gradient: Any, *, passes: bool = True) -> Any:
    """Run tensor hooks, `retain_grad` and prehooks, in torch's order; returns the gradient that they leave.

    Prehooks run only where the gradient `passes` on through the node.
    """
    hooks = node.hooks
    assert hooks is not None
    carried = _tensor(gradient)
    for hook in list(hooks.tensor.values()):
        replacement = hook(carried)
        carried = carried if replacement is None else _checked(hook, carried, replacement)
    keeper = None if hooks.retain is None or carried is None else hooks.retain()
    if keeper is not None:
        keeper.keep(carried)
    for before in list(hooks.before.values()) if passes else ():
        (carried,) = replaced(before, (carried,), before((carried,)))
    return carried if isinstance(gradient, Tensor) or carried is None else carried.value


def after_hooks(node: Node, upstream: Any, given: Sequence[Any]) -> Sequence[Any]:
    """Run posthooks on the gradients of the inputs and the upstream gradient; return the gradients that they leave.

    `given` has one entry an edge, None for no gradient.
    """
    assert node.hooks is not None
    upstream_gradients = node.hook_gradients(_tensor(upstream))
    rules = node.primitive.rules_for(node.edges)
    positions = [i for i in range(len(node.edges)) if i < len(rules) and rules[i] is not None]
    results = tuple(None if given[i] is None else _tensor(given[i]) for i in positions)
    for hook in list(node.hooks.after.values()):
        results = replaced(hook, results, hook(results, upstream_gradients))
    left = list(given)
    for i, result in zip(positions, results, strict=True):
        left[i] = result if result is None or isinstance(upstream, Tensor) else result.value
    return left


def replaced_rules(node: Node, rules: Sequence[Any], upstream: Any, out: Any, values: Sequence[Any]) -> Sequence[Any]:
    """Return rules for a node with posthooks: its gradients are computed at once, and replaced as the hooks say."""
    gradients = contributions(node, rules, upstream, out, values)
    return [_constant(left) for left in after_hooks(node, upstream, gradients)]


def _constant(gradient: Any) -> Callable[..., Any]:
    """Return a rule that gives the gradient whatever the operands and options are."""
    return lambda *_, **__: gradient


def contributions(node: Node, rules: Sequence[Any], upstream: Any, out: Any, values: Sequence[Any]) -> list[Any]:
    """Return the contributions of a node, one an edge: None where no gradient is needed."""
    given = [
        None if edge is None else _contribution(rule(upstream, out, *values, **node.options), x)
        for edge, rule, x in zip(node.edges, rules, values, strict=False)
    ]
    return given + [None] * (len(node.edges) - len(given))


def _contribution(unsummed: Any, x: Any) -> Any:
    return None if unsummed is None else fit(unsummed, x)


def accumulated_hooks(node: AccumulateGrad, gradient: Any) -> None:
    """Run hooks on the leaf with its new `.grad`, then posthooks, which have no gradient to replace."""
    assert node.hooks is not None
    for accumulated in list(node.hooks.accumulated.values()):
        answer = accumulated(node.variable)
        if answer is not None and _checked(accumulated, node.variable, answer) is not node.variable:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    for hook in list(node.hooks.after.values()):
        replaced(hook, (), hook((), (_tensor(gradient),)))


def replaced(hook: Any, before: tuple[Any, ...], answer: Any) -> tuple[Any, ...]:
    """Return the gradients after a hook on a node: its answer, checked, or those before."""
    if answer is None:
        return before
    if not isinstance(answer, tuple):
        raise TypeError(f"expected tuple, but hook returned '{_kind(answer)}'")
    if len(answer) != len(before):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(answer)}, but expected "
            f"{len(before)})"
        )
    return tuple(_checked(hook, old, new) for old, new in zip(before, answer, strict=True))


def _checked(hook: Any, before: Tensor | None, after: Any) -> Any:
    """Return a gradient that a hook put in the place of another, if dtype and shape agree."""
    if after is None:
        return None
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{_kind(after)}'")
    if after.dtype != before.dtype:
        old, new = (f"torch.{TYPE_NAMES[x.dtype]}Tensor" for x in (before, after))
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was {old} got {new})")
    if after.shape != before.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return after


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _kind(answer: Any) -> str:
    return "Tensor" if isinstance(answer, Tensor) else type_name(answer)


def _tensor(gradient: Any) -> Any:
    return gradient if isinstance(gradient, Tensor) or gradient is None else Tensor(gradient)
