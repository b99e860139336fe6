"""Entries read by their number in the flattened tensor: take."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.formulas import indexing as entries
from gradcli.ops.indexing.indexing import flat_positions, scattered
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array, Indices, Places, Shape
from gradcli.ops.support.sentences import PICKED, PLACED
from gradcli.ops.support.surface import operation


def _take_backward(g: Array, index: Places, *, shape: Shape) -> Any:
    """The gradient of `take`: each entry added at its place of the flattened tensor."""
    return scattered(g, np.take(flat_positions(shape), index), shape)


take: Primitive = primitive(
    "take",
    lambda x, index: np.take(x, index),
    lambda g, out, x, index: take_backward(g, index, shape=x.shape),
    saves=(0,),
    structured=True,
    says=PICKED,
    index=entries.taken,
)
take_backward: Primitive = primitive(
    "take_backward",
    _take_backward,
    lambda g, out, h, index, *, shape: take(g, index),
    structured=True,
    says=PLACED,
    index="adjoint of take",
)
printed(take_backward, "u = [1, 2, 3]; take_backward(u, [0, 3, 0], shape=(2, 2))")


@operation("A = [[1, 2], [3, 4]]; take(A, [0, 3, 0, -2])")
def take_(input: Tensor, index: Indices) -> Any:
    """Entries by their number in the flattened tensor."""
    size = input.value.size
    if index.dtype == np.bool_:
        raise AutogradError(f"take(): Expected a long tensor for index, but got {TYPE_NAMES[index.dtype]}")
    if not size and index.value.size:
        raise AutogradError("take(): tried to take from an empty tensor", code="E301")
    bad = index.value[(index.value < -size) | (index.value >= size)]
    if np.size(bad):
        raise AutogradError(
            f"out of range: tried to access index {int(np.ravel(bad)[0])} on a tensor of {size} elements.", code="E301"
        )
    return take(input, index)
