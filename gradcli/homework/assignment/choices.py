"""Values that differ from sheet to sheet: what one variable may be, and the same draw from the same seed everywhere."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.assignment.places import Table

MOST = 1000  # steps from the smallest to the largest number
LARGEST = 64  # entries of a random tensor
Value = Any  # a numpy array or scalar
CHOOSE = "write { choose = [1.3, 1.7, 2.2] }"
RANDOM = "write { random = [2, 3], from = [-2, 2], step = 0.5 }"


class Draws:
    """Numbers that follow from a secret and from texts alone: neither a version of Python nor of numpy changes them."""

    def __init__(self, secret: bytes, *texts: str) -> None:
        self.key = hmac.digest(secret, "\0".join(texts).encode("utf-8", "surrogatepass"), "sha256")
        self.count = 0

    def below(self, size: int) -> int:
        """Return the next number from 0 to `size` - 1."""
        self.count += 1
        return int.from_bytes(hmac.digest(self.key, str(self.count).encode(), "sha256")) % size


@dataclass(frozen=True, slots=True)
class Choice:
    """The values that a variable may have: one of `values`; with a `shape`, each entry is one of them."""

    values: tuple[Value, ...]
    shape: tuple[int, ...] | None = None

    @property
    def count(self) -> int:
        """The number of different values."""
        return int(len(self.values) ** prod(self.shape or ()))

    def drawn(self, draws: Draws) -> Value:
        """Return one of them."""
        if self.shape is None:
            return self.values[draws.below(len(self.values))]
        entries = [self.values[draws.below(len(self.values))] for _ in range(prod(self.shape))]
        return np.reshape(np.array(entries, np.float64), self.shape)[()]


def read_choice(table: Table, read: Callable[..., Value]) -> Choice:
    """Read `{ choose = [...] }`, or `{ random = SHAPE, from = [LOW, HIGH], step = STEP }`, where no shape is a number.

    `read` reads the value at a place in the table. Raises UsageError at the place of a fault.
    """
    name = table.path[-1]
    if "choose" in table:
        if others := [key for key in table.values if key != "choose"]:
            raise table.refuse(f"{name} has choose, and no {others[0]} beside it", CHOOSE, others[0])
        given = table.get("choose")
        if not isinstance(given, list) or len(given) < 2:
            raise table.refuse(f"{name} has fewer than two values to choose from", CHOOSE, "choose")
        values = tuple(np.asarray(read(table, entry, "choose", place))[()] for place, entry in enumerate(given))
        if len({np.shape(value) for value in values}) > 1:
            raise table.refuse(f"the values of {name} differ in shape", "choose from values of one shape", "choose")
        return Choice(values)
    for key in table.values:
        if key not in ("random", "from", "step"):
            raise table.refuse(f"{name} has no {key}", f"{CHOOSE}, or {RANDOM[6:]}", key)
    ends, step, shape = table.get("from"), table.get("step", 1), table.get("random", [])
    if not (isinstance(ends, list) and len(ends) == 2 and all(map(is_number, ends)) and ends[0] < ends[1]):
        raise table.refuse(f"{name} needs its smallest and its largest number", RANDOM, "from")
    low, high = ends
    if not is_number(step) or not 0 < step <= high - low or (high - low) / step > MOST:
        raise table.refuse(f"the step of {name} is {step!r:.40}", RANDOM, "step")
    if not isinstance(shape, list) or not all(type(size) is int and size > 0 for size in shape):
        raise table.refuse(f"random is the shape of {name}", RANDOM, "random")
    if prod(shape) > LARGEST:
        raise table.refuse(f"{name} has more than {LARGEST} entries", "nobody computes that by hand", "random")
    return Choice(grid(low, high, step), tuple(shape))


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e9


def grid(low: float, high: float, step: float) -> tuple[float, ...]:
    """Return the numbers from `low` to `high` in steps, as they are written, without 0."""
    count = int((high - low) / step + 1e-9) + 1
    numbers = (float(f"{low + number * step:.12g}") for number in range(count))
    return tuple(number for number in numbers if number)
