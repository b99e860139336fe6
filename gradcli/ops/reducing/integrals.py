"""Integrals and slopes of functions that are given by samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.indexing.indexing import cut, select
from gradcli.ops.pointwise.arithmetic import div
from gradcli.ops.pointwise.scalars import div_number, mul_number
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.reducing.scans import cumsum_
from gradcli.ops.shaping.joining import cat_
from gradcli.ops.shaping.shaping import reshape
from gradcli.ops.support.arguments import Dims, Real, as_tensor
from gradcli.ops.support.surface import operation


def _ends(y: Any, axis: int) -> tuple[Any, Any]:
    """Return all samples but the first, and all but the last."""
    size = y.shape[axis]
    return cut(y, dim=axis, start=1, stop=size), cut(y, dim=axis, start=0, stop=max(size - 1, 0))


def _widths(name: str, y: Tensor, x: Tensor, axis: int) -> Any:
    if x.dtype == np.bool_:
        raise AutogradError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")
    if x.ndim == 1:
        if x.shape[0] != y.shape[axis]:
            raise AutogradError(f"{name}: There must be one `x` value for each sample point", code="E301")
        x = reshape(x, shape=tuple(x.shape[0] if at == axis else 1 for at in range(y.ndim)))
    elif x.ndim < y.ndim:
        x = reshape(x, shape=(1,) * (y.ndim - x.ndim) + x.shape)
    after, before = _ends(x, axis)  # counted from the front, even where `x` has more dimensions
    return after - before


def _check_distance(name: str, dx: Any) -> None:
    if isinstance(dx, bool):
        raise AutogradError(f"{name}: Currently, we only support dx as a real number.")


@operation(
    "y = [1, 4, 9]; trapezoid(y)",
    "y = [1, 4, 9]; trapezoid(y, [0.0, 1.0, 3.0])",
    "y = [[1, 4], [9, 2]]; trapezoid(y, dx=0.5, dim=0)",
    aliases=["trapz"],
    method=False,
    integers_stay=True,
)
def trapezoid(y: Real, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integral along a dimension by the trapezoidal rule, for samples at `x` or at distances `dx`."""
    axis = dimension(dim, y.ndim)
    if not y.ndim:
        place = dim if x is None else 0  # the samples are looked for first
        raise AutogradError(f"Dimension specified as {place} but tensor has no dimensions", code="E301")
    if not y.shape[axis]:
        return Tensor(np.zeros((*y.shape[:axis], *y.shape[axis + 1 :]), y.dtype)[()])
    if x is not None:
        after, before = _ends(y, axis)
        return div_number(sum_dim((before + after) * _widths("trapezoid", y, x, axis), dim=axis), 2)
    _check_distance("trapezoid", dx)
    ends = select(y, dim=axis, index=0) + select(y, dim=axis, index=y.shape[axis] - 1)
    return mul_number(sum_dim(y, dim=axis) - mul_number(ends, 0.5), dx)


