"""The declaration of a cause, and how its detectors are registered.

    ACCUMULATED = Cause("accumulated", "warning", order=3)

    @ACCUMULATED.after_pass
    def added(witness: Witness, done: Pass) -> Iterator[Finding]: ...

A detector states a finding only where its evidence holds in this run; one that only takes notes returns None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeVar

from gradcli.facts import Table, dataclass
from gradcli.findings.finding import SEVERITIES, Finding

Detector = TypeVar("Detector", bound=Callable[..., Iterator[Finding] | None])
EVENTS = {
    "operation": "an operation with a name that it asks for has run",
    "pass": "a backward pass begins, and its graph is there",
    "arrival": "a backward pass has run",
    "often": "a backward pass of a line that has had many has run, and what it left is finite",
    "step": "an optimizer has stepped",
    "clearing": "a gradient was cleared",
    "contribution": "a contribution of a backward pass is not finite",
    "statement": "a statement has run",
    "answer": "the backward of a function of the snippet has given a gradient",
    "dropout": "dropout is applied",
    "exposed": "a tensor was changed past the graph",
    "error": "an exception passed a statement",
    "end": "the run is over",
    "stopped": "the run is over, and the other detectors have been asked",
    "program": "an expression was explained",
}
DETECTORS = Table()
AT_OPERATIONS = Table()  # by primitive
CAUSES: dict[str, Cause] = {}


class Page(NamedTuple):
    """What is told of a cause: `what` it is, `why` it happens, an `example` that has it, and the `remedy`."""

    what: str
    why: str
    example: str
    remedy: str


@cache
def pages() -> dict[str, Page]:
    """Return the pages of all causes, by code."""
    import tomllib
    from importlib.resources import files

    text = (files("gradcli") / "findings" / "causes.toml").read_text(encoding="utf-8")
    return {code: Page(**page) for code, page in tomllib.loads(text).items()}


@dataclass(frozen=True, eq=False)
class Cause:
    """A cause, which has a page in `causes.toml`.

    `severity` is the usual one. Of two causes that fit one place the one of the lower `order` is told first. `answers`
    are the notes and reasons of timelines and explanations, by code, that a finding makes superfluous. A finding that
    shares a line with one of a cause that it `follows` is not told: it goes when that is mended.
    """

    code: str
    severity: str
    order: int = 5
    answers: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()

    @property
    def page(self) -> Page:
        return pages()[self.code]

    def __post_init__(self) -> None:
        assert self.severity in SEVERITIES
        assert self.code not in CAUSES
        CAUSES[self.code] = self

    def finding(
        self,
        place: Any,
        name: str,
        message: str,
        because: str,
        instead: str | None = None,
        severity: str = "",
        see: Iterable[int] = (),
    ) -> Finding:
        """Return a finding with this cause at a place of a run."""
        lines = tuple(sorted({line for line in see if line and line != place.line}))
        name = ", ".join(dict.fromkeys(part for part in name.split(", ") if part))
        source, line, cell = place.source.name, place.line, place.cell
        return Finding(
            self.code, severity or self.severity, source, line, cell, name, message, because, instead or None, lines
        )

    def on(self, event: str, *, closely: bool = False) -> Callable[[Detector], Detector]:
        """Register a detector for an event, one of `EVENTS`; of passes for those alone that are looked at `closely`."""
        assert event in EVENTS
        return DETECTORS.of(f"{event} closely" if closely else event)

    def on_operation(self, *primitives: str) -> Callable[[Detector], Detector]:
        """Register a detector for the application of these primitives."""
        return AT_OPERATIONS.of(*primitives)
