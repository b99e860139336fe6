"""Runs of faults: each draws a command that it suits, and is judged."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tests.faults import signals, streams
from tests.faults.commands import COMMANDS, Command, make_inputs
from tests.faults.fault import Fault
from tests.faults.running import Counted, Nothing, Outcome, perform

GROUPS = ("batch", "check")
FAULTS = [*streams.FAULTS, *signals.FAULTS]


@dataclass(frozen=True)
class Run:
    """A fault in a command, the outcome, and what is wrong with it."""

    fault: type[Fault]
    command: Command
    outcome: Outcome
    complaints: list[str]


class Session:
    """A folder with the inputs, and the right outcome of each command that was needed."""

    def __init__(self, folder: Path, commands: Sequence[Command] = COMMANDS, part: int = 1) -> None:
        self.folder, self.inputs, self.commands = folder, folder / "inputs", commands
        self.inputs.mkdir()
        make_inputs(self.inputs, part)
        self.known: dict[Command, Outcome] = {}
        self.count = 0

    def right(self, command: Command, *, with_lines: bool) -> Outcome:
        """The outcome where nothing goes wrong."""
        if command not in self.known:
            self.known[command] = self.perform(Nothing(command))
        if with_lines and not self.known[command].lines:
            self.known[command] = replace(self.known[command], lines=self.perform(Counted(command)).lines)
        return self.known[command]

    def perform(self, fault: Nothing) -> Outcome:
        self.count += 1
        folder = self.folder / f"run{self.count}"
        try:
            return perform(fault, self.inputs, folder)
        finally:
            shutil.rmtree(folder)

    def run(self, kind: type[Fault], group: str, seed: int, number: int) -> Run:
        """Let a fault happen to a command of a group."""
        commands = [command for command in self.commands if command.group == group and kind.suits(command)]
        random = Random(f"{seed} {kind.name} {group} {number}")
        command = random.choice(commands)
        fault = kind(command, self.right(command, with_lines=kind.needs_lines), random)
        outcome = self.perform(fault)
        return Run(kind, command, outcome, list(fault.complaints(outcome)))
