"""The backward pass that a run is at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradcli.engine.rites import Rites
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running


class Passes:
    """The number of the backward pass that a run is at, its outputs, and the places where it ends, None for leaves."""

    last = 0
    number = 0  # outside of all passes
    outputs: Sequence[Tensor] = ()
    only: Sequence[Any] | None = None
    rites: Rites | None = None

    def __init__(self) -> None:
        self.callbacks: list[Callable[[], Any]] = []  # that wait for the end of this pass

    @contextmanager
    def running(self, outputs: Sequence[Tensor], only: Sequence[Any] | None, rites: Rites) -> Iterator[None]:
        """Be at a new pass inside the block, at the end of which what waits for it is called.

        The depth of calls begins again: torch runs deep passes within passes in threads of their own.
        """
        machine = running.machine
        before, depth = (self.number, self.outputs, self.only, self.callbacks, self.rites), machine.depth
        machine.depth = 0
        self.last += 1
        self.number, self.outputs, self.only, self.callbacks, self.rites = self.last, outputs, only, [], rites
        try:
            yield
            while self.callbacks:
                self.callbacks.pop(0)()
        finally:
            self.number, self.outputs, self.only, self.callbacks, self.rites = before
            machine.depth = depth
