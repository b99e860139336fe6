"""Unpacking, `a, b = value`: as many items as there are names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.script.python.values.operators import bounded


def unpacked(value: Any, before: int, after: int | None) -> Sequence[Any]:
    """Return the items of `a, b = value`, or with `after` of `a, *b, c = value`, the starred ones as a list."""
    if not isinstance(value, tuple):  # a list may change while its items are assigned
        value = list(value) if isinstance(value, list) else _items(value, None if after is not None else before)
    if after is None:
        if len(value) < before:
            raise ValueError(f"not enough values to unpack (expected {before}, got {len(value)})")
        if len(value) > before:
            raise ValueError(f"too many values to unpack (expected {before})")
        return value  # type: ignore[no-any-return]
    if len(value) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(value)})")
    end = len(value) - after
    return [*value[:before], list(value[before:end]), *value[end:]]


def _items(value: Any, expected: int | None) -> list[Any]:
    """The items, and of an iterator at most one more than are expected."""
    try:
        found = iter(value)
    except TypeError:
        if hasattr(type(value), "__iter__"):
            raise
        raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object") from None
    if expected is None:
        return list(bounded(found))
    items = []
    for item in found:
        items.append(item)
        if len(items) > expected:
            break
    return items
