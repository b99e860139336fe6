"""`matplotlib` and `seaborn`: snippets may call them, but nothing is drawn; a note says so once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace

NOT_DRAWN = "plots are not drawn"
LIMITS = ("xlim", "ylim", "get_xlim", "get_ylim")
OF_MODULE = ("use", "rc", "rcParams", "rcdefaults", "get_backend", "interactive", "__version__")


class Blank(Facade):
    """A figure, axes, a line: it takes every call, and is not drawn."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'Blank' object has no attribute {name!r}")
        return member(name)

    def __call__(self, *_: Any, **__: Any) -> Blank:
        running.machine.note(NOT_DRAWN)
        return Blank()

    def __iter__(self) -> Iterator[Any]:
        return iter([Blank()])

    def __getitem__(self, _: Any) -> Blank:
        return Blank()

    def __setitem__(self, _: Any, __: Any) -> None:
        return None

    def __enter__(self) -> Blank:
        return self

    def __exit__(self, *_: Any) -> None:
        return None


class Grid(Blank):
    """Axes in rows and columns."""

    def __init__(self, rows: int, columns: int) -> None:
        self._sizes = [size for size in (rows, columns) if size > 1]
        self._each: Any = Blank() if len(self._sizes) < 2 else Grid(1, columns)
        running.machine.budget.fits(rows * columns, "the figure")

    def __iter__(self) -> Iterator[Any]:
        return iter([self._each] * self._sizes[0])

    def __len__(self) -> int:
        return self._sizes[0]

    def __getitem__(self, key: Any) -> Any:
        return self._each if isinstance(key, int) else Blank()

    def _all(self, *_: Any) -> Any:
        count = self._sizes[0] * (self._sizes[-1] if len(self._sizes) > 1 else 1)
        return Grid(1, count)

    ravel = flatten = reshape = _all
    flat = property(_all)


def subplots(nrows: int = 1, ncols: int = 1, **options: Any) -> tuple[Any, Any]:
    """A figure and its axes."""
    running.machine.note(NOT_DRAWN)
    return Blank(), Blank() if nrows * ncols == 1 and options.get("squeeze", True) else Grid(nrows, max(ncols, 1))


def hist(*_: Any, **__: Any) -> tuple[Any, Any, Any]:
    """Return counts, edges and bars of a histogram."""
    running.machine.note(NOT_DRAWN)
    return Blank(), Blank(), Blank()


def limits(*_: Any, **__: Any) -> tuple[float, float]:
    """Return the ends of an axis."""
    return 0.0, 1.0


def member(name: str) -> Any:
    """Return the member of the module with this name, which may be any."""
    return {"subplots": subplots, "hist": hist, **dict.fromkeys(LIMITS, limits)}.get(name) or Blank()


def namespace(name: str) -> Namespace:
    """`matplotlib`, where all small names are modules but a few; any other name is something to call."""

    def find(word: str) -> Any:
        is_module = name == "mpl_toolkits" or (name == "matplotlib" and word.islower() and word not in OF_MODULE)
        return Namespace(f"{name}.{word}", find=member) if is_module else member(word)

    return Namespace(name, find=find)
