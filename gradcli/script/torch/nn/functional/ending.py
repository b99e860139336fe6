"""A node with torch's name at the end of several operations that are one in torch; it passes gradients on unchanged."""

from __future__ import annotations

from functools import cache
from typing import Any

from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor


def _same(x: Any) -> Any:
    return x


@cache
def _ending(node: str) -> Primitive:
    return Primitive("result", _same, (lambda g, out, x: g,), node, call("result", _same), structured=True)


def ended(x: Tensor, node: str) -> Any:
    """Return the tensor as the result of a node of this name."""
    return _ending(node)(x)
