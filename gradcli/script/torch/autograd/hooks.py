"""Running the callbacks of a node, and checking the gradients that they return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.engine.broadcast import fit
from gradcli.engine.checks.versions import check_versions
from gradcli.engine.dtypes import TYPE_NAMES, type_name
from gradcli.engine.graph import AccumulateGrad, Node, Target, Whole
from gradcli.engine.saved import operands
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


def joint_hooks(joint: Whole, pending: dict[Target, Any], *, passes: bool, recorded: bool) -> None:
    """Run the hooks of all parts of one node of torch on the `pending` gradients, None where none came.

    The newest part is reached when all gradients are there: what was made from one of them is newer than all. The
    parts come in the order of their first hooks, then, if the gradient `passes` on, the prehooks of the node.
    """
    for hooked in sorted((x for x in joint.parts if x is not None and x.hooks is not None), key=_first_hook):
        _put(pending, hooked, before_hooks(hooked, pending.get(hooked), passes=False))
    for hook in list(joint.before.values()) if passes else ():
        given = arrived(joint, pending)
        for part, left in zip(joint.parts, replaced(hook, given, hook(given)), strict=True):
            if part is not None:
                _put(pending, part, left if recorded or left is None else left.value)


def _put(pending: dict[Target, Any], node: Target, gradient: Any) -> None:
    if gradient is None:
        pending.pop(node, None)
    else:
        pending[node] = gradient


def arrived(whole: Whole, pending: dict[Target, Any]) -> tuple[Any, ...]:
    """Return the gradients of the results of torch's node as hooks get them, None where none came."""
    return tuple(None if part is None else _tensor(pending.get(part)) for part in whole.parts)


def _first_hook(node: Target) -> int:
    """Return the time at which the first hook of the tensor was registered."""
    return min(node.hooks.tensor, default=0) if node.hooks is not None else 0


def posthooks(node: Node) -> dict[int, Any]:
    """Return the hooks that run after a node of torch."""
    if node.joint is not None and node.joint.is_hooked:
        return node.joint.after
    return {} if node.hooks is None else node.hooks.after


def after_hooks(node: Node, upstream: Any, given: Sequence[Any], pending: dict[Target, Any]) -> Sequence[Any]:
    """Run posthooks on the gradients of the inputs and the upstream gradient; returns the gradients that they leave.

    `given` has one entry an edge, None for no gradient; `pending` has the upstream gradients of other results.
    """
    joint = node.joint
    told = node.told(_tensor(upstream)) if joint is None else arrived(joint, {**pending, node: upstream})
    rules = node.primitive.rules_for(node.edges)
    positions = [i for i in range(len(node.edges)) if i < len(rules) and rules[i] is not None]
    results = tuple(None if given[i] is None else _tensor(given[i]) for i in positions)
    for hook in list(posthooks(node).values()):
        results = replaced(hook, results, hook(results, told))
    left = list(given)
    for i, result in zip(positions, results, strict=True):
        left[i] = result if result is None or isinstance(upstream, Tensor) else result.value
    return left


def replaced_rules(
    node: Node, rules: Sequence[Any], upstream: Any, out: Any, values: Sequence[Any], pending: dict[Target, Any]
) -> Sequence[Any]:
    """Return rules for a node with posthooks: its gradients are computed at once, and replaced as the hooks say.

    Those of a joint node are computed with its first part: the gradients of the others leave `pending`.
    """
    given = contributions(node, rules, upstream, out, values)
    parts = [] if node.joint is None else [x for x in node.joint.parts if x in pending]
    before: dict[Target, Any] = {part: pending[part] for part in parts if part is not None}
    for part in parts:
        if part is not None:
            given = [_sum(a, b) for a, b in zip(given, _of_part(part, pending.pop(part)), strict=True)]
    return [_constant(left) for left in after_hooks(node, upstream, given, before)]


def _constant(gradient: Any) -> Callable[..., Any]:
    """Return a rule that gives the gradient whatever the operands and options are."""
    return lambda *_, **__: gradient


def _of_part(part: Node, upstream: Any) -> Sequence[Any]:
    values, out = operands(part, isinstance(upstream, Tensor))
    check_versions(part)
    return contributions(part, part.primitive.rules_for(values), upstream, out, values)


def _sum(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other


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
