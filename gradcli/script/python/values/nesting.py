"""Containers within containers are counted before C code walks through them, past the limits.

Python's own comparison and hash recurse as deep as the containers and visit a shared one as often as it is shared;
a list of thirty lists of twice the same list keeps them busy for hours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.limits import DEPTH
from gradcli.script.machine import running

NESTING = (list, tuple, dict, set, frozenset, deque)
ATOMS = frozenset((int, float, str, bool, type(None)))


def measure(first: Any, second: Any = None, doing: str = "") -> bool:
    """Whether there are tensors inside; raise RecursionError where it is too deep, LimitError where too large."""
    stack: list[Iterator[Any]] = [iter((first, second))]
    seen, tensors = 0, False
    while stack:
        for item in stack[-1]:
            if type(item) in ATOMS:
                continue
            if isinstance(item, NESTING):
                if ATOMS.issuperset(map(type, item.values() if isinstance(item, dict) else item)):
                    continue
                seen += len(item)
                if seen > 2**16:
                    running.machine.budget.fits(seen, "what is in it")
                if len(stack) > DEPTH:
                    raise RecursionError(f"maximum recursion depth exceeded{doing}")
                stack.append(iter(item.values()) if isinstance(item, dict) else iter(item))
                break
            if isinstance(item, Tensor):
                tensors = True
        else:
            stack.pop()
    return tensors


def hashable(value: Any) -> Any:
    """Return a key; a tuple of tuples is measured before it is hashed."""
    if isinstance(value, tuple):
        measure(value)
    return value


def item(value: Any, key: Any) -> Any:
    """`value[key]`."""
    if isinstance(key, tuple) and isinstance(value, dict):
        measure(key)
    return value[key]


def hashables(values: Any) -> Iterator[Any]:
    """Yield keys one by one, each measured."""
    for value in values:
        if isinstance(value, tuple):
            measure(value)
        yield value


def bounds(lower: Any, upper: Any, step: Any = None) -> slice:
    """Make the slice `lower:upper:step`, of no slices, for these are freed by recursion in C."""
    for part in (lower, upper, step):
        if isinstance(part, slice):
            raise TypeError("a slice of slices is not supported here")
    return slice(lower, upper, step)
