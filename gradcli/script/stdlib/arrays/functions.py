"""numpy's functions, for arrays and what becomes one; those that make more of it measure first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.python.operators import bounded
from gradcli.script.stdlib.arrays.values import array, asarray, dtype_of, fit_together, fits, shape_of, value

Function = Callable[..., Any]

UNARY = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh sqrt "
    "cbrt square abs absolute fabs sign floor ceil rint trunc isnan isinf isfinite negative positive reciprocal "
    "logical_not degrees radians deg2rad rad2deg sinc nan_to_num signbit invert"
)
BROADCASTING = (
    "add subtract multiply divide true_divide floor_divide mod remainder fmod power float_power maximum minimum fmax "
    "fmin hypot arctan2 copysign logical_and logical_or logical_xor logaddexp greater greater_equal less less_equal "
    "equal not_equal where clip isclose allclose array_equal cross heaviside"
)
REDUCING = (
    "sum mean std var prod min max amin amax argmin argmax any all median cumsum cumprod percentile quantile nansum "
    "nanmean nanmax nanmin nanstd average count_nonzero ptp"
)
SHAPING = (
    "ravel transpose squeeze expand_dims swapaxes moveaxis flip fliplr flipud roll rot90 sort argsort unique diff "
    "trace diagonal round around nonzero argwhere flatnonzero atleast_1d atleast_2d reshape take searchsorted polyval "
    "copy ndim size shape"
)
JOINING = "concatenate stack vstack hstack dstack column_stack"
WORK = {"f": 2**12}  # products of a matrix product that count as one entry; whole numbers have no fast library


def unary(function: Function) -> Function:
    """Entry by entry; a tensor gives a tensor."""

    def call(x: Any, **options: Any) -> Any:
        result = function(value(x), **options)
        return Tensor(result) if isinstance(x, Tensor) else result

    return call


def broadcasting(function: Function) -> Function:
    """Of arrays that broadcast together; options are numbers."""

    def call(*arrays: Any, **options: Any) -> Any:
        values = [None if x is None else value(x) for x in arrays]
        named = {name: x if x is None or isinstance(x, bool) else value(x) for name, x in options.items()}
        fit_together(*values, *named.values())
        return function(*values, **named)

    return call


def of_first(function: Function) -> Function:
    """Of one array; what follows are axes, numbers, lists of them, and a dtype."""

    def call(a: Any, *rest: Any, **options: Any) -> Any:
        if "dtype" in options:
            options["dtype"] = dtype_of(options["dtype"])
        return function(value(a), *map(_option, rest), **{name: _option(x) for name, x in options.items()})

    return call


def _option(x: Any) -> Any:
    """Axes stay tuples; lists of numbers become arrays; words and dtypes are what they are."""
    if isinstance(x, tuple) and all(isinstance(item, int) for item in x):
        return x
    return x if x is None or isinstance(x, str | np.dtype) else value(x)


def joining(function: Function) -> Function:
    """Of a list of arrays."""

    def call(arrays: Any, *rest: Any, **options: Any) -> Any:
        values = [value(x) for x in bounded(arrays)]
        fits(sum(np.size(x) for x in values))
        return function(values, *map(_option, rest), **{name: _option(x) for name, x in options.items()})

    return call


def split(a: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Equal parts, or parts between positions."""
    fits(np.size(indices_or_sections) if np.ndim(indices_or_sections) else indices_or_sections)
    return np.split(asarray(a), _option(indices_or_sections), axis)


