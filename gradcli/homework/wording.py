"""Numbers, lists and labels in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SHOWN = 4  # items of a list, entries of an array


def shown(value: Any) -> str:
    """Write a number with six digits, of an array the first entries."""
    if np.ndim(value) == 0:
        return f"{float(value) + 0.0:.6g}"
    if np.size(value) <= SHOWN or np.ndim(value) == 1:
        entries = [shown(entry) for entry in value[:SHOWN]]
        return f"[{', '.join(entries)}{', ...' if len(value) > SHOWN else ''}]"
    return f"a tensor of shape {np.shape(value)}"


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; of many the first ones."""
    if len(items) > SHOWN:
        items = [*items[: SHOWN - 1], f"{len(items) - SHOWN + 1} more"]
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def wrapped(label: str) -> str:
    """Write a label so that an operator may follow: `(a + b)`."""
    return label if label.isidentifier() else f"({label})"
