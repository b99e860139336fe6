"""A function of a snippet: its outputs as parts of one flat tensor, their tangents, and nodes where passes stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.modes import mode, set_grad_enabled, switched
from gradcli.engine.primitive import Primitive
from gradcli.engine.recorder import listening
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tangents import Level
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.facts import dataclass
from gradcli.language import tree
from gradcli.ops.shaping.shaping import reshape
from gradcli.ops.windows.padding import pad_constant
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.functions.parameters import signature


@dataclass(frozen=True, eq=False)
class Opaque(Primitive):
    """A primitive whose rules are not read for the tensors they save."""

    @property
    def saved(self) -> tuple[frozenset[int], ...]:
        return tuple(frozenset() for _ in self.rules)


class PartNode(Node):
    """The node of one of several outputs; snippets see that of the whole function, which runs the hooks of all."""

    __slots__ = ()
    waits = True

    @property
    def function_node(self) -> Node:
        node = self.edges[0]
        assert isinstance(node, Node)
        return node

    @property
    def number(self) -> int:
        return int(self.options["place"])


def part_of(packed: Any, *, pad: tuple[int, int], shape: tuple[int, ...], place: int = 0) -> Any:
    return reshape(pad_constant(packed, pad=pad, value=0), shape=shape)


def written_part(name: str, operands: Sequence[Formula], options: dict[str, Any]) -> tree.Expression:
    return tree.Call(name, (tree.Argument(operands[0].tree),))


def tangents_of(arguments: tuple[Any, ...]) -> list[Any]:
    """Return the tangents of the arguments, None for a constant; an empty list outside of forward mode."""
    return [level.get(x) if isinstance(x, Tensor) else None for level in listening(Level)[:1] for x in arguments]


def push(
    function: Any, context: Any, arguments: tuple[Any, ...], results: tuple[Any, ...], given: Sequence[Any]
) -> None:
    """Give the results the tangents that the `jvp` of the function returns, if an argument has one."""
    if all(tangent is None for tangent in given):
        return
    if context._materialize:
        given = [_or_zeros(tangent, x) for tangent, x in zip(given, arguments, strict=True)]
    with switched(tape=None), context.forward_mode():
        pushed = function.jvp(context, *given)
    pushed = pushed if isinstance(pushed, tuple) else (pushed,)
    if len(pushed) != len(results) or not all(x is None or isinstance(x, Tensor) for x in pushed):
        raise RuntimeError(f"jvp should return {len(results)} tensors, one for each result, or None")
    for place, (x, tangent) in enumerate(zip(results, pushed, strict=True)):
        plain = any(x is other for other in context._without_gradient)
        takes_tangent = not plain and isinstance(x, Tensor) and is_floating(x.value)
        if takes_tangent is (tangent is None):
            words = f"a jvp that gives {'no' if takes_tangent else 'a'} tangent of result {place} is not supported here"
            raise UnsupportedError(words, python=RuntimeError)
        if tangent is not None:
            listening(Level)[0].set(x, tangent)


def _or_zeros(tangent: Tensor | None, x: Any) -> Tensor | None:
    """Return the tangent of an argument as `jvp` gets it: zeros where there is none."""
    wanted = tangent is None and isinstance(x, Tensor) and is_floating(x.value)
    return Tensor(np.zeros_like(x.value)[()]) if wanted else tangent


def bound(
    forward: Callable[..., Any], separate: bool, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, ...]:
    """Return the arguments of `apply` by position; defaults join them where `forward` is apart from its context."""
    if not (separate or keywords):
        return arguments
    parameters = signature(forward)
    if separate:
        found = parameters.bind(*arguments, **keywords)
        found.apply_defaults()
        arguments, keywords = found.args, found.kwargs
    names = [x.name for x in parameters.parameters.values() if x.kind is x.POSITIONAL_OR_KEYWORD][not separate :]
    if set(names[len(arguments) : len(arguments) + len(keywords)]) != keywords.keys():
        raise TypeError(f"forward() takes {', '.join(names)}, and got {len(arguments)} and {', '.join(keywords)}")
    return (*arguments, *(keywords[name] for name in names if name in keywords))


TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


def refusing(tensors: Sequence[Any], message: str) -> tuple[Any, ...]:
    """Return the tensors at nodes over all of them, whose rules raise a RuntimeError."""

    def refuse(g: Any, out: Any, *inputs: Any) -> Any:
        if isinstance(g, Formula):  # read as text, not computed
            return g
        raise RuntimeError(message)

    return at_nodes(tensors, "torch::autograd::Error", refuse)


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

    @wraps(backward)
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
