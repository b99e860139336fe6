"""numpy's functions of arrays, and of values that become arrays; large results are measured first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics.lapack import is_finite
from gradcli.engine.tensor import Tensor
from gradcli.script.numpy.values import Array, array, asarray, dtype_of, fit_together, fits, shape_of, value
from gradcli.script.python.members.tables import members_named
from gradcli.script.python.values.attributes import Facade
from gradcli.script.python.values.operators import bounded_iterable

DOUBLE = np.dtype(np.float64)


def filled(make: Callable[..., Array]) -> Callable[..., Array]:
    """`np.zeros` and `np.ones`."""
    return lambda shape, dtype=None: make(shape_of(shape), DOUBLE if dtype is None else dtype_of(dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Array:
    """An array of one number."""
    return np.full(shape_of(shape), value(fill_value), dtype_of(dtype))


def like(make: Callable[..., Any]) -> Callable[..., Any]:
    """`np.zeros_like(a)`: the shape and the dtype of another array."""
    return lambda a, *fill, dtype=None: make(value(a), *map(value, fill), dtype=dtype_of(dtype))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Array:
    """Numbers in equal steps, without the end."""
    first, last = (0, start) if stop is None else (start, stop)
    bounds = [number(x) for x in (first, last, step)]
    if bounds[2]:
        fits(max(math.ceil((bounds[1] - bounds[0]) / bounds[2]), 0))
    return np.arange(*bounds, dtype=dtype_of(dtype))


def row(make: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `np.linspace` or the like: so many numbers from one to another."""

    def call(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, **options: Any) -> Any:
        first, last = value(start), value(stop)
        fits(num * max(np.size(first), np.size(last)))
        flags = {name: options[name] for name in ("retstep", "base") if name in options}
        return make(first, last, num, endpoint=endpoint, dtype=dtype_of(dtype), **flags)

    return call


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Array:
    """Ones on a diagonal."""
    fits(N * (N if M is None else M))
    return np.eye(N, M, k, DOUBLE if dtype is None else dtype_of(dtype))


def tri(N: int, M: int | None = None, k: int = 0) -> Array:
    """Ones on and below a diagonal."""
    fits(N * (N if M is None else M))
    return np.tri(N, M, k)


def number(x: Any) -> Any:
    """Return a plain number, of a tensor too."""
    if isinstance(x, Tensor):
        return x.item()
    return x if isinstance(x, int | float | np.generic) else array(x)[()]


CREATION: dict[str, Callable[..., Any]] = {
    "zeros": filled(np.zeros),
    "ones": filled(np.ones),
    "empty": filled(np.zeros),
    "full": full,
    "zeros_like": like(np.zeros_like),
    "ones_like": like(np.ones_like),
    "empty_like": like(np.zeros_like),
    "full_like": like(np.full_like),
    "arange": arange,
    "linspace": row(np.linspace),
    "logspace": row(np.logspace),
    "geomspace": row(np.geomspace),
    "eye": eye,
    "identity": lambda n, dtype=None: eye(n, dtype=dtype),
    "tri": tri,
}


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
    "round around nonzero argwhere flatnonzero atleast_1d atleast_2d atleast_3d reshape take polyval "
    "searchsorted copy ndim size shape partition argpartition take_along_axis ediff1d compress extract "
    "vdot"
)
DIAGONALS = "diagonal trace"
JOINING = "concatenate stack vstack hstack dstack column_stack"
WORK = {"f": 2**12}  # products of a matrix product that count as one entry; whole numbers have no fast library


def unary(function: Function) -> Function:
    """Wrap a function that goes entry by entry; of a tensor it makes a tensor."""

    def call(x: Any, **options: Any) -> Any:
        result = function(value(x), **options)
        return Tensor(result) if isinstance(x, Tensor) else result

    return call


def broadcasting(function: Function) -> Function:
    """Wrap a function of arrays that broadcast together; options are numbers."""

    def call(*arrays: Any, **options: Any) -> Any:
        values = [None if x is None else value(x) for x in arrays]
        named = {name: x if x is None or isinstance(x, bool) else value(x) for name, x in options.items()}
        fit_together(*values, *named.values())
        return function(*values, **named)

    return call


