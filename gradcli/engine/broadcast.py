"""Broadcasting, which rules ignore: gradients are summed over the axes that were broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import in_front
from gradcli.engine.memory.layout import strided
from gradcli.engine.numerics import summation
from gradcli.engine.primitive import Primitive, primitive, structured
from gradcli.engine.symbolic.formula import Formula, literal, positional
from gradcli.engine.symbolic.indices import ELSEWHERE, sums_of_copies
from gradcli.errors import ShapeError
from gradcli.language.tree import Argument, Call, Expression, Literal, Number

NUMBERS = frozenset({np.float64, np.float32})  # which have no shape, and of which numpy takes its time to say so
SUM = "A sum hands the gradient on to every entry that was added."


@lru_cache(1024)
def summed_axes(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes of `shape` over which `target` was broadcast."""
    lead = len(shape) - len(target)
    stretched = (axis + lead for axis, size in enumerate(target) if size == 1 and shape[axis + lead] != 1)
    return (*range(lead), *stretched)


def row(tree: Expression) -> Expression | None:
    """Return the vector `v` of a matrix written `unsqueeze(v, 0)`, else None."""
    if isinstance(tree, Call) and tree.function == "unsqueeze" and tree.arguments[1].value == Number(0):
        return tree.arguments[0].value
    return None


def _sum_to_size(x: Any, *, size: tuple[int, ...]) -> Any:
    axes, dtype = summed_axes(np.shape(x), size), np.asarray(x).dtype
    if dtype.kind == "f":
        summed = summation.total(x, axes, keepdims=True)
    else:
        summed = np.sum(x, axis=axes, keepdims=True, dtype=dtype)
    return summed.reshape(size)[()]


def _write_sum(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write the sum as a user would: `sum(x)`, `sum(x, dim=0)`, `sum(x, dim=1, keepdim=True)`."""
    x, size = operands[0], options["size"]
    lead = len(x.shape) - len(size)
    if not size:
        return Call("sum", (Argument(x.tree),))
    tree = x.tree
    kept = tuple(axis for axis in summed_axes(x.shape, size) if axis >= lead)
    if kept:
        tree = _sum_call(tree, kept, keepdim=True)
    if lead:
        tree = _sum_call(tree, tuple(range(lead)))
    return tree


def _sum_call(tree: Expression, axes: tuple[int, ...], keepdim: bool = False) -> Expression:
    arguments = [Argument(tree), Argument(literal(axes[0] if len(axes) == 1 else axes), "dim")]
    if keepdim:
        arguments.append(Argument(Literal(True), "keepdim"))
    return Call("sum", tuple(arguments))


def _fold_sum(x: Formula, *, value: Any, size: tuple[int, ...]) -> Formula | None:
    if x.shape == size:
        return x
    vector = row(x.tree)
    return Formula(vector, value, x.size) if vector is not None and x.shape == (1, *size) else None


def _fold_expand(x: Formula, *, value: Any, size: tuple[int, ...]) -> Formula | None:
    if x.shape == size:
        return x
    tree = Call("expand", (Argument(x.tree), Argument(literal(size))))
    return Formula(tree, value, x.size + 1, inner=x.inner or x)


sum_to_size: Primitive = structured(
    "sum_to_size",
    _sum_to_size,
    lambda g, out, x, *, size: expand(g, size=x.shape),
    node="SumBackward1",
    notation=_write_sum,
    fold=_fold_sum,
    says=SUM,
    index=sums_of_copies,
    stacked=lambda x, *, size: _sum_to_size(x, size=(len(x), *in_front(size, x.ndim - 1))).reshape(len(x), *size),
)


def _expand(x: Any, *, size: tuple[int, ...]) -> Any:
    if 1 not in size or not np.ndim(x) or not x.size:
        return np.broadcast_to(x, size)
    view = strided(x, size, _steps(x, size))
    view.flags.writeable = False
    return view


def _steps(x: Any, size: tuple[int, ...]) -> list[int]:
    """Return the strides of an expanded array as torch has them, where they are not 0 in a dimension of size 1."""
    sizes = zip(reversed(x.strides), reversed(x.shape), reversed(size), strict=False)
    steps = [step if length == wanted else 0 for step, length, wanted in sizes]
    for place in range(len(size) - len(steps) - 1, -1, -1):
        steps.append(size[place + 1] * steps[-1] if size[place] == 1 else 0)
    return steps[::-1]


expand: Primitive = structured(
    "expand",
    _expand,
    lambda g, out, x, *, size: g if g.shape == x.shape else sum_to_size(g, size=x.shape),
    view=True,
    notation=positional("expand"),
    fold=_fold_expand,
    traits=("layout",),
    says="One entry was copied to many places, so the gradients of all the copies are added.",
    index=ELSEWHERE,
    stacked=lambda x, *, size: _expand(x.reshape(len(x), *in_front(x.shape[1:], len(size))), size=(len(x), *size)),
)
to_copy = primitive(
    "to_copy",
    lambda x, *, dtype: x.astype(dtype),
    lambda g, out, x, *, dtype: g,
    notation=lambda operands, _: operands[0].tree,
    traits=("layout",),
    says="The values stay as they are, so the gradient goes back unchanged.",
)


def other_shape(gradient: Any, x: Any) -> ShapeError:
    """Return the error for a gradient that does not fit, since the data of a leaf got another shape."""
    words = f"a gradient of shape {gradient.shape} arrives at a leaf whose data has the shape {x.shape} by now"
    return ShapeError(words, help="call backward() before the data of the leaf gets another shape")


def fit(gradient: Any, x: Any) -> Any:
    """Bring a gradient to the shape and dtype of the input it belongs to."""
    kind = type(gradient)
    if kind is type(x) and (kind in NUMBERS or (kind is Formula and type(gradient.value) is type(x.value) in NUMBERS)):
        return gradient
    if gradient.shape != x.shape:
        try:
            gradient = sum_to_size(gradient, size=x.shape)
        except ValueError:
            raise other_shape(gradient, x) from None
    return gradient if gradient.dtype == x.dtype else to_copy(gradient, dtype=x.dtype)
