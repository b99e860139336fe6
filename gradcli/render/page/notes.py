"""Notes and findings on a page: each at its step, and all in a list at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from gradcli.explanation.model import Note
from gradcli.explanation.steps.moves import Accumulated, Computed, Contributed
from gradcli.explanation.steps.walk import Walk
from gradcli.facts import dataclass
from gradcli.render.page.document import Html, element, joined

BACKWARD = frozenset({"gradient-not-finite", "vanished", "exploded", "cancelled"})  # that are seen on the way back
CAUSES = frozenset({"not-finite", "gradient-not-finite", "unstable"})  # of a gradient that is no number


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said at a step of the page; `code` says of which kind it is."""

    step: int
    code: str
    text: str
    severity: str = "note"


class Notes:
    """The notes of a walk; `numbers` are the steps of the page, by the steps of the walk from 0 on."""

    def __init__(self, walk: Walk, numbers: Sequence[int]) -> None:
        self.walk, self.numbers = walk, numbers

    @cached_property
    def by_step(self) -> dict[int, list[Note]]:
        """The notes by the step of the walk at which what they tell happens."""
        found: dict[int, list[Note]] = {}
        for note in self.walk.explanation.notes:
            found.setdefault(self.step(note), []).append(note)
        return found

    def step(self, note: Note) -> int:
        """Return the last step at which a gradient arrives at the node of a note, or that at which it is computed."""
        own = range(1, self.walk.last + 1)
        moves = self.walk.moves
        forward = (n for n in own if isinstance(m := moves[n - 1], Computed) and m.node == note.node)
        arrives = [n for n in own if isinstance(m := moves[n - 1], Contributed) and m.edge.source == note.node]
        return arrives[-1] if note.code in BACKWARD and arrives else next(forward, 0)

    @property
    def remarks(self) -> list[Remark]:
        """All notes in the order of their steps."""
        pairs = sorted(self.by_step.items())
        return [Remark(self.numbers[step], note.code, ended(note.message)) for step, found in pairs for note in found]

    def messages(self, step: int) -> list[str]:
        """Return what there is to say at a step of the walk; of a gradient that is no number, why."""
        found = self.by_step.get(step, [])
        move = self.walk.moves[step - 1] if step else None
        if isinstance(move, Accumulated) and not np.all(np.isfinite(move.gradient)):
            found = [note for note in self.walk.explanation.notes if note.code in CAUSES]
        return [ended(note.message) for note in found]

    def at(self, step: int) -> Html | None:
        """Return the same as markup."""
        return said(self.messages(step))

    @property
    def listed(self) -> Html | None:
        """The list at the end of the page."""
        return remark_list(self.remarks)


def said(texts: Iterable[str]) -> Html | None:
    """Return notes within their step."""
    return joined(*(element("p", text, class_="note") for text in texts)) or None


def remark_list(remarks: Sequence[Remark], title: str = "Notes") -> Html | None:
    """Return all remarks, each a link to its step; None where there are none."""
    if not remarks:
        return None
    items = (
        element(
            "li",
            element("a", f"Step {one.step}", href=f"#step={one.step}"),
            " ",
            one.text,
            data_finding=one.code,
            data_severity=one.severity,
        )
        for one in remarks
    )
    return element("section", element("h2", title), element("ul", *items), class_="notes")


def ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
