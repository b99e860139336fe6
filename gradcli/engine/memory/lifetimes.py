"""The tensors that are still held, as torch counts: asked where a snippet looks at one that may be gone.

Here a node holds all its inputs, and a leaf and the end of its edges hold each other. In torch a node holds what it
saved, and a leaf its end weakly. So the references that torch has not are dropped before anybody looks.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from sys import getrefcount
from typing import Any
from weakref import ref

import numpy as np

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.saved import former, saved
from gradcli.engine.tensor import Tensor

NODE: Any = vars(Tensor)["node"]  # the plain attribute, below the property of views


def stand_in(x: Tensor) -> Tensor:
    """Return a tensor with the value, the place in the graph and the history of `x`, but without its base."""
    made = apart(x)
    made.node = NODE.__get__(x)
    if x in former:
        former[made] = former[x]
    return made


def apart(x: Tensor) -> Tensor:
    """Return a tensor with the value and the history of `x`, outside of the graph."""
    made = Tensor(x.value)
    made.history = x.history
    return made


PAIRS: dict[type, str] = {AccumulateGrad: "variable"}  # classes, and the attribute with what holds the object in turn
HOLDERS: dict[type, Callable[[Any], None]] = {}  # other classes, and what lets their objects hold no more than in torch


def drop() -> None:
    """Drop the references that torch has not: of nodes to inputs, and in pairs that nobody else holds."""
    kinds = {*_family(Node), *PAIRS, *HOLDERS}
    found = [x for x in gc.get_objects() if type(x) in kinds]
    for x in found:
        if isinstance(x, Node):
            _drop_inputs(x)
        elif type(x) in HOLDERS:
            HOLDERS[type(x)](x)
    owners = [ref(x) for x in found if type(x) in PAIRS]
    found.clear()
    x = None
    while sum(_part(owner()) for owner in owners):  # those that went may have held others
        owners = [owner for owner in owners if owner() is not None]


def _family(kind: type[Any]) -> Iterator[type[Any]]:
    yield kind
    children: list[type] = kind.__subclasses__()
    for child in children:
        yield from _family(child)


def _drop_inputs(node: Node) -> None:
    """Put another tensor in the place of each input that the node did not save."""
    if node.inputs is not None:
        kept = saved(node)
        node.inputs = tuple(
            stand_in(x) if isinstance(x, Tensor) and position not in kept else x
            for position, x in enumerate(node.inputs)
        )


def _part(owner: Any) -> bool:
    """Part a pair that nobody else holds; return whether it is one."""
    if owner is None or _references(owner) != ALONE:
        return False
    setattr(owner, PAIRS[type(owner)], None)
    return True


def _references(owner: Any) -> tuple[int, int]:
    """Return the references that are counted to the two of a pair."""
    held = getattr(owner, PAIRS[type(owner)])
    return (0, 0) if held is None else (getrefcount(owner), getrefcount(held))


def _counted(owner: Any) -> tuple[int, int]:
    """Return the references as `_part` counts them."""
    return _references(owner)


def _leaf() -> Any:
    leaf = Tensor(np.zeros(()))
    leaf.node = AccumulateGrad(leaf)
    return ref(leaf.node)


ALONE = _counted(_leaf()())
