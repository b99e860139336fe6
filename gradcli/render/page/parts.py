"""The parts of a graph that is too large for one picture: each is drawn by itself, and shown while its steps run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from gradcli.explanation.model import Node, Note
from gradcli.explanation.steps.walk import Accumulated, Computed, Contributed, Walk
from gradcli.facts import dataclass
from gradcli.language.tree import Name
from gradcli.render.page.document import Html, element, joined
from gradcli.stream.values import Json

CAPTION = "The tensors as of this step"


def tensor_table(columns: Sequence[str], *bodies: Html) -> Html:
    """Return the table in a region of its own, which scrolls where the screen is narrow."""
    head = element("tr", *(element("th", column, scope="col") for column in columns))
    table = element(
        "table",
        element("caption", CAPTION),
        element("thead", head),
        *bodies,
        class_="facts",
    )
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=CAPTION)


Changes = Iterable[tuple[int, Json]]  # from this step on, this text or look


class Tracks:
    """The tracks of a page. Equal ones are kept once, and an element has the number of its track."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Json, ...], int] = {}

    def add(self, changes: Changes) -> int:
        """Return the number of a track; changes that change nothing are left out."""
        kept: list[tuple[int, Json]] = []
        for step, shown in changes:
            if kept and kept[-1][0] == step:
                kept.pop()
            if not kept or kept[-1][1] != shown:
                kept.append((step, shown))
        return self._numbers.setdefault(tuple(chain.from_iterable(kept)), len(self._numbers))

    @property
    def document(self) -> Json:
        """The tracks by number, each as steps and what is shown from then on, in turn."""
        return [list(track) for track in self._numbers]


LARGEST = 60  # boxes of a picture
ROOM = 16  # boxes of a part, unless one operation needs more


@dataclass(frozen=True, slots=True)
class Part:
    """Some operations, and all boxes that their edges need; `borrowed` are those whose own operation is elsewhere."""

    operations: frozenset[str]
    boxes: tuple[Node, ...]
    borrowed: frozenset[str]


def is_drawn(node: Node) -> bool:
    """Return whether a node has a box of its own: a number without a name stands in the box of its operation."""
    return node.kind != "constant" or node.expression == Name(node.name)


def parts(walk: Walk) -> tuple[Part, ...]:
    """Return the whole graph as one part, or in the order of the program as many as it takes."""
    drawn = {node.id: node for node in walk.explanation.nodes if is_drawn(node)}
    operations = [node for node in drawn.values() if node.kind == "op"]
    if len(drawn) <= LARGEST or not operations:
        return (Part(frozenset(node.id for node in operations), tuple(drawn.values()), frozenset()),)
    found: list[list[Node]] = [[]]
    boxes: set[str] = set()
    for node in operations:
        needed = {node.id, *(id for id in node.inputs if id in drawn)}
        if found[-1] and len(boxes | needed) > ROOM:
            found.append([])
            boxes = set()
        found[-1].append(node)
        boxes |= needed
    return tuple(part(own, drawn) for own in found)


def part(own: Sequence[Node], drawn: dict[str, Node]) -> Part:
    """Return the part of some operations."""
    operations = frozenset(node.id for node in own)
    needed = operations | {id for node in own for id in node.inputs}
    boxes = tuple(node for id, node in drawn.items() if id in needed)
    return Part(operations, boxes, frozenset(n.id for n in boxes if n.kind == "op" and n.id not in operations))


def shown(walk: Walk, found: Sequence[Part]) -> Iterator[int]:
    """Yield the number of the part that is shown at each step, from 0 on: that in which the step happens."""
    home = {id: number for number, one in enumerate(found) for id in one.operations}
    boxes = [{node.id for node in one.boxes} for one in found]
    at = 0
    yield at
    for move in walk.moves:
        match move:
            case Computed(node):
                at = home.get(node, at)
            case Contributed(edge):
                at = home.get(edge.target, at)
            case Accumulated(node) if node not in boxes[at]:
                at = next((number for number, own in enumerate(boxes) if node in own), at)
        yield at


# Notes and findings on a page: each at its step, and all in a list at the end.


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
