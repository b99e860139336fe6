"""`io`: buffers of text and of what torch saves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace


class StringIO(Facade):
    """A text that is written and read like a file."""

    def __init__(self, initial_value: str = "") -> None:
        self._pieces = [initial_value] if initial_value else []
        self._length, self._place = len(initial_value), 0

    def write(self, s: str) -> int:
        """Add to the text."""
        if not isinstance(s, str):
            raise TypeError(f"string argument expected, got {type(s).__name__!r}")
        self._length += len(s)
        running.machine.budget.fits(self._length, "the text")
        self._pieces.append(s)
        return len(s)

    def getvalue(self) -> str:
        """Return the whole text."""
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def read(self) -> str:
        """Return the text that was not read yet."""
        rest = self.getvalue()[self._place :]
        self._place = self._length
        return rest

    def seek(self, place: int) -> int:
        """Go on reading at another place."""
        self._place = place
        return place

    def __iter__(self) -> Iterator[str]:
        return iter(self.read().splitlines(keepends=True))

    def __enter__(self) -> StringIO:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    close = flush


class BytesIO(Facade):
    """A buffer for `torch.save` and `torch.load`: it keeps the object, not its bytes."""

    def __init__(self) -> None:
        self._kept: Any = None
        self._wound_back = False

    def keep(self, saved: Any) -> None:
        """Hold an object, and stand at its end."""
        self._kept, self._wound_back = saved, False

    def taken(self) -> Any:
        """Return the object; EOFError at its end."""
        if not self._wound_back:
            raise EOFError
        self._wound_back = False
        return self._kept

    def seek(self, place: int) -> int:
        """Go back to the beginning."""
        self._wound_back = place == 0 and self._kept is not None
        return place


def namespace(name: str) -> Namespace:
    """`io`."""
    return Namespace(name, {"StringIO": StringIO, "BytesIO": BytesIO})
