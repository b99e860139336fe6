"""`functools` and `operator`: functions made of functions."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable
from keyword import iskeyword
from types import MethodType
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.members.reserved import check_free
from gradcli.script.python.members.tables import describe, fields, members_named
from gradcli.script.python.text.formatting import with_fields
from gradcli.script.python.values.attributes import Facade, Namespace, attribute
from gradcli.script.python.values.kinds import is_own_function
from gradcli.script.python.values.nesting import hashable, item
from gradcli.script.python.values.operators import (
    BINARY,
    COMPARISONS,
    OPERATORS,
    UNARY,
    augmented_operator,
    bounded_iterable,
)
from gradcli.script.python.values.special import HELD, exact

MISSING = object()


def reduce(function: Callable[[Any, Any], Any], items: Any, start: Any = MISSING) -> Any:
    """Combine the items from the left into one value."""
    total = start
    for operand in bounded_iterable(items):
        running.machine.budget.spend(1)
        total = operand if total is MISSING else function(total, operand)
    if total is MISSING:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


def wraps(wrapped: Any) -> Callable[[Any], Any]:
    """Return a decorator that gives a function the name and the attributes of another."""

    def decorate(function: Any) -> Any:
        if is_own_function(function):  # the others are shared by all runs
            function.__name__ = getattr(wrapped, "__name__", function.__name__)
            function.__doc__ = getattr(wrapped, "__doc__", None)
            if is_own_function(wrapped):
                function.__qualname__ = wrapped.__qualname__
                vars(function).update({name: kept for name, kept in vars(wrapped).items() if name not in HELD})
            function._wrapped = wrapped
        return function

    return decorate


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    """Cache the results of a function; as a bare decorator too."""
    if typed:  # Python would compare classes of its own with the arguments
        raise UnsupportedError("lru_cache(typed=True) is not supported here", python=TypeError)
    if callable(maxsize):
        return Cached(maxsize, 128)
    return lambda function: Cached(function, maxsize)


class Cached(Facade):
    """A function whose results are kept by its arguments, which are measured before Python hashes them."""

    def __init__(self, function: Any, maxsize: Any) -> None:
        self._cached = functools.lru_cache(maxsize)(function)
        self.__name__, self.__doc__ = (getattr(function, name, None) for name in ("__name__", "__doc__"))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        for value in (*arguments, *named.values()):
            hashable(value)
        return self._cached(*arguments, **named)

    def __get__(self, value: Any, kind: Any = None) -> Any:
        return self if value is None else MethodType(self, value)

    def cache_info(self) -> _Info:
        """Return how often the cache was asked, and with what success."""
        return _Info(self._cached.cache_info())

    def cache_clear(self) -> None:
        """Forget all results."""
        self._cached.cache_clear()


def cache(function: Callable[..., Any]) -> Any:
    """Cache all results of a function."""
    return Cached(function, None)


describe(functools.partial, getters=fields("func args") | {"keywords": lambda partial: dict(partial.keywords)})


class _Info(Facade):
    """The statistics of a cache."""

    def __init__(self, info: Any) -> None:
        self.hits, self.misses, self.maxsize, self.currsize = info

    def __repr__(self) -> str:
        return with_fields("CacheInfo", vars(self).items())


def itemgetter(*keys: Any) -> Callable[[Any], Any]:
    """Return a function that takes out these items."""
    return lambda value: item(value, keys[0]) if len(keys) == 1 else tuple(item(value, key) for key in keys)


def attrgetter(*names: str) -> Callable[[Any], Any]:
    """Return a function that reads these attributes."""

    def get(value: Any) -> Any:
        values = [functools.reduce(attribute, exact(name).split("."), value) for name in names]
        return values[0] if len(values) == 1 else tuple(values)

    get.__name__ = get.__qualname__ = "attrgetter"
    return get


class CachedProperty(functools.cached_property[Any]):
    """A value that is computed once and kept in the object, by a name that snippets may give to attributes."""

    def __get__(self, value: Any, kind: Any = None) -> Any:
        if value is not None and self.attrname is not None:
            check_free(type(value), self.attrname)
        return super().__get__(value, kind)


CachedProperty.__name__ = CachedProperty.__qualname__ = "cached_property"
CachedProperty.__module__ = "functools"

OPERATOR: dict[str, Any] = {
    **{name + "_" * iskeyword(name): BINARY[kind] for name, kind in OPERATORS.items()},
    "matmul": BINARY[ast.MatMult],
    "eq": COMPARISONS[ast.Eq],
    "ne": COMPARISONS[ast.NotEq],
    "lt": COMPARISONS[ast.Lt],
    "le": COMPARISONS[ast.LtE],
    "gt": COMPARISONS[ast.Gt],
    "ge": COMPARISONS[ast.GtE],
    "contains": lambda items, item: COMPARISONS[ast.In](item, items),
    "neg": UNARY[ast.USub],
    "pos": UNARY[ast.UAdd],
    "invert": UNARY[ast.Invert],
    "not_": UNARY[ast.Not],
    **members_named(operator, "is_ is_not truth abs index"),
    "getitem": item,
    "concat": BINARY[ast.Add],
    "iadd": augmented_operator(ast.Add),
    "isub": augmented_operator(ast.Sub),
    "imul": augmented_operator(ast.Mult),
    "itruediv": augmented_operator(ast.Div),
    "itemgetter": itemgetter,
    "attrgetter": attrgetter,
}
FUNCTOOLS: dict[str, Any] = {
    "partial": functools.partial,
    "reduce": reduce,
    "wraps": wraps,
    "lru_cache": lru_cache,
    "cache": cache,
    "cached_property": lambda func: CachedProperty(func),
}


def namespace(name: str) -> Namespace:
    """`functools` or `operator`."""
    return Namespace(name, {"functools": FUNCTOOLS, "operator": OPERATOR}[name])
