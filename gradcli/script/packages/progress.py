"""`tqdm`: its iterables work, and its bar, which would be on standard error, is not drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.text.formatting import text
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.python.values.iteration import counting_iterator

QUIET = "set_description set_description_str set_postfix set_postfix_str refresh clear close reset display unpause"


class tqdm(Facade):  # noqa: N801  its name
    """A bar around an iterable."""

    def __init__(self, iterable: Any = None, desc: Any = None, total: Any = None, **_: Any) -> None:
        self._items = iterable
        self.desc = desc
        self.total = len(iterable) if total is None and hasattr(type(iterable), "__len__") else total
        self.n = 0

    def __iter__(self) -> Iterator[Any]:
        for item in counting_iterator(self._items):
            yield item
            self.n += 1

    def __len__(self) -> int:
        return int(self.total)

    def __enter__(self) -> tqdm:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def update(self, n: float = 1) -> None:
        """Add to the number of steps."""
        self.n += n  # type: ignore[assignment]

    @staticmethod
    def write(s: Any, **_: Any) -> None:
        """Print a line on standard output."""
        running.machine.write(text(s) + "\n")


def _quiet(self: Any, *_: Any, **__: Any) -> None:
    """Nothing of the bar is shown."""


for _name in QUIET.split():
    setattr(tqdm, _name, _quiet)


def trange(*bounds: int, **options: Any) -> tqdm:
    """A bar around a range."""
    return tqdm(range(*bounds), **options)


def namespace(name: str) -> Namespace:
    """`tqdm`, and its variants."""
    members = {"tqdm": tqdm, "trange": trange}
    variants = {word: Namespace(f"tqdm.{word}", members) for word in ("auto", "notebook", "autonotebook", "std")}
    return Namespace(name, members | variants)
