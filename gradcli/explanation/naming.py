"""Names for the values of a program: the user's own; v1, v2, ... for the rest (a Wengert list); c1, ... constants."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator


def unused(stem: str, taken: Container[str]) -> str:
    """The stem, or `stem_2`, `stem_3`, ... where the user has a name for something else."""
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    return name


class Names:
    """Hands out names; each is unique and none is a name that the user wrote."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._given: set[str] = set()
        self._unnamed = {stem: self._count(stem, first=1) for stem in "vc"}

    def _count(self, stem: str, first: int) -> Iterator[str]:
        number = first
        while True:
            name = f"{stem}{number}"
            if name not in self._taken and name not in self._given:
                yield name
            number += 1

    def fresh(self, stem: str = "v") -> str:
        """The next name for something that the user did not name: `v1`, or `c1` for a constant."""
        name = next(self._unnamed[stem])
        self._given.add(name)
        return name

    def part(self, whole: str, number: int) -> str:
        """Return a name for a part of something that has a name: `v1_a`, `v1_b`."""
        letter = chr(ord("a") + number) if number < 26 else str(number)
        name = unused(f"{whole}_{letter}", self._taken | self._given)
        self._given.add(name)
        return name

    def own(self, name: str) -> str:
        """The user's name; assigned again, it becomes `name_2`, `name_3`, ..."""
        if name in self._given:
            name = next(self._count(f"{name}_", first=2))
        self._given.add(name)
        return name
