"""Operations of several nodes that are one node in torch: its name, and what `next_functions` shows of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from gradcli.engine.graph import Node
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tangents import tangents_of
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError


def as_one(result: Any, *inputs: Any) -> Any:
    """Return the result, whose node shows edges to these inputs alone; an input that is None needs no gradient."""
    if isinstance(result.node, Node):
        result.node.shown = tuple(x if x is None else x.node for x in inputs)
    return result


def _same(x: Any) -> Any:
    return x


def passing(name: str, node: str, **kept: Any) -> Primitive:
    """Make the primitive of a node that passes values and gradients on unchanged."""
    return Primitive(name, _same, (lambda g, out, x: g,), node, call(name, _same), structured=True, **kept)


@cache
def _ending(node: str, saves: tuple[int, ...], number: int) -> Primitive:
    return passing("result", node, saves=saves, number=number)


def ended(x: Tensor, node: str, *inputs: Tensor | None, saves: tuple[int, ...] = (), number: int = 0) -> Any:
    """Return the tensor as the result of a node of this name, which in torch stands for all since these inputs.

    The node passes gradients on unchanged; with `saves=(OUT,)` it saves the result. `number` says which of several
    results it is.
    """
    found = _ending(node, saves, number)(x)
    return as_one(found, *inputs) if inputs else found


@cache
def _beginning(node: str) -> Primitive:
    passed = passing("gradient", node)

    def rule(g: Any, out: Any, x: Any) -> Any:
        return passed(g) if isinstance(g, Tensor) else g

    return Primitive("operand", _same, (rule,), node, call("operand", _same), structured=True)


def begun(x: Tensor, node: str) -> Tensor:
    """Return the input of several nodes that are one in torch, whose gradient by it has a last node of this name."""
    if not x.requires_grad:
        return x
    found: Tensor = _beginning(node)(x)
    found.history = x.history  # what saves it saves the input
    return found


def changed(x: Tensor, times: int) -> Tensor:
    """Return a tensor that torch makes by so many changes in place."""
    if not tangents_of(x):  # which go by the changes that there were
        x.history = [0] * times
    return x


def one_way(result: Any, message: str) -> Any:
    """Return the result, whose node refuses the backward pass with a RuntimeError, as a kernel of torch does."""

    def refuse(g: Any, out: Any, *operands: Any, **options: Any) -> Any:
        raise AutogradError(message, code="E301")

    if isinstance(result.node, Node):
        known = result.node.primitive
        result.node.primitive = replace(known, rules=tuple(rule and refuse for rule in known.rules))
    return result