@operation(
    "y = [1, 4, 9]; cumulative_trapezoid(y)",
    "y = [1, 4, 9]; cumulative_trapezoid(y, [0.0, 1.0, 3.0])",
    method=False,
    integers_stay=True,
)
def cumulative_trapezoid(y: Real, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integrals up to each sample but the first, by the trapezoidal rule."""
    axis = dimension(dim, y.ndim)
    if not y.ndim:
        raise AutogradError("slice() cannot be applied to a 0-dim tensor.", code="E301")
    _check_distance("cumulative_trapezoid", dx)
    after, before = _ends(y, axis)
    if x is not None:
        return div_number(cumsum_((before + after) * _widths("cumulative_trapezoid", y, x, axis), axis), 2)
    return cumsum_(mul_number(before + after, dx / 2), axis)


@operation(
    "y = [1, 4, 9, 16]; gradient(y)[0]",
    "y = [[1, 4, 9], [2, 3, 5]]; gradient(y, spacing=0.5, dim=1)[0]",
    "y = [1, 4, 9, 16]; gradient(y, spacing=2, edge_order=2)[0]",
    method=False,
)
def gradient(input: Real, *, spacing: Any = 1, dim: Dims = None, edge_order: int = 1) -> tuple[Any, ...]:
    """The slopes along each dimension: between the neighbours on both sides, at the ends on one side."""
    if edge_order not in (1, 2):
        raise AutogradError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    axes = [dimension(axis, input.ndim) for axis in dims]
    twice = next((axis for at, axis in enumerate(axes) if axis in axes[:at]), None)
    if twice is not None:
        raise AutogradError(f"dim {twice} appears multiple times in the list of dims")
    if isinstance(spacing, list | tuple):
        given = list(spacing)
    elif isinstance(spacing, Tensor) and spacing.ndim:
        given = [spacing] if len(axes) == 1 else list(spacing)
    else:
        given = [1 if spacing is None else spacing] * len(axes)
    if len(given) != len(axes) and dim is not None:
        raise AutogradError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(given)} and a dim argument of length {len(axes)}."
        )
    if len(given) != len(axes):
        raise AutogradError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{input.ndim}', but got a list of length {len(given)}"
        )
    if axes and not input.ndim:
        raise AutogradError(f"Dimension specified as {axes[0]} but tensor has no dimensions", code="E301")
    for axis in axes:
        if input.shape[axis] < edge_order + 1:
            raise AutogradError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(
        _slopes(input, _steps(step, input.shape[axis]), axis, edge_order)
        for axis, step in zip(axes, given, strict=True)
    )


def _steps(spacing: Any, size: int) -> Any:
    """Return the distances between neighbours: one number, or one for each pair."""
    if isinstance(spacing, int | float):
        return float(spacing)
    try:
        given = as_tensor(spacing)
    except (TypeError, ValueError):
        raise AutogradError("torch.gradient expected spacing to be numbers or tensors", code="E204") from None
    if given.requires_grad:
        raise AutogradError("gradients of the spacing of torch.gradient are not supported here", code="E401")
    places = given.value
    if not places.ndim:
        return float(places)
    if places.shape != (size,):
        raise AutogradError(
            f"torch.gradient expected each tensor in spacing to have the size of its dimension, {size}, but got "
            f"{places.size}"
        )
    return np.diff(places)


def _slopes(x: Any, steps: Any, axis: int, edge_order: int) -> Any:
    size = x.shape[axis]
    if isinstance(steps, np.ndarray):
        h = steps if steps.dtype.kind == "f" else steps.astype(mode.default_dtype)
        middle = _weighted(x, axis, _between(h[:-1], h[1:]), (0, 1, 2), size - 2)
    else:
        h = None
        inner = cut(x, dim=axis, start=2, stop=size) - cut(x, dim=axis, start=0, stop=max(size - 2, 0))
        middle = div_number(div_number(inner, steps), 2)
    ends = []
    for first, near, far in ((0, 0, 1), (size - edge_order - 1, -1, -2)):
        if edge_order == 1:
            rise = cut(x, dim=axis, start=first + 1, stop=first + 2) - cut(x, dim=axis, start=first, stop=first + 1)
            ends.append(div_number(rise, steps) if h is None else div(rise, Tensor(h[near])))
        elif h is None:
            ends.append(div_number(_one_sided(x, axis, first, backwards=near < 0), steps))
        else:
            factors = _at_end(h[near], h[far])
            turned = tuple(-factor for factor in reversed(factors)) if near < 0 else factors
            ends.append(_weighted(x, axis, turned, range(first, first + 3), 1))
    return cat_([ends[0], middle, ends[1]], axis)


def _one_sided(x: Any, axis: int, first: int, *, backwards: bool) -> Any:
    """Return the slope times the distance at the end of three samples."""
    one, two, three = (cut(x, dim=axis, start=at, stop=at + 1) for at in range(first, first + 3))
    if backwards:
        return mul_number(one, 0.5) - mul_number(two, 2.0) + mul_number(three, 1.5)
    return mul_number(one, -1.5) + mul_number(two, 2.0) - mul_number(three, 0.5)


def _at_end(near: Any, far: Any) -> tuple[Any, Any, Any]:
    """Return the weights of three samples in the slope at the first: Lagrange's, differentiated there."""
    both = near + far
    return -(both + near) / (near * both), both / (near * far), -near / (far * both)


def _between(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Return the weights of three samples in the slope at the middle one, at distances `a` and `b` from it."""
    return -b / (a * (a + b)), (b - a) / (a * b), a / (b * (a + b))


def _weighted(x: Any, axis: int, factors: Sequence[Any], starts: Sequence[int], length: int) -> Any:
    """Return the sum of parts of a dimension, each times its factor."""
    shape = [-1 if dim == axis else 1 for dim in range(x.ndim)]
    parts = [
        Tensor(factor.reshape(shape) if factor.ndim else factor) * cut(x, dim=axis, start=at, stop=at + length)
        for factor, at in zip(factors, starts, strict=True)
    ]
    return parts[0] + parts[1] + parts[2]
