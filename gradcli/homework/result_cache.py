"""Results that are remembered: of many students who say the same, the first has it computed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """The results that were asked for last, `most` of them, so that the memory stays flat."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.found: dict[Hashable, T] = {}

    def once(self, known: Hashable | None, compute: Callable[[], T]) -> T:
        """Return the result with a key, computed where it is not remembered; always where the key is None."""
        if known is None:
            return compute()
        if known in self.found:
            if len(self.found) < self.most:  # nothing is to be forgotten soon
                return self.found[known]
            result = self.found.pop(known)
        else:
            result = compute()
        self.found[known] = result  # the last of all
        if len(self.found) > self.most:
            del self.found[next(iter(self.found))]
        return result


def once(shared: dict[Any, Any], key: Hashable, compute: Callable[[], T]) -> T:
    """Return a result that several share, computed for the first that asks, and kept as long as they live."""
    if key not in shared:
        shared[key] = compute()
    cached_value: T = shared[key]
    return cached_value
