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
        return all(one.severity == "note" for one in self.findings)


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
        findings = [one for one in findings if any(is_about(one, name) for name in names)]
    texts = {}
    for cell in snippet.cells:
        for one in findings:
            if one.source == cell.name and 0 < one.line <= cell.text.count("\n") + 1:
                texts[one.source, one.line] = cell.line(one.line).strip()
    engines = witness.of(Engines)
    passes, steps = witness.run.passed + engines.passes.total(), len(witness.of(Ledger).steps)
    leaves = len(witness.run.filled) + len(engines.leaves)
    looked = f"{counted(passes, 'backward pass', 'backward passes')}, {counted(leaves, 'gradient')}"
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
        for one in self.findings:
            here = one.source == source and line in (one.line, *one.see)
            if code in CAUSES[one.code].answers and (here or is_about(one, name)):
                return one
        return None

    def notes(self, notes: Sequence[Note], source: str = "", line: int = 0) -> tuple[Note, ...]:
        return tuple(one for one in notes if self.of(one.code, one.node, source, line) is None)

    def event(self, event: Event) -> Event:
        """Return an event without the notes that findings tell; a reason becomes the name of its finding."""
        place = event.source.name, event.line
        match event:
            case Asked():
                one = self.of(event.code, event.name, *place)
                return event if one is None else replace(event, message=reference(one))
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
            found = (
                (one for one in self.findings if is_about(one, leaf.name) and one.severity != "note")
                if leaf.reason
                else ()
            )
            one = next(iter(found), None)
            yield leaf if one is None else replace(leaf, reason=reference(one))

    def timeline(self, timeline: Timeline) -> Timeline:
        events = tuple(map(self.event, timeline.events))
        return replace(
            timeline, events=events, leaves=tuple(self.leaves(timeline.leaves)), notes=self.notes(timeline.notes)
        )


def reference(one: Finding) -> str:
    """Return where the finding stands that tells more."""
    return f"{one.code}, line {one.line}" if one.cell is None else f"{one.code}, cell {one.cell} line {one.line}"


def examine_program(explanation: Explanation, text: str) -> Examination:
    """Return what is suspicious about a program at a point."""
    findings = [one for detect in DETECTORS["program"] for one in detect(explanation) or ()]
    texts = {(one.source, one.line): explanation.parsed.source.line(one.line).strip() for one in findings}
    looked = f"{counted(len(explanation.nodes), 'value')}, {counted(len(explanation.leaves), 'gradient')}"
    return Examination(text, texts, tuple(ordered(findings)), looked)


def is_about(one: Finding, name: str) -> bool:
    """Return whether a finding names a tensor: `w` and `w.grad` are one."""
    stem = name.removesuffix(".grad")
    return stem in (part.removesuffix(".grad") for part in one.name.replace(" and ", ", ").split(", "))


def counted(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
