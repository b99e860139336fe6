"""`heapq` and `bisect`: lists that are kept in order."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from gradcli.script.python.members.tables import listed
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.python.values.nesting import measure
from gradcli.script.python.values.operators import bounded

HEAPS = "heappush heappop heappushpop heapreplace"
PLACES = "bisect bisect_left bisect_right insort insort_left insort_right"


def _comparing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that compares a new item, or the last, with items of an ordered list."""

    def call(items: Any, *rest: Any, **options: Any) -> Any:
        measure(items[-1:], rest, " in comparison")
        return function(items, *rest, **options)

    return call


def heapify(x: list[Any]) -> None:
    """Put a list into the order of a heap."""
    measure(x, None, " in comparison")
    heapq.heapify(x)


def _most(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that returns the first few items in order."""

    def call(n: int, iterable: Any, key: Any = None) -> Any:
        return function(n, list(bounded(iterable)), key)

    return call


def namespace(name: str) -> Namespace:
    """`heapq` or `bisect`."""
    if name == "bisect":
        return Namespace(name, listed(bisect, PLACES, _comparing))
    members = listed(heapq, HEAPS, _comparing) | listed(heapq, "nlargest nsmallest", _most)
    return Namespace(name, members | {"heapify": heapify})
