"""Operations of several nodes that are one node in torch: its name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from gradcli.engine.carrier import Carrier
from gradcli.engine.graph import Node
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError


def _same(x: Any) -> Any:
    return x


def passing(name: str, node: str, **kept: Any) -> Primitive:
    """Make the primitive of a node that passes values and gradients on unchanged."""
    return Primitive(name, _same, (lambda g, out, x: g,), node, call(name, _same), structured=True, **kept)


@cache
def _ending(node: str, saves: tuple[int, ...], number: int) -> Primitive:
    return passing("result", node, saves=saves, number=number)


def as_node(x: Tensor, node: str, *, saves: tuple[int, ...] = (), number: int = 0) -> Any:
    """Return the tensor as the result of a node of this name, which in torch stands for several nodes here.

    The node passes gradients on unchanged; with `saves=(OUT,)` it saves the result. `number` says which of several
    results it is.
    """
    return _ending(node, saves, number)(x)


def one_way(result: Any, message: str) -> Any:
    """Return the result, whose node refuses the backward pass with a RuntimeError, as a kernel of torch does."""

    def refuse(g: Carrier, out: Carrier, *operands: Carrier, **options: Any) -> Any:
        raise ShapeError(message)

    if isinstance(result.node, Node):
        known = result.node.primitive
        result.node.primitive = replace(known, rules=tuple(rule and refuse for rule in known.rules))
    return result
