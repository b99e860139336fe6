"""`math`: Python's own functions; whole numbers stay within the limits."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import members_named
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.python.values.operators import BINARY, bounded_iterable

FUNCTIONS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist erf erfc exp exp2 expm1 fabs "
    "floor fmod frexp gamma gcd hypot isclose isfinite isinf isnan isqrt ldexp lgamma log log10 log1p log2 modf "
    "nextafter pow radians remainder sin sinh sqrt tan tanh trunc ulp pi e tau inf nan"
)


def factorial(n: Any) -> int:
    """`n!`, whose size is known before it is computed."""
    number = operator.index(n)
    if number > 1:
        _bits(math.lgamma(float(min(number, 10**300)) + 1) / math.log(2))
    return math.factorial(number)


def comb(n: Any, k: Any) -> int:
    """Return how many ways there are to choose k of n."""
    set_size, subset_size = operator.index(n), operator.index(k)
    _bits(min(subset_size, set_size - subset_size) * set_size.bit_length())
    return math.comb(set_size, subset_size)


def prod(items: Any, *, start: Any = 1) -> Any:
    """Multiply one by one, for whole numbers grow."""
    multiply, total = BINARY[ast.Mult], start
    for item in bounded_iterable(items):
        total = multiply(total, item)
    return total


def _bits(count: float) -> None:
    running.machine.budget.bits(int(count))


def _of_all(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that reads each of its arguments to its end."""

    def call(*samples: Any, **options: Any) -> Any:
        return function(*map(bounded_iterable, samples), **options)

    return call


def _leaving(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that makes a number of a tensor, of which the timeline hears."""

    @wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        result = function(*values, **options)
        if running.machine.timeline is not None:
            for value in values:
                running.machine.timeline.cut(value, result, f"math.{function.__name__}()")
        return result

    return call


def namespace(name: str) -> Namespace:
    """`math`."""
    members = members_named(math, FUNCTIONS, lambda f: _leaving(f) if callable(f) else f)
    written_here = {"factorial": factorial, "comb": comb, "prod": prod, "fsum": _of_all(math.fsum)}
    return Namespace(name, members | written_here)
