"""Nodes at which a backward pass stops: those that give no gradient back, and those that refuse to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.engine.graph import Node
from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.autograd.parts import Opaque

TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


def refusing(tensors: Sequence[Any], message: str) -> tuple[Any, ...]:
    """Return the tensors at nodes over all of them, whose rules raise a RuntimeError."""

    def refuse(g: Any, out: Any, *inputs: Any) -> Any:
        if isinstance(g, Formula):  # read as text, not computed
            return g
        raise RuntimeError(message)

    return at_nodes(tensors, "torch::autograd::Error", refuse)


def undefined(x: Any) -> Any:
    """Return the tensor at a node that gives no gradient back."""
    return at_nodes([x], "torch::autograd::UndefinedGradBackward", lambda g, out, x: None)[0]


def at_nodes(tensors: Sequence[Any], name: str, rule: Any) -> tuple[Any, ...]:
    """Return the tensors at nodes of that name over all of them, with one rule for each input."""

    def same(x: Any) -> Any:
        return x

    rules = (rule,) * len(tensors)
    once = Opaque("once", same, rules, name, call("once", same), structured=True)
    edges = [x.node if isinstance(x, Tensor) else None for x in tensors]
    inputs = tuple(x if isinstance(x, Tensor) else 0 for x in tensors)  # for None stands a constant
    if not mode.grad_enabled or all(edge is None for edge in edges):
        return tuple(tensors)
    return tuple(
        Tensor(x.value, Node(once, inputs, {}, edges, x.value)) if isinstance(x, Tensor) else x for x in tensors
    )


def once_differentiable(backward: Any) -> Any:
    """Decorate `backward`: its results are outside the graph, and to differentiate them is an error."""

    def backward_once(ctx: Any, *gradients: Any) -> Any:
        with set_grad_enabled(False):
            found = backward(ctx, *gradients)
        if not (mode.grad_enabled and any(isinstance(g, Tensor) and g.requires_grad for g in gradients)):
            return found
        several = found if isinstance(found, tuple) else (found,)
        apart = [x.detach().requires_grad_() if isinstance(x, Tensor) else x for x in several]
        results = refusing(apart, TWICE)
        return results if isinstance(found, tuple) else results[0]

    return backward_once
