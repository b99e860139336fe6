"""Types of Python's that free what they hold by recursion in C, as classes of ours.

A million of them within each other would end the stack, and the process. Objects of a class are freed one after the
other, whatever they derive from.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any


class Deque(collections.deque[Any]):
    """`collections.deque`."""

    __slots__ = ()


class DefaultDict(collections.defaultdict[Any, Any]):
    """`collections.defaultdict`."""

    __slots__ = ()


class Key:
    """The result of `functools.cmp_to_key`, and the key that it makes of a value: it compares as the function says."""

    __slots__ = ("compare", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, compare: Callable[[Any, Any], Any], *value: Any) -> None:
        self.compare, self.value = compare, value

    def __repr__(self) -> str:
        return f"<functools.KeyWrapper object at {id(self):#x}>"

    def __call__(self, obj: Any) -> Key:
        return Key(self.compare, obj)

    def compared(self, other: object) -> Any:
        if not isinstance(other, Key):
            raise TypeError("other argument must be K instance")
        if not (self.value and other.value):
            raise AttributeError("object")
        return self.compare(*self.value, *other.value)

    def __lt__(self, other: object) -> Any:
        return self.compared(other) < 0

    def __gt__(self, other: object) -> Any:
        return self.compared(other) > 0

    def __le__(self, other: object) -> Any:
        return self.compared(other) <= 0

    def __ge__(self, other: object) -> Any:
        return self.compared(other) >= 0

    def __eq__(self, other: object) -> Any:
        return self.compared(other) == 0

    def __ne__(self, other: object) -> Any:
        return self.compared(other) != 0


Deque.__name__, DefaultDict.__name__, Key.__name__ = "deque", "defaultdict", "KeyWrapper"
