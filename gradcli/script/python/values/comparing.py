"""Python's comparisons, but tensors are compared entry by entry, and nested containers are measured first."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from itertools import zip_longest
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.pointwise import comparisons
from gradcli.script.machine import running
from gradcli.script.python.values.nesting import ATOMS, NESTING, measure

Binary = Callable[[Any, Any], Any]

ARRAYS = (Tensor, np.ndarray)
KINDS = "'numpy.ndarray' and 'Tensor'"
CONCATENATION = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on "
    "this error; it may not be given on all Python implementations."
)
NOT_AN_ARRAY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
SMALL = 2**12  # two arrays of fewer entries cannot broadcast to more than 2**24


def spread(apply: Binary, sign: str) -> Binary:
    """Wrap an operator whose arrays may broadcast: the size of the result is measured first.

    A number of numpy's beside a tensor is a plain number, as torch takes it.
    """

    def call(a: Any, b: Any) -> Any:
        if isinstance(a, ARRAYS):
            if isinstance(b, ARRAYS):
                check_spread(a, b)
                if isinstance(a, Tensor) is not isinstance(b, Tensor):
                    return with_array(apply, sign, a, b)
            elif isinstance(b, np.generic) and isinstance(a, Tensor):
                b = b.item()
        elif isinstance(a, np.generic) and isinstance(b, Tensor):
            a = a.item()
        return apply(a, b)

    return call


def with_array(apply: Binary, sign: str, a: Any, b: Any) -> Any:
    """Apply an operator to a tensor and an array, as numpy does for torch; an array first is mostly refused."""
    if isinstance(a, np.ndarray) and sign != "/":
        raise TypeError(CONCATENATION if sign == "+" else f"unsupported operand type(s) for {sign}: {KINDS}")
    if mode.grad_enabled and (a if isinstance(a, Tensor) else b).requires_grad:
        raise AutogradError(NOT_AN_ARRAY)
    return Tensor(np.asarray(apply(*(x.value if isinstance(x, Tensor) else x for x in (a, b))))[()])


def check_spread(*arrays: Any) -> None:
    """Refuse arrays that broadcast to absurd size."""
    values = [x.value if isinstance(x, Tensor) else x for x in arrays]
    if max(value.size for value in values) <= SMALL:
        return
    sizes = zip_longest(*(reversed(value.shape) for value in values), fillvalue=1)
    running.machine.budget.fits(prod(max(lengths) for lengths in sizes), "the result")


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
