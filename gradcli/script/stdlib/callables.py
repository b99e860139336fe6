"""`functools`, `operator` and `contextlib`: functions made of functions."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from gradcli.script.errors import python_class
from gradcli.script.machine import running
from gradcli.script.python.attributes import Facade, Namespace, attribute, describe
from gradcli.script.python.builtins import python_types
from gradcli.script.python.operators import BINARY, COMPARISONS, UNARY, bounded
from gradcli.script.stdlib.containers import written

MISSING = object()


def reduce(function: Callable[[Any, Any], Any], items: Any, start: Any = MISSING) -> Any:
    """The items made into one, from the left."""
    total = start
    for item in bounded(items):
        running.machine.budget.spend(1)
        total = item if total is MISSING else function(total, item)
    if total is MISSING:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


def wraps(wrapped: Any, *_: Any) -> Callable[[Any], Any]:
    """A decorator that gives a function the name of another."""

    def decorate(function: Any) -> Any:
        function.__name__ = getattr(wrapped, "__name__", function.__name__)
        function.__doc__ = getattr(wrapped, "__doc__", None)
        return function

    return decorate


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    """Remember what a function answered; as a bare decorator too."""
    if callable(maxsize):
        return functools.lru_cache(maxsize)
    return functools.lru_cache(maxsize, typed)


def cache(function: Callable[..., Any]) -> Any:
    """Remember everything that a function answered."""
    return functools.lru_cache(None)(function)


_cached: Any = functools.lru_cache(int)
_CacheInfo: Any = type(_cached.cache_info())

describe(
    type(_cached),
    methods={"cache_info": lambda f: _Info(f.cache_info()), "cache_clear": lambda f: f.cache_clear()},
    getters={name: lambda f, name=name: getattr(f.__wrapped__, name, None) for name in ("__name__", "__doc__")},
)
describe(
    functools.partial,
    getters={
        "func": lambda partial: partial.func,
        "args": lambda partial: partial.args,
        "keywords": lambda partial: dict(partial.keywords),
    },
)


class _Info(Facade):
    """How often a cache knew the answer."""

    def __init__(self, info: Any) -> None:
        self.hits, self.misses, self.maxsize, self.currsize = info

    def __repr__(self) -> str:
        return written("CacheInfo(", ((f"{name}=", value) for name, value in vars(self).items()), ")")


class suppress(Facade):  # noqa: N801  Python's name
    """A block in which some exceptions are nothing."""

    def __init__(self, *kinds: Any) -> None:
        self._kinds = python_types(kinds)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, _: Any) -> bool:
        return error is not None and issubclass(python_class(error), self._kinds)


class nullcontext(Facade):  # noqa: N801  Python's name
    """A block like any other."""

    def __init__(self, enter_result: Any = None) -> None:
        self._result = enter_result

    def __enter__(self) -> Any:
        return self._result

    def __exit__(self, *_: Any) -> None:
        return None


def itemgetter(*keys: Any) -> Callable[[Any], Any]:
    """A function that takes out these items."""
    return lambda value: value[keys[0]] if len(keys) == 1 else tuple(value[key] for key in keys)


def attrgetter(*names: str) -> Callable[[Any], Any]:
    """A function that looks at these attributes."""

    def get(value: Any) -> Any:
        found = [functools.reduce(attribute, name.split("."), value) for name in names]
        return found[0] if len(found) == 1 else tuple(found)

    return get


OPERATORS: dict[str, Any] = {
    "add": BINARY[ast.Add],
    "sub": BINARY[ast.Sub],
    "mul": BINARY[ast.Mult],
    "truediv": BINARY[ast.Div],
    "floordiv": BINARY[ast.FloorDiv],
    "mod": BINARY[ast.Mod],
    "pow": BINARY[ast.Pow],
    "matmul": BINARY[ast.MatMult],
    "and_": BINARY[ast.BitAnd],
    "or_": BINARY[ast.BitOr],
    "xor": BINARY[ast.BitXor],
    "eq": COMPARISONS[ast.Eq],
    "ne": COMPARISONS[ast.NotEq],
    "lt": COMPARISONS[ast.Lt],
    "le": COMPARISONS[ast.LtE],
    "gt": COMPARISONS[ast.Gt],
    "ge": COMPARISONS[ast.GtE],
    "contains": lambda items, item: COMPARISONS[ast.In](item, items),
    "neg": UNARY[ast.USub],
    "not_": UNARY[ast.Not],
    "getitem": operator.getitem,
    "itemgetter": itemgetter,
    "attrgetter": attrgetter,
}
FUNCTOOLS: dict[str, Any] = {
    "partial": functools.partial,
    "reduce": reduce,
    "wraps": wraps,
    "lru_cache": lru_cache,
    "cache": cache,
}
CONTEXTS: dict[str, Any] = {"contextmanager": contextmanager, "suppress": suppress, "nullcontext": nullcontext}


def namespace(name: str) -> Namespace:
    """`functools`, `operator` or `contextlib`."""
    return Namespace(name, {"functools": FUNCTOOLS, "operator": OPERATORS, "contextlib": CONTEXTS}[name])