def of_first(function: Function) -> Function:
    """Wrap a function of one array; the other arguments are axes, numbers, lists of them, and a dtype."""

    def call(a: Any, *rest: Any, **options: Any) -> Any:
        if "dtype" in options:
            options["dtype"] = dtype_of(options["dtype"])
        return function(value(a), *map(option, rest), **{name: option(x) for name, x in options.items()})

    return call


def of_diagonals(function: Function) -> Function:
    """Wrap a function of the diagonals of an array."""
    wrapped = of_first(function)

    def call(a: Any, offset: Any = 0, *rest: Any, **options: Any) -> Any:
        return wrapped(a, beside(offset), *rest, **options)

    return call


def beside(offset: Any) -> Any:
    """Return the offset of a diagonal; at -2**31, which C cannot negate, numpy would read other memory."""
    return offset + 1 if type(offset) is not Tensor and offset == -(2**31) else offset


def option(x: Any) -> Any:
    """Return an option for numpy: lists of numbers become arrays; axes, words and dtypes stay as they are."""
    if isinstance(x, tuple) and all(isinstance(item, int) for item in x):
        return x
    return x if x is None or isinstance(x, str | np.dtype) else value(x)


def joining(function: Function) -> Function:
    """Wrap a function of a list of arrays."""

    def call(arrays: Any, *rest: Any, **options: Any) -> Any:
        values = [value(x) for x in bounded_iterable(arrays)]
        fits(sum(np.size(x) for x in values))
        return function(values, *map(option, rest), **{name: option(x) for name, x in options.items()})

    return call


def splitting(function: Function) -> Function:
    """Wrap a function that cuts an array into equal parts, or between positions."""

    def call(ary: Any, indices_or_sections: Any, *axis: int, **options: Any) -> list[Any]:
        fits(np.size(indices_or_sections) if np.ndim(indices_or_sections) else indices_or_sections)
        return list(function(asarray(ary), option(indices_or_sections), *axis, **options))

    return call


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


def crossing(function: Function) -> Function:
    """Wrap a function that multiplies every entry of one array by every entry of another."""

    def call(a: Any, b: Any) -> Any:
        fits(np.size(value(a)) * np.size(value(b)))
        return function(value(a), value(b))

    return call


def multiplying(function: Function) -> Function:
    """Wrap a function that sums products over an axis of two arrays."""
    return lambda a, b: product(function, value(a), value(b))


def product(function: Function, a: Any, b: Any) -> Any:
    """Call a function that sums products over an axis, measured by its work: the number of products."""
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
    return np.diag(entries, beside(k))


def diagflat(v: Any, k: int = 0) -> Any:
    """The matrix that has entries on its diagonal."""
    return diag(np.ravel(value(v)), k)


def triangle(function: Function) -> Function:
    """Wrap a function that makes a triangular matrix of a matrix or of rows that are all the same."""

    def call(m: Any, k: int = 0) -> Any:
        fits(np.shape(value(m))[-1] ** 2 if np.ndim(value(m)) == 1 else 0)
        return function(value(m), k)

    return call


