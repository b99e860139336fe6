"""Faults of what is read and written: disks that are full, readers that go away, input that breaks off or stops."""

from __future__ import annotations

import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import IO

from tests.faults import laws
from tests.faults.commands import FOLDER, Command
from tests.faults.fault import Fault
from tests.faults.running import PIPE, Outcome

GZIP = 31  # zlib's number for data with a header of gzip


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
        is_over = self.right.size - self.count <= PIPE and outcome.code == self.right.code
        if outcome.code != 141 and not is_over:
            yield f"the exit code is {outcome.code}, not 141"
        if outcome.code == 141 and outcome.error:
            yield f"it says {outcome.error!r}"


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
        if outcome.code not in (0, 1, 2, 3, 4):
            yield f"the exit code is {outcome.code}"
        if self.command.group == "batch":
            yield from self.of_batch(outcome)
        elif self.path.name.startswith("s"):
            yield from laws.but_for_one(self.command, self.right, outcome, is_told=False)
        elif self.path.suffix == ".csv":
            yield from laws.but_for_last(self.command, self.right, outcome)

    def of_batch(self, outcome: Outcome) -> Iterator[str]:
        """The whole lines that are there have their results; a broken one adds no more than a line."""
        is_compressed = self.path.suffix == ".gz"
        count = (zlib.decompressobj(GZIP).decompress(self.kept) if is_compressed else self.kept).count(b"\n")
        found, right = laws.items(self.command, outcome), laws.items(self.command, self.right)
        same = laws.shared(found, right)
        if same < count:
            yield f"{same} lines are right, not {count}"
        if len(found) > same + 1 or not all(line.endswith(b"\n") for line in found):
            yield f"{found[same:]} come after {same} lines"
        if is_compressed and outcome.code != 3 and self.kept:
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


def files_in(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else [path]


FAULTS: list[type[Fault]] = [FullDisk, NoSpace, ClosedPipe, TruncatedInput, SlowInput]
