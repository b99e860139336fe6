"""The machine of a running snippet: its budget, its output, the line that it is on, its random numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, MutableSequence
from contextlib import contextmanager
from typing import Any, TypeVar

from gradcli.script.limits import Budget, Limits
from gradcli.script.torch.random.generator import Generator
from gradcli.source import Source, Span

Warn = Callable[[str, str, Source, int], None]  # kind, message, source, line
Kind = TypeVar("Kind")


def _unheard(kind: str, message: str, source: Source, line: int) -> None:
    """Drop a warning."""


def _unwatched(cell: Source) -> None:
    """Ignore which cell runs."""


class Machine:
    """One run of a snippet.

    `depth` is the number of calls within calls, `handled` the exception that an `except` handles. `write` takes the
    output of the snippet, `warn` its warnings. `timeline` records autograd where it is to be explained. `entered` hears
    of each cell, and the line that runs stands in `lines[0]`, where another process may see it. `write_error` takes the
    output to `sys.stderr`; without it that is dropped.
    """

    def __init__(
        self,
        limits: Limits,
        write: Callable[[str], None],
        warn: Warn = _unheard,
        write_error: Callable[[str], None] | None = None,
        entered: Callable[[Source], None] = _unwatched,
        lines: MutableSequence[int] | None = None,
    ) -> None:
        self.budget = Budget(limits)
        self.source = Source("")
        self.lines: MutableSequence[int] = [0] if lines is None else lines
        self.depth = 0
        self.handled: BaseException | None = None
        self.generator = Generator(int.from_bytes(os.urandom(7), "little"))
        self.timeline: Any = None
        self.globals: dict[str, Any] = {}
        self.builtins: dict[str, Any] = {}
        self.modules: Any = None
        self.saved: dict[str, Any] = {}  # by the names of files that are not written
        self.entered = entered
        self._write = write
        self._warn = warn
        self._write_error = write_error
        self._warned: set[tuple[str, int]] = set()
        self._instances: dict[type, Any] = {}

    @property
    def line(self) -> int:
        """The line of the statement that runs now, 0 before the first."""
        return self.lines[0]

    @line.setter
    def line(self, line: int) -> None:
        self.lines[0] = line

    @property
    def span(self) -> Span:
        """The span of the current line, for the caret."""
        line, start = self.source.line(self.line or 1), self.source.offset(self.line or 1)
        return Span(start + len(line) - len(line.lstrip()), start + max(len(line.rstrip()), 1))

    def instance(self, kind: type[Kind]) -> Kind:
        """Return this run's object of a class, which is made when it is first asked for."""
        instance = self._instances.get(kind)
        if instance is None:
            instance = self._instances[kind] = kind()
        return instance

    def write(self, text: str) -> None:
        """Print, as far as the limits allow; TypeError for a value that is no text."""
        text = str.__str__(text)
        self.budget.writes(len(text))
        self._write(text)

    def write_error(self, text: str) -> None:
        """Print to standard error, as far as the limits allow."""
        text = str.__str__(text)
        self.budget.writes(len(text))
        if self._write_error is not None:
            self._write_error(text)

    def warned(self, message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        """Pass a warning on, once for each line, as Python does."""
        place = (str(message), self.line)
        if place not in self._warned:
            self._warned.add(place)
            self._warn(category.__name__, str(message), self.source, self.line)

    def note(self, message: str) -> None:
        """Give a note about the run itself, once."""
        if (message, 0) not in self._warned:
            self._warned.add((message, 0))
            self._warn("Note", message, self.source, self.line)

    @contextmanager
    def redirected(self, write: Callable[[str], Any]) -> Iterator[None]:
        """Send the output of the block to `write`."""
        before, self._write = self._write, write
        try:
            yield
        finally:
            self._write = before


class Running:
    """The machine that runs now; facades ask it for the budget and the line."""

    machine = Machine(Limits(), lambda text: None)


running = Running()
