"""Tensors as sets of entries: membership, runs of equal entries, combinations, indices by number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, EvaluationError
from gradcli.ops.indexing.gathering import masked_select
from gradcli.ops.reducing.underived import underived_from
from gradcli.ops.shaping.joining import stack
from gradcli.ops.shaping.stacks import meshgrid
from gradcli.ops.support.arguments import Operand, Shape, as_tensor, check_size
from gradcli.ops.support.surface import operation

MOST_DIMENSIONS = 64

occurs = primitive(
    "isin",
    lambda x, y, *, assume_unique=False, invert=False: np.isin(x, y, assume_unique=assume_unique, invert=invert)[()],
    structured=True,
)


@operation(
    "x = [1, 2]; where(isin([1, 2], [2, 5]), x**2, x)",
    "x = [1, 2]; where(isin([1, 2], 2, invert=True), x**2, x)",
    method=False,
)
def isin(elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Whether each entry of `elements` occurs in `test_elements`."""
    first, second = (as_tensor(x) for x in (elements, test_elements))
    return occurs(first, second, assume_unique=assume_unique, invert=invert)


def check_rows(x: Tensor, dim: int) -> None:
    """Refuse to compare the slices of a dimension that have no entries, or of a tensor without dimensions."""
    if not x.ndim:
        raise AutogradError(f"Dimension specified as {dim} but tensor has no dimensions", code="E301")
    empty = x.shape.count(0)
    if empty > 1 and not x.shape[dim]:
        raise AutogradError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
    if empty and x.shape[dim]:
        raise AutogradError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")


@operation("unique_consecutive([3, 3, 1, 3])", "unique_consecutive([3, 3, 1, 3], return_inverse=True)[1]")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The first entry of each run of equal entries; on request with the run of each entry, and their lengths."""
    refuse_examples("unique_consecutive", input)
    axis = 0 if dim is None else dimension(dim, input.ndim)
    if dim is not None:
        check_rows(input, dim)
    rows = np.reshape(input.value, -1) if dim is None or not input.ndim else np.moveaxis(input.value, axis, 0)
    differs = (rows[1:] != rows[:-1]).any(axis=tuple(range(1, rows.ndim)))
    begins = np.concatenate([np.ones(min(len(rows), 1), bool), differs])
    starts = np.flatnonzero(begins)
    found = [underived_from(input, Tensor(np.moveaxis(rows[starts], 0, axis)), "unique_consecutive")]
    if return_inverse:
        runs = np.cumsum(begins) - 1
        found.append(Tensor(runs.reshape(input.shape) if dim is None else runs))
    if return_counts:
        found.append(Tensor(np.diff(np.append(starts, len(rows)))))
    return found[0] if len(found) == 1 else tuple(found)


@operation("x = [1, 2, 3]; combinations(x)", "x = [1, 2]; combinations(x, 3, with_replacement=True)", method=False)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Any:
    """All ways to choose `r` entries of a vector, a row each."""
    if input.ndim != 1:
        raise AutogradError(f"Expect a 1D vector, but got shape {list(input.shape)}", code="E301")
    if r < 0:
        raise AutogradError(f"Expect a non-negative number, but got {r}")
    size = input.shape[0]
    if not r:
        return Tensor(np.zeros(0, input.dtype))
    check_size((size,) * min(r, 64))
    if r > MOST_DIMENSIONS:
        raise EvaluationError("E210", f"a tensor has at most {MOST_DIMENSIONS} dimensions", help="choose fewer entries")
    places = np.indices((size,) * r)
    later = places[:-1] <= places[1:] if with_replacement else places[:-1] < places[1:]
    chosen = Tensor(later.all(axis=0))
    return stack(*(masked_select(x, chosen) for x in meshgrid(*[input] * r)), dim=1)


@operation("unravel_index([4, 1], (2, 3))[0]", method=False)
def unravel_index(indices: Tensor, shape: Shape) -> tuple[Any, ...]:
    """The indices along each dimension of the given shape, from indices into the flattened tensor."""
    if indices.dtype.kind not in "iu":
        raise AutogradError("expected 'indices' to be integer dtype, but got torch." + indices.dtype.name)
    shape = (shape,) if isinstance(shape, int) else shape
    if any(size < 0 for size in shape):
        raise AutogradError(f"'shape' cannot have negative values, but got {tuple(shape)}")
    sizes = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    places = indices.value.astype(np.int64)
    return tuple(
        Tensor((places // max(size, 1) % max(length, 1))[()]) for size, length in zip(sizes, shape, strict=True)
    )


@operation("nonzero_static([1, 0, 2], size=3)")
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Any:
    """The indices of the first `size` entries that are not 0, one row each; missing rows are filled."""
    if size < 0:
        raise AutogradError("nonzero_static: 'size' must be an non-negative integer")
    check_size((size, input.ndim))
    places = np.argwhere(input.value)[:size]
    filled = np.full((size, input.ndim), fill_value, np.int64)
    filled[: len(places)] = places
    return Tensor(filled)
