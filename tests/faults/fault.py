"""A fault in one run of a command: it draws where or when it happens, lets it happen, and says what must hold then."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import ClassVar

from tests.faults import laws
from tests.faults.commands import Command
from tests.faults.running import Nothing, Outcome


class Fault(Nothing):
    """One fault in one run of a command, whose right outcome is known."""

    name: ClassVar[str]
    needs_lines: ClassVar[bool] = False  # the right outcome must have them

    def __init__(self, command: Command, right: Outcome, random: Random) -> None:
        super().__init__(command)
        self.right, self.random = right, random
        self.is_buffered, self.is_harmful = random.random() < 0.5, True

    @classmethod
    def suits(cls, command: Command) -> bool:
        return True

    def complaints(self, outcome: Outcome) -> Iterator[str]:
        yield from laws.orderly(outcome)
        yield from laws.partial(self.command, self.right, outcome)
        yield from self.ends(outcome)

    def ends(self, outcome: Outcome) -> Iterator[str]:
        """Yield complaints about the exit code, and about the results that go with it."""
        yield from ()

    def refused(self, outcome: Outcome) -> Iterator[str]:
        """Where it does not end as it should have without a fault, it says why."""
        if outcome.code == self.right.code and outcome.results == self.right.results:
            return
        if outcome.code not in (2, 3, 4):
            yield f"the exit code is {outcome.code}, not 2, 3 or 4"
        elif b"error" not in outcome.error and not any(b'"error"' in text for text in outcome.results.values()):
            yield "it does not say what is wrong"
