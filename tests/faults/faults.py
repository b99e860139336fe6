"""The faults: each draws where or when it happens, lets it happen, and says what must hold then."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import IO, ClassVar

from tests.faults import laws
from tests.faults.commands import FOLDER, Command
from tests.faults.running import Nothing, Outcome
from tests.workers.processes import children

CAPACITY = 2**17  # bytes of results that may be on their way, in buffers and in a pipe, when its reader closes it
LATER = 0.02  # seconds between two looks for a process to kill


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
        if outcome.code not in (2, 3):
            yield f"the exit code is {outcome.code}, not 2 or 3"
        elif b"error" not in outcome.error and not any(b'"error"' in text for text in outcome.results.values()):
            yield "it does not say what is wrong"


class FullDisk(Fault):
    """Files have no room for more than so many bytes."""

    name = "full disk"

    def __init__(self, command: Command, right: Outcome, random: Random) -> None:
        super().__init__(command, right, random)
        self.plan = {"space": random.randint(0, right.size)}

    @classmethod
    def suits(cls, command: Command) -> bool:
        return not command.is_piped

    def ends(self, outcome: Outcome) -> Iterator[str]:
        if self.plan["space"] == self.right.size:
            yield from laws.complete(self.right, outcome)
        elif outcome.code == self.right.code:
            yield "it does not notice"
        else:
            yield from self.refused(outcome)


class NoSpace(Fault):
    """The place of the results is a device that is always full."""

    name = "/dev/full"

    @classmethod
    def suits(cls, command: Command) -> bool:
        return not command.is_piped and command.shape != FOLDER

    def arguments(self) -> list[str]:
        return self.command.arguments("/dev/full" if self.command.output else "")

    def output(self, path: Path) -> IO[bytes]:
        path.touch()
        return path.open("wb") if self.command.output else Path("/dev/full").open("wb")

    def ends(self, outcome: Outcome) -> Iterator[str]:
        if outcome.code == self.right.code:
            yield "it does not notice"
        yield from self.refused(outcome)


class ClosedPipe(Fault):
    """The reader of a pipe takes some bytes and closes it."""

    name = "closed pipe"

    def __init__(self, command: Command, right: Outcome, random: Random) -> None:
        super().__init__(command, right, random)
        self.count = random.randint(0, right.size)

    @classmethod
    def suits(cls, command: Command) -> bool:
        return command.is_piped

    def read(self, stream: IO[bytes]) -> bytes:
        data = b""
        while len(data) < self.count and (part := stream.read(self.count - len(data))):
            data += part
        stream.close()
        return data

    def ends(self, outcome: Outcome) -> Iterator[str]:
        if len(outcome.results["-"]) != self.count:
            yield f"{len(outcome.results['-'])} bytes came, not {self.count}"
        is_over = self.right.size - self.count < CAPACITY and outcome.code == self.right.code
        if outcome.code != 141 and not is_over:
            yield f"the exit code is {outcome.code}, not 141"
        if outcome.code == 141 and outcome.error:
            yield f"it says {outcome.error!r}"


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
    name, number, codes = "SIGINT", signal.SIGINT, (130,)


class Terminate(Interruption):
    name, number, codes = "SIGTERM", signal.SIGTERM, (-signal.SIGTERM, 143)


class InterruptAtLine(InterruptionAtLine):
    name, number, codes = "SIGINT at a line", signal.SIGINT, (130,)


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


class TruncatedInput(Fault):
    """A file that is read ends too early."""

    name = "truncated input"

    @classmethod
    def suits(cls, command: Command) -> bool:
        return not command.fed

    def prepare(self, folder: Path) -> None:
        files = [path for name in self.command.inputs for path in files_in(folder / name)]
        path = self.random.choice(files)
        data = path.read_bytes()
        self.kept = data[: self.random.randrange(len(data))]
        path.unlink()  # it has another name elsewhere
        path.write_bytes(self.kept)
        self.path = path

    def complaints(self, outcome: Outcome) -> Iterator[str]:
        yield from laws.orderly(outcome)
        if outcome.code not in (0, 1, 2, 3):
            yield f"the exit code is {outcome.code}"
        if self.command.group == "batch":
            yield from self.of_batch(outcome)
        elif self.path.name.startswith("s"):
            yield from laws.but_for_one(self.command, self.right, outcome, is_told=False)
        elif self.path.suffix == ".csv":
            yield from laws.but_for_last(self.command, self.right, outcome)

    def of_batch(self, outcome: Outcome) -> Iterator[str]:
        """The whole lines that are there have their results; a broken one adds no more than a line."""
        count = 0 if self.path.suffix == ".gz" else self.kept.count(b"\n")
        found, right = laws.items(self.command, outcome), laws.items(self.command, self.right)
        same = laws.shared(found, right)
        if same < count:
            yield f"{same} lines are right, not {count}"
        if len(found) > same + 1 or not all(line.endswith(b"\n") for line in found):
            yield f"{found[same:]} come after {same} lines"
        if self.path.suffix == ".gz" and outcome.code != 3 and self.kept:
            yield f"the exit code is {outcome.code}, not 3"


class SlowInput(Fault):
    """Standard input stops for a while."""

    name = "slow input"

    @classmethod
    def suits(cls, command: Command) -> bool:
        return bool(command.fed)

    def feed(self, data: bytes, write: Callable[[bytes], None], process: subprocess.Popen[bytes]) -> None:
        places = sorted(self.random.randrange(len(data) + 1) for _ in range(self.random.randint(1, 4)))
        for start, end in zip([0, *places], [*places, len(data)], strict=True):
            write(data[start:end])
            time.sleep(self.random.uniform(0, 0.2))

    def ends(self, outcome: Outcome) -> Iterator[str]:
        yield from laws.complete(self.right, outcome)


FAULTS: list[type[Fault]] = [
    FullDisk,
    NoSpace,
    ClosedPipe,
    Interrupt,
    Terminate,
    InterruptAtLine,
    TerminateAtLine,
    KilledWorker,
    KilledWorkerAtLine,
    TruncatedInput,
    SlowInput,
]


def files_in(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else [path]
