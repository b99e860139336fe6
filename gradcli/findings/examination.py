"""The examination of a snippet or a program: everything that is suspicious about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradcli.errors import GradcliError
from gradcli.findings import catalogue  # noqa: F401  declares the causes
from gradcli.findings.declaration import DETECTORS
from gradcli.findings.finding import Finding
from gradcli.findings.judging import ordered
from gradcli.findings.witness import Witness
from gradcli.script.execution import execute
from gradcli.script.machine import Machine
from gradcli.script.reading import Snippet

if TYPE_CHECKING:
    from gradcli.explanation.model import Explanation

REFUSED = ("E210", "E211", "E401")  # what ends a run and is not the fault of the snippet


@dataclass(frozen=True, slots=True)
class Examination:
    """The findings of a file or a program, what was looked at in words, and the error that ended the run."""

    file: str
    texts: dict[tuple[str, int], str]  # the lines that findings name, by source and number
    findings: tuple[Finding, ...]
    looked: str
    error: GradcliError | None = None

    @property
    def is_clean(self) -> bool:
        """Whether nothing is an error or a warning."""
        return all(one.severity == "note" for one in self.findings)


def examine(snippet: Snippet, machine: Machine, file: str, names: Sequence[str] = ()) -> Examination:
    """Run a snippet, and return what is suspicious, about some tensors alone where `names` are given."""
    witness = Witness(machine)
    machine.timeline = witness
    error, _ = execute(snippet, machine)
    findings = witness.judged(error)
    if names:
        findings = [one for one in findings if any(is_about(one, name) for name in names)]
    texts = {}
    for cell in snippet.cells:
        for one in findings:
            if one.source == cell.name and 0 < one.line <= cell.text.count("\n") + 1:
                texts[one.source, one.line] = cell.line(one.line).strip()
    passes, steps = witness.run.passed, len(witness.run.optimizers)
    leaves = len(witness.run.filled)
    looked = f"{counted(passes, 'backward pass', 'backward passes')}, {counted(leaves, 'gradient')}"
    if steps:
        looked += f", {counted(steps, 'optimizer')}"
    return Examination(file, texts, tuple(findings), looked, error)


def examine_program(explanation: Explanation, text: str) -> Examination:
    """Return what is suspicious about a program at a point."""
    findings = [one for detect in DETECTORS["program"] for one in detect(explanation)]
    texts = {(one.source, one.line): explanation.parsed.source.line(one.line).strip() for one in findings}
    looked = f"{counted(len(explanation.nodes), 'value')}, {counted(len(explanation.leaves), 'gradient')}"
    return Examination(text, texts, tuple(ordered(findings)), looked)


def is_about(one: Finding, name: str) -> bool:
    """Return whether a finding names a tensor: `w` and `w.grad` are one."""
    stem = name.removesuffix(".grad")
    return stem in (part.removesuffix(".grad") for part in one.name.replace(" and ", ", ").split(", "))


def counted(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
