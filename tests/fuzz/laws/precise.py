"""Programs in fifty digits: a tree over arrays of mpmath's numbers, without the rules or the arithmetic of gradcli."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from typing import Any

import mpmath
import numpy as np

from gradcli.language.tree import (
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Method,
    Name,
    Number,
    Program,
    Slice,
    Tuple,
    Unary,
    fold,
)  # fmt: skip

DIGITS = 50
LARGEST = mpmath.mpf(1e300)


class UnknownError(Exception):
    """An operation that is not known here."""


class NotFiniteError(Exception):
    """A result that is nan, infinite, complex or too large on the way."""


def exact(value: Any) -> Any:
    """Return numbers as decimals that were typed: 0.1 is a tenth."""
    if isinstance(value, list | tuple | np.ndarray):
        return np.vectorize(exact, otypes=[object])(np.asarray(value))
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return value if isinstance(value, mpmath.mpf) else mpmath.mpf(repr(float(value)))


def _power(x: Any, y: Any) -> Any:
    if y == 0:
        return mpmath.mpf(1)
    if (x == 0 and y < 0) or (x < 0 and y != mpmath.floor(y)):
        raise NotFiniteError
    return x**y


def _in(low: float, high: float, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def bounded(x: Any) -> Any:
        if not low <= x <= high:
            raise NotFiniteError
        return function(x)

    return bounded


def _positive(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return _in(0, math.inf, function)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def _softplus(x: Any) -> Any:
    return x if x > 20 else mpmath.log1p(mpmath.exp(x))  # torch's threshold


def _hypot(x: Any, y: Any) -> Any:
    return mpmath.sqrt(x * x + y * y)


ONE: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "acos": _in(-1, 1, mpmath.acos),
    "acosh": _in(1, math.inf, mpmath.acosh),
    "asin": _in(-1, 1, mpmath.asin),
    "asinh": mpmath.asinh,
    "atan": mpmath.atan,
    "atanh": _in(-1, 1, mpmath.atanh),
    "cos": mpmath.cos,
    "cosh": mpmath.cosh,
    "erf": mpmath.erf,
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "expm1": mpmath.expm1,
    "log": _positive(mpmath.log),
    "log10": _positive(mpmath.log10),
    "log1p": _in(-1, math.inf, mpmath.log1p),
    "log2": _positive(lambda x: mpmath.log(x, 2)),
    "logsigmoid": lambda x: -mpmath.log(1 + mpmath.exp(-x)),
    "neg": operator.neg,
    "reciprocal": lambda x: 1 / x,
    "relu": lambda x: max(x, mpmath.mpf(0)),
    "rsqrt": _positive(lambda x: 1 / mpmath.sqrt(x)),
    "sigmoid": _sigmoid,
    "sign": mpmath.sign,
    "silu": lambda x: x * _sigmoid(x),
    "sin": mpmath.sin,
    "sinh": mpmath.sinh,
    "softplus": _softplus,
    "sqrt": _positive(mpmath.sqrt),
    "square": lambda x: x * x,
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
}
SEVERAL: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": _power,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "atan2": mpmath.atan2,
    "clamp": lambda x, low, high: min(max(x, low), high),
    "hypot": _hypot,
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "maximum": max,
    "minimum": min,
    "where": lambda condition, a, b: a if condition else b,
}


@cache
def _entrywise(name: str) -> Callable[..., Any]:
    function = ONE.get(name) or SEVERAL[name]
    return np.frompyfunc(function, 1 if name in ONE else 3 if name in ("where", "clamp") else 2, 1)


def _checked(found: Any, largest: Any) -> Any:
    for x in np.ravel(np.asarray(found, dtype=object)):
        if isinstance(x, mpmath.mpc) or (isinstance(x, mpmath.mpf) and not abs(x) <= largest):
            raise NotFiniteError
    return found


def _along(function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return the reduction of rows as an operation with `dim` and `keepdim`."""

    def reduced(x: Any, dim: Any = None, keepdim: Any = False) -> Any:
        x = np.asarray(x, dtype=object)
        if dim is None or not x.ndim:
            return function(list(x.ravel()))
        axes = tuple(int(a) % x.ndim for a in (dim if isinstance(dim, tuple) else (dim,)))
        others = [a for a in range(x.ndim) if a not in axes]
        rows = x.transpose([*others, *axes]).reshape([x.shape[a] for a in others] + [-1])
        found = np.empty(rows.shape[:-1], dtype=object)
        for place in np.ndindex(*found.shape):
            found[place] = function(list(rows[place]))
        return found.reshape([1 if a in axes else x.shape[a] for a in range(x.ndim)]) if keepdim else found[()]

    return reduced


