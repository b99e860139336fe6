"""What a running snippet shares: its budget, its output, the line that it is on, its random numbers."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from gradcli.script.generator import Generator
from gradcli.script.limits import Budget, Limits


class Machine:
    """One run of a snippet.

    `line` is the line of the statement that runs now, `depth` the number of calls within calls; `write` takes what the
    snippet prints. `timeline` records what autograd does when it is to be explained.
    """

    def __init__(self, limits: Limits, write: Callable[[str], None]) -> None:
        self.budget = Budget(limits)
        self.line = 0
        self.depth = 0
        self._write = write
        self.generator = Generator(int.from_bytes(os.urandom(7), "little"))
        self.timeline: Any = None
        self.globals: dict[str, Any] = {}
        self.builtins: dict[str, Any] = {}
        self.modules: Any = None

    def write(self, text: str) -> None:
        self.budget.writes(len(text))
        self._write(text)


class Running:
    """The machine that runs now; facades ask it for the budget and the line."""

    machine = Machine(Limits(), lambda text: None)


running = Running()
