"""Entries written by index, or under a mask, into a copy: scatter, index_copy, index_fill, masked_scatter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import Notation, literal, number
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops.formulas import scattering as written
from gradcli.ops.indexing.gathering import (
    dim_second,
    gather,
    gathered,
)
from gradcli.ops.indexing.indexing import flat_positions
from gradcli.ops.indexing.places import check_places, placing, scattering
from gradcli.ops.support.arguments import Indices, Operand
from gradcli.ops.support.sentences import REPLACED
from gradcli.ops.support.surface import operation


def _scattered(x: Any, index: Any, src: Any, *, dim: int) -> Any:
    """Write entries at the indices; of several entries for one position the last is kept."""
    out = np.array(x, order="C")
    out.reshape(-1)[gathered(flat_positions(x.shape), index, dim=dim)] = src
    return out[()]


def _with_number(name: str) -> Notation:
    """Return the notation `scatter(x, 0, index, 5)`."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        x, index = (operand.tree for operand in operands)
        return Call(name, tuple(map(Argument, (x, literal(options["dim"]), index, number(options["value"])))))

    return write


def _filling(name: str, forward: Any, node: str, index: Any) -> Primitive:
    filled: Primitive = primitive(
        f"{name}_number",
        lambda x, index, *, dim, value: forward(x, index, x.dtype.type(value), dim=dim),
        lambda g, out, x, index, *, dim, value: filled(g, index, dim=dim, value=0),
        node=node,
        structured=True,
        notation=_with_number(name),
        says="Entries that a number is written over get 0; the others get their gradient.",
        index=index,
    )
    return filled


scatter_number = _filling("scatter", _scattered, "ScatterBackward1", written.scattered_number)
scatter = primitive(
    "scatter",
    _scattered,
    lambda g, out, x, index, src, *, dim: scatter_number(g, index, dim=dim, value=0),
    None,
    lambda g, out, x, index, src, *, dim: gather(g, index, dim=dim),
    structured=True,
    notation=dim_second("scatter"),
    says=REPLACED,
    index=written.scattered,
)


@operation(
    "x = [[1, 2, 3]]; y = [[4, 5]]; scatter(x, 1, [[2, 0]], y)",
    "x = [[1, 2], [3, 4]]; scatter(x, 0, [[1, 0]], 7)",
)
def scatter_(input: Tensor, dim: int, index: Indices, src: Operand = None, *, value: float | None = None) -> Any:
    """The input with entries of `src`, or one number, at the indices: `out[i][index[i][j]] = src[i][j]` for `dim=1`."""
    src = value if src is None else src
    if src is None:
        raise AutogradError("scatter() takes src or value", code="E203")
    axis, places = dimension(dim, input.ndim), placing(input, index)
    if not isinstance(src, Tensor):
        check_places("scatter", input, axis, places)
        return scatter_number(input, places, dim=axis, value=src)
    found = scattering(input, axis, places, src)
    AutogradError.when(src.dtype != input.dtype, "scatter(): Expected self.dtype to be equal to src.dtype")
    return scatter(input, places, found, dim=axis)
