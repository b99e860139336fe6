"""numpy's functions, for arrays and what becomes one; those that make more of it measure first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.numpy.values import array, asarray, dtype_of, fit_together, fits, shape_of, value
from gradcli.script.python.values.operators import bounded

Function = Callable[..., Any]

UNARY = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh sqrt "
    "cbrt square abs absolute fabs sign floor ceil rint trunc isnan isinf isfinite negative positive reciprocal "
    "logical_not degrees radians deg2rad rad2deg sinc nan_to_num signbit invert fix real imag conj iscomplexobj"
)
BROADCASTING = (
    "add subtract multiply divide true_divide floor_divide mod remainder fmod power float_power maximum minimum fmax "
    "fmin hypot arctan2 copysign logical_and logical_or logical_xor logaddexp greater greater_equal less less_equal "
    "equal not_equal where isclose allclose array_equal array_equiv cross heaviside divmod bitwise_and bitwise_or "
    "bitwise_xor"
)
REDUCING = (
    "sum mean std var prod min max amin amax argmin argmax any all median cumsum cumprod percentile quantile nansum "
    "nanmean nanmax nanmin nanstd nanvar nanmedian nanargmax nanargmin nanprod average count_nonzero ptp"
)
SHAPING = (
    "ravel transpose squeeze expand_dims swapaxes moveaxis flip fliplr flipud roll rot90 sort argsort unique diff "
    "trace diagonal round around nonzero argwhere flatnonzero atleast_1d atleast_2d atleast_3d reshape take polyval "
    "searchsorted copy ndim size shape partition argpartition take_along_axis ediff1d compress extract"
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
        return function(value(a), *map(option, rest), **{name: option(x) for name, x in options.items()})

    return call


def option(x: Any) -> Any:
    """Axes stay tuples; lists of numbers become arrays; words and dtypes are what they are."""
    if isinstance(x, tuple) and all(isinstance(item, int) for item in x):
        return x
    return x if x is None or isinstance(x, str | np.dtype) else value(x)


def joining(function: Function) -> Function:
    """Of a list of arrays."""

    def call(arrays: Any, *rest: Any, **options: Any) -> Any:
        values = [value(x) for x in bounded(arrays)]
        fits(sum(np.size(x) for x in values))
        return function(values, *map(option, rest), **{name: option(x) for name, x in options.items()})

    return call


def split(a: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Equal parts, or parts between positions."""
    fits(np.size(indices_or_sections) if np.ndim(indices_or_sections) else indices_or_sections)
    return np.split(asarray(a), option(indices_or_sections), axis)


def array_split(a: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts as equal as can be."""
    fits(np.size(indices_or_sections) if np.ndim(indices_or_sections) else indices_or_sections)
    return np.array_split(asarray(a), option(indices_or_sections), axis)


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
    return product(np.dot, value(a), value(b))


def matmul(a: Any, b: Any) -> Any:
    """The matrix product."""
    return product(np.matmul, value(a), value(b))


def inner(a: Any, b: Any) -> Any:
    """The sum of products over the last axes."""
    return product(np.inner, value(a), value(b))


def product(function: Function, a: Any, b: Any) -> Any:
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


def clip(a: Any, a_min: Any = None, a_max: Any = None, **bounds: Any) -> Any:
    """The entries between bounds."""
    named = {name: x if x is None else value(x) for name, x in bounds.items()}
    values = [x if x is None else value(x) for x in (a, a_min, a_max)]
    fit_together(*(x for x in (*values, *named.values()) if x is not None))
    clipped: Any = np.clip
    return clipped(values[0], **named) if named else clipped(*values)


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
        array, asarray, split, array_split, tile, repeat, broadcast_to, outer, kron, dot, matmul, inner, diag, triu,
        tril, vdot, clip,
    )
}  # fmt: skip