def meshgrid(*axes: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """The coordinates of a grid."""
    values = [value(axis) for axis in axes]
    fits(math.prod(map(np.size, values)) * len(values))
    return tuple(np.meshgrid(*values, indexing=indexing))  # type: ignore[call-overload]


def clip(a: Any, a_min: Any = None, a_max: Any = None, **bounds: Any) -> Any:
    """The entries between bounds."""
    named = {name: x if x is None else value(x) for name, x in bounds.items()}
    values = [x if x is None else value(x) for x in (a, a_min, a_max)]
    fit_together(*(x for x in (*values, *named.values()) if x is not None))
    clipped: Any = np.clip
    return clipped(values[0], **named) if named else clipped(*values)


FUNCTIONS: dict[str, Function] = {
    **members_named(np, UNARY, unary),
    **members_named(np, BROADCASTING, broadcasting),
    **members_named(np, REDUCING, of_first),
    **members_named(np, SHAPING, of_first),
    **members_named(np, DIAGONALS, of_diagonals),
    **members_named(np, JOINING, joining),
    **members_named(np, "split array_split hsplit vsplit dsplit", splitting),
    **members_named(np, "outer kron", crossing),
    **members_named(np, "dot matmul inner", multiplying),
    **members_named(np, "triu tril", triangle),
    **{function.__name__: function for function in (array, asarray, tile, repeat, broadcast_to, diag, diagflat)},
    **{function.__name__: function for function in (clip, meshgrid)},
}


PAIRS = "isin convolve correlate cov corrcoef"
MEASURED = ("convolve", "correlate", "cov", "corrcoef")  # functions whose work or size is a product


def einsum(subscripts: str, *operands: Any) -> Any:
    """Products summed over the axes that the subscripts do not keep."""
    values = [value(operand) for operand in operands]
    sizes: dict[str, int] = {}
    for letters, x in zip(subscripts.partition("->")[0].replace(" ", "").split(","), values, strict=False):
        named = letters.replace("...", "")
        sizes |= dict(zip(named, np.shape(x)[-len(named) :] if named else (), strict=False))
        if "..." in letters:
            sizes["..."] = max(sizes.get("...", 1), math.prod(np.shape(x)[: np.ndim(x) - len(named)]))
    fits(math.prod(sizes.values()) // 2**6)
    kept = subscripts.rpartition("->")[2]
    fits(math.prod(size for name, size in sizes.items() if name in kept))
    return np.einsum(subscripts, *values)


def pairs(name: str) -> Function:
    """Wrap a function of one or two arrays."""
    function = getattr(np, name)

    def call(*arrays: Any, **options: Any) -> Any:
        values: list[Any] = [x if isinstance(x, str | bool) or x is None else value(x) for x in arrays]
        if name in MEASURED:
            sizes = [np.size(x) for x in values if not isinstance(x, str | bool)]
            fits(math.prod(max(size, 1) for size in sizes) // 2**6)
            fits((np.shape(values[0]) or (1,))[0] ** 2 if np.ndim(values[0]) > 1 else 0)
        return function(*values, **{key: option(x) for key, x in options.items()})

    return call


def polyfit(x: Any, y: Any, deg: int) -> Any:
    """The polynomial nearest to points."""
    points = value(x), value(y)
    fits(np.size(points[0]) * (deg + 1))
    if not is_finite(*points):
        raise np.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    return np.polyfit(*points, deg)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Count how often each whole number occurs."""
    numbers = asarray(x)
    fits(max(int(numbers.max(initial=0)), minlength))
    return np.bincount(numbers, None if weights is None else value(weights), minlength)


class Grids(Facade):
    """`np.r_` and `np.c_`, made in brackets."""

    def __init__(self, grid: Any) -> None:
        self._made = grid

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        sizes = [_length(part) for part in parts]
        fits(max(math.prod(sizes), sum(sizes)) * len(parts))
        return self._made[tuple(part if isinstance(part, slice | str) else value(part) for part in parts)]


def _length(part: Any) -> int:
    """Return how many entries a part of a grid has."""
    if isinstance(part, str):
        return 0
    if not isinstance(part, slice):
        return int(np.size(value(part)))
    start, stop, step = part.start or 0, part.stop, 1 if part.step is None else part.step
    return max(math.ceil((stop - start) / step), 1) if step else 1


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """One array after the other."""
    fits(np.size(value(arr)) + np.size(value(values)))
    return np.append(value(arr), value(values), axis)


def pad(a: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """An array with a margin."""
    entries, width = asarray(a), value(pad_width)
    fits(math.prod(size + 2 * int(np.max(width, initial=0)) for size in entries.shape))
    options = {"constant_values": value(constant_values)} if mode == "constant" else {}
    return np.pad(entries, width, mode, **options)  # type: ignore[call-overload]


def unravel_index(indices: Any, shape: Any) -> Any:
    """The coordinates of places in the flattened array."""
    return np.unravel_index(value(indices), shape_of(shape))


ALGEBRA: dict[str, Any] = {
    **{name: pairs(name) for name in PAIRS.split()},
    **{function.__name__: function for function in (einsum, polyfit, bincount, append, pad, unravel_index)},
    **members_named(np, "r_ c_", Grids),
}
