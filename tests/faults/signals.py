"""Signals to a command and to its processes, at random moments and at random lines."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import ClassVar

from tests.faults import laws
from tests.faults.commands import Command
from tests.faults.fault import Fault
from tests.faults.running import Outcome
from tests.workers.processes import children

LATER = 0.02  # seconds between two looks for a process to kill


class Interruption(Fault):
    """A signal at a random moment, to the process alone or, as from a terminal, to all.

    Where the process is fed, often no end of its input comes.
    """

    number: ClassVar[int]
    codes: ClassVar[tuple[int, ...]]

    def __init__(self, command: Command, right: Outcome, random: Random) -> None:
        super().__init__(command, right, random)
        self.delay = random.uniform(0, right.seconds)
        self.whom = random.choice(["self", "group"])
        self.is_endless = random.random() < 0.5

    def feed(self, data: bytes, write: Callable[[bytes], None], process: subprocess.Popen[bytes]) -> None:
        if self.is_endless:
            write(data[: self.random.randint(0, len(data))])
            process.wait()
        else:
            write(data)

    def disturb(self, process: subprocess.Popen[bytes]) -> None:
        time.sleep(self.delay)
        if process.poll() is None:
            send = os.kill if self.whom == "self" else os.killpg
            send(process.pid, self.number)

    def ends(self, outcome: Outcome) -> Iterator[str]:
        if outcome.code not in self.codes and outcome.is_harmed:
            yield f"the exit code is {outcome.code}, not {self.codes[0]}"
        elif outcome.code not in self.codes:
            yield from laws.complete(self.right, outcome)
        elif not self.right.error.startswith(outcome.error):
            yield f"it says {outcome.error!r}"


class AtLine(Fault):
    """Something happens when the command comes to a line of its own or of a library that it relies on."""

    needs_lines = True

    def draw_line(self) -> dict[str, object]:
        """Draw a file, then one of its lines, then a time of those that it is come to."""
        files: dict[str, list[str]] = {}
        for place in sorted(self.right.lines):
            files.setdefault(place.rpartition(":")[0], []).append(place)
        line = self.random.choice(files[self.random.choice(sorted(files))])
        return {"line": line, "count": self.random.randint(1, self.right.lines[line])}


class InterruptionAtLine(Interruption, AtLine):
    def __init__(self, command: Command, right: Outcome, random: Random) -> None:
        super().__init__(command, right, random)
        self.is_endless = False
        self.plan = {**self.draw_line(), "signal": self.number, "whom": self.whom}

    def disturb(self, process: subprocess.Popen[bytes]) -> None:
        """It does so itself."""


class Interrupt(Interruption):
    name, number, codes = "SIGINT", signal.SIGINT, (-signal.SIGINT, 130)


class Terminate(Interruption):
    name, number, codes = "SIGTERM", signal.SIGTERM, (-signal.SIGTERM, 143)


class InterruptAtLine(InterruptionAtLine):
    name, number, codes = "SIGINT at a line", signal.SIGINT, (-signal.SIGINT, 130)


class TerminateAtLine(InterruptionAtLine):
    name, number, codes = "SIGTERM at a line", signal.SIGTERM, (-signal.SIGTERM, 143)


class KilledWorker(Fault):
    """A process that computes for the command is killed, or crashes."""

    name = "killed worker"

    def __init__(self, command: Command, right: Outcome, random: Random) -> None:
        super().__init__(command, right, random)
        self.number = random.choice([signal.SIGKILL, signal.SIGSEGV])
        self.delay = random.uniform(0, right.seconds)

    @classmethod
    def suits(cls, command: Command) -> bool:
        return command.has_workers

    def disturb(self, process: subprocess.Popen[bytes]) -> None:
        time.sleep(self.delay)
        while process.poll() is None:
            if found := children(process.pid):
                os.kill(self.random.choice(found), self.number)
                return
            time.sleep(LATER)

    def complaints(self, outcome: Outcome) -> Iterator[str]:
        yield from laws.orderly(outcome)
        yield from laws.but_for_one(self.command, self.right, outcome)


class KilledWorkerAtLine(KilledWorker, AtLine):
    name = "killed worker at a line"

    def __init__(self, command: Command, right: Outcome, random: Random) -> None:
        super().__init__(command, right, random)
        self.plan = {**self.draw_line(), "signal": self.number, "whom": "worker"}

    def disturb(self, process: subprocess.Popen[bytes]) -> None:
        """It does so itself."""


FAULTS: list[type[Fault]] = [
    Interrupt,
    Terminate,
    InterruptAtLine,
    TerminateAtLine,
    KilledWorker,
    KilledWorkerAtLine,
]
