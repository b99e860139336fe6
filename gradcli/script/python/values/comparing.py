"""Python's comparisons, but tensors are compared entry by entry, and nested containers are measured first."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.pointwise import comparisons
from gradcli.script.machine import running
from gradcli.script.python.values.nesting import ATOMS, NESTING, measure
from gradcli.script.python.values.spreading import ARRAYS, check_spread

Binary = Callable[[Any, Any], Any]


def equal(a: Any, b: Any) -> Any:
    """`a == b`: entry by entry for tensors, whose own `==` is identity."""
    if type(a) in ATOMS and type(b) in ATOMS:
        return a == b
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return _compared(comparisons.equal, a, b, False)
    if isinstance(a, NESTING) and isinstance(b, NESTING) and a is not b and measure(a, b, " in comparison"):
        return _same(a, b)
    return a == b


def unequal(a: Any, b: Any) -> Any:
    if type(a) in ATOMS and type(b) in ATOMS:
        return a != b
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return _compared(comparisons.different, a, b, True)
    if isinstance(a, NESTING) and isinstance(b, NESTING):
        return not equal(a, b)
    return a != b


def _compared(compare: Binary, a: Any, b: Any, otherwise: bool) -> Any:
    arrays = np.generic if otherwise else np.ndarray | np.generic  # `!=` with an array is that of objects
    a, b = (Tensor(x) if isinstance(x, arrays) else x for x in (a, b))
    kinds = (Tensor, int, float, bool)
    if not (isinstance(a, kinds) and isinstance(b, kinds)):
        return otherwise
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        check_spread(a, b)
    return compare(a, b)


def _same(a: Any, b: Any) -> bool:
    """Whether containers with tensors inside are equal, item by item."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(a[key] is b[key] or bool(equal(a[key], b[key])) for key in a)
    for kind in (list, tuple):
        if isinstance(a, kind) and isinstance(b, kind):
            return len(a) == len(b) and all(x is y or bool(equal(x, y)) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def _ordered(compare: Binary, sign: str) -> Binary:
    def call(a: Any, b: Any) -> Any:
        if isinstance(a, NESTING) and isinstance(b, NESTING):
            measure(a, b, " in comparison")
        elif isinstance(a, ARRAYS) and isinstance(b, ARRAYS):
            check_spread(a, b)
            if isinstance(a, Tensor) is not isinstance(b, Tensor):
                kinds = " and ".join("'Tensor'" if isinstance(x, Tensor) else "'numpy.ndarray'" for x in (a, b))
                raise TypeError(f"'{sign}' not supported between instances of {kinds}")
        return compare(a, b)

    return call


def contains(a: Any, b: Any) -> bool:
    """`a in b`; a range is searched only for whole numbers, for anything else Python walks through it."""
    if isinstance(b, range):
        if not isinstance(a, int):
            running.machine.budget.fits(len(b), "this range")
    elif type(a) in ATOMS and (not isinstance(b, list | tuple) or ATOMS.issuperset(map(type, b))):
        return a in b
    elif isinstance(b, NESTING) and (isinstance(a, NESTING) or not isinstance(b, dict | set | frozenset)):
        if isinstance(b, list | tuple) and any(a is x for x in b):
            return True
        if measure(a, b, " in comparison") and isinstance(b, list | tuple):
            return any(a is x or bool(equal(a, x)) for x in b)
    elif isinstance(a, tuple):
        measure(a)
    return a in b


# How plain numbers are compared.
ORDERS: dict[type[ast.cmpop], Binary] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
COMPARISONS: dict[type[ast.cmpop], Binary] = {
    **{kind: _ordered(ORDERS[kind], sign) for kind, sign in SIGNS.items()},
    ast.Eq: equal,
    ast.NotEq: unequal,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: contains,
    ast.NotIn: lambda a, b: not contains(a, b),
}
