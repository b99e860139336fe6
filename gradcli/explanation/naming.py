"""Names for the values of a program: the user's own; v1, v2, ... for the rest (a Wengert list); c1, ... constants."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from itertools import count

NAMELESS = re.compile(r"v\d+(_\w+)?")  # names of results that the user gave none
ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


def unused(stem: str, names_in_use: Container[str]) -> str:
    """The stem, or `stem_2`, `stem_3`, ... where the user has a name for something else."""
    name, number = stem, 2
    while name in names_in_use:
        name, number = f"{stem}_{number}", number + 1
    return name


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, ...: the name of one of several edges between the same nodes."""
    return ORDINALS.get(number, f"{number}th")


def lettered(name: str, number: int, names_in_use: Container[str]) -> str:
    """Return the name of a part: `v1_a`, `v1_b`."""
    return unused(f"{name}_{chr(ord('a') + number) if number < 26 else number}", names_in_use)


class Names:
    """Hands out names; each is unique and none is a name that the user wrote."""

    def __init__(self, names_in_use: Iterable[str]) -> None:
        self._known = set(names_in_use)  # the user's names, and those that are given
        self._given: set[str] = set()
        self._numbered: dict[str, Iterator[str]] = {}

    def _next(self, stem: str, first: int) -> str:
        """Return the first name of a stem and a number that is not known; each stem goes on where it was."""
        if stem not in self._numbered:
            self._numbered[stem] = (f"{stem}{number}" for number in count(first))
        return self._give(next(name for name in self._numbered[stem] if name not in self._known))

    def _give(self, name: str) -> str:
        self._given.add(name)
        self._known.add(name)
        return name

    def fresh(self, stem: str = "v") -> str:
        """The next name for something that the user did not name: `v1`, or `c1` for a constant."""
        return self._next(stem, 1)

    def part_name(self, name: str, number: int) -> str:
        """Return a name for a part of an operation that has a name: `v1_a`, `v1_b`."""
        return self._give(lettered(name, number, self._known))

    def user_name(self, name: str) -> str:
        """The user's name; assigned again, it becomes `name_2`, `name_3`, ..."""
        return self._next(f"{name}_", 2) if name in self._given else self._give(name)