def array_split(a: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts as equal as can be."""
    fits(np.size(indices_or_sections) if np.ndim(indices_or_sections) else indices_or_sections)
    return np.array_split(asarray(a), _option(indices_or_sections), axis)


def tile(a: Any, reps: Any) -> Any:
    """An array beside itself, again and again."""
    times = tuple(map(int, reps)) if isinstance(reps, list | tuple) else (int(reps),)
    fits(np.size(value(a)) * math.prod(times))
    return np.tile(value(a), times)


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Every entry several times."""
    fits(np.size(value(a)) * int(np.max(value(repeats), initial=0)))
    return np.repeat(value(a), value(repeats), axis)


def broadcast_to(a: Any, shape: Any) -> Any:
    """A view of a larger shape."""
    return np.broadcast_to(value(a), shape_of(shape))


def meshgrid(*axes: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """The coordinates of a grid."""
    values = [value(axis) for axis in axes]
    fits(math.prod(map(np.size, values)) * len(values))
    return tuple(np.meshgrid(*values, indexing=indexing))  # type: ignore[call-overload]


def outer(a: Any, b: Any) -> Any:
    """Every product of an entry of each."""
    fits(np.size(value(a)) * np.size(value(b)))
    return np.outer(value(a), value(b))


def kron(a: Any, b: Any) -> Any:
    """The Kronecker product."""
    fits(np.size(value(a)) * np.size(value(b)))
    return np.kron(value(a), value(b))


def dot(a: Any, b: Any) -> Any:
    """The sum of products over the last axis of one and the second to last of the other."""
    return _product(np.dot, value(a), value(b))


def matmul(a: Any, b: Any) -> Any:
    """The matrix product."""
    return _product(np.matmul, value(a), value(b))


def inner(a: Any, b: Any) -> Any:
    """The sum of products over the last axes."""
    return _product(np.inner, value(a), value(b))


def _product(function: Function, a: Any, b: Any) -> Any:
    """Measured by its work: every entry of one meets some of the other."""
    shared = np.shape(a)[-1] if np.ndim(a) else 1
    work = np.size(a) * np.size(b) // max(shared, 1)
    fits(work // WORK.get(np.result_type(a, b).kind, 2**6))
    fits(work // max(shared, 1))
    return function(a, b)


def diag(v: Any, k: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    entries = value(v)
    if np.ndim(entries) == 1:
        fits((np.size(entries) + abs(k)) ** 2)
    return np.diag(entries, k)


def triu(m: Any, k: int = 0) -> Any:
    """What is above the diagonal."""
    fits(np.shape(value(m))[-1] ** 2 if np.ndim(value(m)) == 1 else 0)
    return np.triu(value(m), k)


def tril(m: Any, k: int = 0) -> Any:
    """What is below the diagonal."""
    fits(np.shape(value(m))[-1] ** 2 if np.ndim(value(m)) == 1 else 0)
    return np.tril(value(m), k)


def pad(a: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """An array with a margin."""
    entries, width = asarray(a), value(pad_width)
    fits(math.prod(size + 2 * int(np.max(width, initial=0)) for size in entries.shape))
    options = {"constant_values": value(constant_values)} if mode == "constant" else {}
    return np.pad(entries, width, mode, **options)  # type: ignore[call-overload]


def interp(x: Any, xp: Any, fp: Any) -> Any:
    """Straight lines between points."""
    return np.interp(value(x), value(xp), value(fp))


def polyfit(x: Any, y: Any, deg: int) -> Any:
    """The polynomial nearest to points."""
    fits(np.size(value(x)) * (deg + 1))
    return np.polyfit(value(x), value(y), deg)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each whole number occurs."""
    numbers = asarray(x)
    fits(max(int(numbers.max(initial=0)), minlength))
    return np.bincount(numbers, None if weights is None else value(weights), minlength)


def histogram(a: Any, bins: Any = 10, range: Any = None, density: bool = False) -> Any:
    """How many entries fall between edges."""
    fits(bins if isinstance(bins, int) else 0)
    return np.histogram(value(a), _option(bins), range, density)


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """One array after the other."""
    fits(np.size(value(arr)) + np.size(value(values)))
    return np.append(value(arr), value(values), axis)


def vdot(a: Any, b: Any) -> Any:
    """The sum of products of all entries."""
    return np.vdot(value(a), value(b))


FUNCTIONS: dict[str, Function] = {}
for _names, _wrap in (
    (UNARY, unary),
    (BROADCASTING, broadcasting),
    (REDUCING, of_first),
    (SHAPING, of_first),
    (JOINING, joining),
):
    FUNCTIONS |= {name: _wrap(getattr(np, name)) for name in _names.split()}
FUNCTIONS |= {
    function.__name__: function
    for function in (
        array, asarray, split, array_split, tile, repeat, broadcast_to, meshgrid, outer, kron, dot, matmul, inner, diag,
        triu, tril, pad, interp, polyfit, bincount, histogram, append, vdot,
    )
}  # fmt: skip