def _running(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda x, dim: np.frompyfunc(function, 2, 1).accumulate(np.asarray(x, dtype=object), axis=int(dim))


def _logsumexp(row: list[Any]) -> Any:
    return mpmath.log(mpmath.fsum(map(mpmath.exp, row)))


def _mean(row: list[Any]) -> Any:
    return mpmath.fsum(row) / len(row)


def _var(row: list[Any]) -> Any:
    return mpmath.fsum((x - _mean(row)) ** 2 for x in row) / (len(row) - 1)


def _softmax(x: Any, dim: Any) -> Any:
    e = _entrywise("exp")(x)
    return e / np.sum(e, axis=int(dim), keepdims=True)


def _ints(shape: Any) -> tuple[int, ...]:
    return tuple(int(size) for size in (shape if isinstance(shape, tuple | list) else (shape,)))


WHOLE: dict[str, Callable[..., Any]] = {
    "amax": _along(max),
    "amin": _along(min),
    "cat": lambda parts, dim=0: np.concatenate([np.asarray(x, dtype=object) for x in parts], axis=int(dim)),
    "cumprod": _running(operator.mul),
    "cumsum": _running(operator.add),
    "expand": lambda x, size: np.broadcast_to(np.asarray(x, dtype=object), _ints(size)),
    "flip": lambda x, dims: np.flip(x, _ints(dims)),
    "log_softmax": lambda x, dim: x - WHOLE["logsumexp"](x, dim, True),
    "logsumexp": _along(_logsumexp),
    "max": _along(max),
    "mean": _along(_mean),
    "median": _along(lambda row: sorted(row)[(len(row) - 1) // 2]),
    "min": _along(min),
    "norm": _along(lambda row: mpmath.sqrt(mpmath.fsum(x * x for x in row))),
    "outer": lambda a, b: np.multiply.outer(a, b),
    "prod": _along(lambda row: reduce(operator.mul, row)),
    "reshape": lambda x, shape: np.reshape(np.asarray(x, dtype=object), _ints(shape)),
    "softmax": _softmax,
    "stack": lambda parts, dim=0: np.stack([np.asarray(x, dtype=object) for x in parts], axis=int(dim)),
    "std": _along(lambda row: mpmath.sqrt(_var(row))),
    "sum": _along(mpmath.fsum),
    "trace": lambda x: np.trace(x),
    "unsqueeze": lambda x, dim: np.expand_dims(x, int(dim)),
    "var": _along(_var),
}
CONSTANTS = {"pi": mpmath.pi, "inf": mpmath.inf, "nan": mpmath.nan}


def value(tree: Expression, names: Mapping[str, Any], largest: Any = LARGEST, digits: int = DIGITS) -> Any:
    """Return the value of an expression. Raises UnknownError or, where a part of it is too large, NotFiniteError."""

    def combine(node: Expression, parts: Sequence[Any]) -> Any:
        match node:
            case Name():
                return names[node.id] if node.id in names else +CONSTANTS[node.id]
            case Number():
                return exact(node.value)
            case Literal():
                return node.value
            case List():
                return np.stack([np.asarray(part, dtype=object) for part in parts])
            case Tuple():
                return tuple(parts)
            case Unary():
                return -parts[0] if node.operator == "-" else parts[0]
            case Binary(operator="@"):
                return _checked(np.dot(*parts), largest)
            case Binary() | Compare():
                return _checked(_entrywise(node.operator)(*parts), largest)
            case Call():
                return _checked(_called(node.function, node.arguments, parts), largest)
            case Method():
                return _checked(_called(node.name, [(None, None), *node.arguments], parts), largest)
            case Attribute(name="T"):
                return np.transpose(parts[0])
            case Slice() | Index():
                return _indexed(node, parts)
        raise UnknownError(type(node).__name__)

    try:
        with mpmath.workdps(digits):
            return fold(tree, combine)
    except (ZeroDivisionError, OverflowError, ValueError, mpmath.libmp.ComplexResult):
        raise NotFiniteError from None


def _called(name: str, arguments: Sequence[Any], parts: Sequence[Any]) -> Any:
    given = [part for (_, keyword), part in zip(arguments, parts, strict=True) if keyword is None]
    named = {keyword: part for (_, keyword), part in zip(arguments, parts, strict=True) if keyword is not None}
    if name in WHOLE:
        return WHOLE[name](*given, **named)
    if name in ONE or name in SEVERAL:
        return _entrywise(name)(*given, *named.values())
    raise UnknownError(name)


def _indexed(node: Expression, parts: Sequence[Any]) -> Any:
    if isinstance(node, Slice):
        waiting = iter(parts)
        return slice(*(None if bound is None else int(next(waiting)) for bound in (node.start, node.stop, node.step)))
    return parts[0][tuple(part if isinstance(part, slice) else int(part) for part in parts[1:])]


def output(program: Program, names: Mapping[str, Any]) -> Any:
    """Return the value of the last statement; `names` have the values of variables, also of those that it assigns."""
    known = dict(names)
    found: Any = None
    for number, statement in enumerate(program.statements):
        if statement.target is None or statement.target not in names:
            found = value(statement.value, known)
            known[statement.target or f"({number})"] = found
        else:
            found = known[statement.target]
    return found


def slopes(program: Program, point: Mapping[str, Any], name: str, power: int = 15) -> Any:
    """Return the gradient of the sum of the output by one variable: difference quotients with a step of 10**-power."""
    base = np.asarray(point[name], dtype=object)
    found = np.empty(base.shape, dtype=object)
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -power
        for place in np.ndindex(*base.shape):
            ends = []
            for sign in (1, -1):
                moved = base.copy()
                moved[place] += sign * step
                ends.append(_total(output(program, {**point, name: moved[()]})))
            found[place] = (ends[0] - ends[1]) / (2 * step)
    return found[()]


def second(program: Program, point: Mapping[str, Any], first: str, other: str, power: int) -> Any:
    """Return a second derivative by two variables that are numbers, with a step of 10**-power."""
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -power
        total = mpmath.mpf(0)
        for a in (1, -1):
            for b in (1, -1):
                moved = dict(point)
                moved[first] = moved[first] + a * step
                moved[other] = moved[other] + b * step
                total += a * b * _total(output(program, moved))
        return total / (4 * step**2)


def third(program: Program, point: Mapping[str, Any], name: str, power: int) -> Any:
    """Return the third derivative by a variable that is a number, with a step of 10**-power."""
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -power
        weights = {2: 1, 1: -2, -1: 2, -2: -1}
        ends = (
            weight * _total(output(program, {**point, name: point[name] + k * step})) for k, weight in weights.items()
        )
        return mpmath.fsum(ends) / (2 * step**3)


def _total(value: Any) -> Any:
    return mpmath.fsum(np.ravel(np.asarray(value, dtype=object)))
