"""The examination of a snippet or a program: everything that is suspicious about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.explanation.model import Note
from gradcli.facts import dataclass
from gradcli.findings import catalogue  # noqa: F401  declares the causes
from gradcli.findings.declaration import CAUSES, DETECTORS
from gradcli.findings.engines import Engines
from gradcli.findings.finding import Finding
from gradcli.findings.judging import ordered
from gradcli.findings.order import Ledger
from gradcli.findings.spelling import meant, number
from gradcli.findings.witness import Witness
from gradcli.script.execution import execute
from gradcli.script.machine import Machine
from gradcli.script.reading import Snippet
from gradcli.script.timeline.model import Asked, Backward, Event, LeafState, Returned, Timeline, Updated

if TYPE_CHECKING:
    from gradcli.explanation.model import Explanation
    from gradcli.script.moments.model import Moments

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
        return all(finding.severity == "note" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Ran:
    """A run: the snippet, what it printed, what it did, and the error that stopped it; perhaps its moments.

    `timeline` leaves out what the findings tell.
    """

    snippet: Snippet
    printed: str
    timeline: Timeline
    error: GradcliError | None
    examined: Examination
    moments: Moments | None = None


def examine(snippet: Snippet, machine: Machine, file: str, names: Sequence[str] = ()) -> Examination:
    """Run a snippet, and return what is suspicious, about some tensors alone where `names` are given."""
    witness = Witness(machine)
    machine.timeline = witness
    error, _ = execute(snippet, machine)
    return examination(witness, snippet, file, error, names)


def examination(
    witness: Witness, snippet: Snippet, file: str, error: GradcliError | None, names: Sequence[str] = ()
) -> Examination:
    """Return what is suspicious about a run that has ended."""
    findings = witness.judged(error)
    if names:
        findings = [finding for finding in findings if any(is_about(finding, name) for name in names)]
    texts = {}
    for cell in snippet.cells:
        for finding in findings:
            if finding.source == cell.name and 0 < finding.line <= cell.text.count("\n") + 1:
                texts[finding.source, finding.line] = cell.line(finding.line).strip()
    engines = witness.of(Engines)
    passes, steps = witness.run.passed + engines.passes.total(), len(witness.of(Ledger).steps)
    leaves = len(witness.of(Ledger).accounts)  # that passes reached, also where their gradients are cleared by now
    looked = counted(passes, "backward pass", "backward passes")
    if leaves or not engines.passes:  # which numbers of an engine are parameters nobody says
        looked += f", {counted(leaves, 'gradient')}"
    if steps:
        looked += f", {counted(steps, 'optimizer')}"
    if names and not findings:
        looked = "\n".join(line for name in names for line in sources_of(witness, name.removesuffix(".grad")))
    return Examination(file, texts, tuple(findings), looked, error)


def sources_of(witness: Witness, name: str) -> Iterator[str]:
    """Yield in three lines where the gradient of a tensor comes from."""
    try:
        tensor = meant(witness.machine.globals, ast.parse(name, mode="eval").body)
    except SyntaxError:
        tensor = None
    if not isinstance(tensor, Tensor):
        names = ", ".join([key for key, _ in witness.objects(Tensor)][:6])
        yield f"{name} is no tensor when the run has ended{f': there are {names}' if names else ''}"
        return
    account, used = witness.of(Ledger).accounts.get(tensor), witness.run.origins.used.get(tensor)
    yield f"{name}.grad is {'None' if tensor._grad is None else number(tensor._grad.value)}" + (
        f" after {counted(account.count, 'pass', 'passes')} that reached it" if account is not None else ""
    )
    if used:
        yield f"  line {used}  {witness.at(None, used).written.text or 'a loop or a function'}  # computes with {name}"
    if account is not None and account.last is not None:
        last = account.last
        yield f"  {last.place.words}  {last.place.written.text}  # the latest pass, from {last.output}"


class Telling:
    """What findings tell, so that the timeline does not say it again."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = findings

    def of(self, code: str, name: str, source: str = "", line: int = 0) -> Finding | None:
        """Return the finding that tells a note or a reason with this code about a tensor, or at a line."""
        for finding in self.findings:
            here = finding.source == source and line in (finding.line, *finding.see)
            if code in CAUSES[finding.code].answers and (here or is_about(finding, name)):
                return finding
        return None

    def notes(self, notes: Sequence[Note], source: str = "", line: int = 0) -> tuple[Note, ...]:
        return tuple(note for note in notes if self.of(note.code, note.node, source, line) is None)

    def event(self, event: Event) -> Event:
        """Return an event without the notes that findings tell; a reason becomes the name of its finding."""
        place = event.source.name, event.line
        match event:
            case Asked():
                finding = self.of(event.code, event.name, *place)
                return event if finding is None else replace(event, message=reference(finding))
            case Backward() | Returned():
                explanation = event.explanation
                if explanation is not None:
                    explanation = replace(explanation, notes=self.notes(explanation.notes, *place))
                return replace(event, notes=self.notes(event.notes, *place), explanation=explanation)
            case Updated():
                return replace(event, notes=self.notes(event.notes, *place))
        return event

    def leaves(self, leaves: Sequence[LeafState]) -> Iterator[LeafState]:
        for leaf in leaves:
            about_leaf = (
                (finding for finding in self.findings if is_about(finding, leaf.name) and finding.severity != "note")
                if leaf.reason
                else ()
            )
            finding = next(iter(about_leaf), None)
            yield leaf if finding is None else replace(leaf, reason=reference(finding))

    def timeline(self, timeline: Timeline) -> Timeline:
        events = tuple(map(self.event, timeline.events))
        return replace(
            timeline, events=events, leaves=tuple(self.leaves(timeline.leaves)), notes=self.notes(timeline.notes)
        )


def reference(finding: Finding) -> str:
    """Return where the finding stands that tells more."""
    return (
        f"{finding.code}, line {finding.line}"
        if finding.cell is None
        else f"{finding.code}, cell {finding.cell} line {finding.line}"
    )


def examine_program(explanation: Explanation, text: str) -> Examination:
    """Return what is suspicious about a program at a point."""
    findings = [finding for detect in DETECTORS["program"] for finding in detect(explanation) or ()]
    texts = {
        (finding.source, finding.line): explanation.parsed.source.line(finding.line).strip() for finding in findings
    }
    looked = f"{counted(len(explanation.nodes), 'value')}, {counted(len(explanation.leaves), 'gradient')}"
    return Examination(text, texts, tuple(ordered(findings)), looked)


def is_about(finding: Finding, name: str) -> bool:
    """Return whether a finding names a tensor: `w` and `w.grad` are one."""
    stem = name.removesuffix(".grad")
    return stem in (part.removesuffix(".grad") for part in finding.name.replace(" and ", ", ").split(", "))


def counted(number: int, singular: str, several: str = "") -> str:
    return f"{number:,} {singular if number == 1 else several or singular + 's'}"
