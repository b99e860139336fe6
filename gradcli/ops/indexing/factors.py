"""The gradient of products of scattered factors, some of which may be 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.indexing.gathering import gather, gathered
from gradcli.ops.indexing.indexing import flat_positions
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.selection import where
from gradcli.ops.support.covering import as_node, one_way

Product = Callable[[Any, Any], Any]  # of the input and the factors that are scattered onto it
REDUCE = {"src": "scatter_reduce", "source": "index_reduce"}
TWO_ZEROS = (
    "{0}(): Double backward is unsupported for {1} when >1 zeros in {1} are scattered to the same position in self"
)


def own_rule(g: Any, x: Any, src: Any, product: Product) -> Any:
    """Return the gradient of the input: the product of the other factors."""
    factor = where(equal(x, 0), 1, x)
    return g * product(factor, src) / factor


def factor_rule(g: Any, out: Any, x: Any, index: Any, src: Any, dim: int, product: Product, name: str) -> Any:
    """Divide the product by each factor; one that is the only 0 gets the product of the others."""
    number = _zeros_beside(_value(index), _value(src), x.shape, dim)
    only = number == 1
    share = gather(g * out, index, dim=dim) / where(equal(src, 0), 1, src)
    if not only.any() and not isinstance(g, Tensor):
        return share
    others = product(x, where(_like(only, src), 1, src))
    found = where(_like(only, src), gather(g * others, index, dim=dim), share)
    if number.max(initial=0) > 1 and isinstance(found, Tensor) and found.requires_grad:
        return one_way(as_node(found, "torch::autograd::Error"), TWO_ZEROS.format(REDUCE[name], name))
    return found


def _zeros_beside(index: Any, src: Any, shape: tuple[int, ...], dim: int) -> Any:
    """Count for each factor that is 0 the zeros that go to its position; 0 for the others."""
    places = gathered(flat_positions(shape), index, dim=dim)
    zeros = np.bincount(places.ravel(), (src == 0).ravel(), int(np.prod(shape)))
    return np.where(src == 0, zeros[places], 0)


def _value(x: Any) -> Any:
    return getattr(x, "value", x)


def _like(mask: Any, x: Any) -> Any:
    return Tensor(mask) if isinstance(x, Tensor) else mask
