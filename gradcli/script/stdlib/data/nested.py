"""Types of Python's that free what they hold by recursion in C, as classes of ours.

A million of them within each other would end the stack, and the process. Objects of a class are freed one after the
other, whatever they derive from.
"""

from __future__ import annotations

import collections
from typing import Any


class Deque(collections.deque[Any]):
    """`collections.deque`."""

    __slots__ = ()


class DefaultDict(collections.defaultdict[Any, Any]):
    """`collections.defaultdict`."""

    __slots__ = ()


Deque.__name__, DefaultDict.__name__ = "deque", "defaultdict"
