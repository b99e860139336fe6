"""Running the callbacks of a node."""

from __future__ import annotations

from typing import Any

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.tensor import Tensor


def before_hooks(node: Node | AccumulateGrad, gradient: Any) -> Any:
    """Tensor hooks, `retain_grad` and prehooks, in torch's order; returns the gradient that they leave."""
    hooks = node.hooks
    assert hooks is not None
    carried = _tensor(gradient)
    for hook in list(hooks.tensor.values()):
        replacement = hook(carried)
        carried = carried if replacement is None else replacement
    if hooks.retain is not None:
        hooks.retain(carried)
    for before in list(hooks.before.values()):
        replaced = before((carried,))
        if replaced is not None:
            carried = replaced[0] if isinstance(replaced, tuple) else replaced
    return carried if isinstance(gradient, Tensor) else carried.value


def after_hooks(node: Node, upstream: Any) -> None:
    """Posthooks see the gradients that the node gave to its inputs, and the one that it got."""
    assert node.hooks is not None
    given, node.hooks.given = node.hooks.given, {}
    positions = [i for i, rule in enumerate(node.primitive.rules_for(node.edges)) if rule is not None]
    results = tuple(_tensor(given[i]) if i in given else None for i in positions)
    for hook in list(node.hooks.after.values()):
        hook(results, (_tensor(upstream),))


def accumulated_hooks(node: AccumulateGrad, gradient: Any) -> None:
    """Hooks that see the leaf with its new `.grad`, then posthooks: a leaf gives nothing further."""
    assert node.hooks is not None
    for accumulated in list(node.hooks.accumulated.values()):
        accumulated(node.variable)
    for hook in list(node.hooks.after.values()):
        hook((), (_tensor(gradient),))


def _tensor(gradient: Any) -> Tensor:
    return gradient if isinstance(gradient, Tensor) else Tensor(gradient)
