"""The backward pass that a run is at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradcli.engine.rites import Rites
from gradcli.script.machine import running


class Passes:
    """The number of the backward pass that a run is at, and what is done beside it."""

    last = 0
    number = 0  # outside of all passes
    rites: Rites | None = None

    @contextmanager
    def running(self, rites: Rites) -> Iterator[None]:
        """Be at a new pass inside the block.

        The depth of calls begins again: torch runs deep passes within passes in threads of their own.
        """
        machine = running.machine
        before, depth = (self.number, self.rites), machine.depth
        machine.depth = 0
        self.last += 1
        self.number, self.rites = self.last, rites
        try:
            yield
        finally:
            self.number, self.rites = before
            machine.depth = depth
