"""The parts of a page that show one walk: its steps one below the other, its graph, and a table with the same facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from gradcli.explanation.model import Node, Value
from gradcli.explanation.steps.walk import Walk
from gradcli.guard import optional
from gradcli.language.tree import Name
from gradcli.render.lesson.terms import Terms
from gradcli.render.page.document import Attribute, Html, cut, element, joined
from gradcli.render.page.equations import Equations
from gradcli.render.page.mathml import Paint, in_line
from gradcli.render.page.parts import Notes, Part, Tracks, is_drawn, parts, shown, tensor_table
from gradcli.render.page.picture import NONE, Changes, Changing, Picture
from gradcli.render.page.words import Words
from gradcli.render.text.looks import Looks

PHASES = {"forward": "Forward", "backward": "Backward", "accumulate": "Into .grad"}
WIDEST = 60  # characters of a formula in the table
COLUMNS = ("name", "computed as", "value", "gradient, summed so far", "kept in .grad", "torch's grad_fn")


class Lesson:
    """Shows one walk; `numbers` are the steps of the page, by the steps of the walk from 0 on."""

    def __init__(self, walk: Walk, looks: Looks, tracks: Tracks, numbers: Sequence[int] | None = None) -> None:
        self.walk = walk
        self.tracks = tracks
        self.numbers = range(walk.last + 1) if numbers is None else numbers
        self.terms = Terms(walk.explanation, looks)
        self.paint = Paint(walk.explanation, self.terms.differentiated, looks.precision)
        self.words = Words(walk, self.terms)
        self.equations = Equations(walk, self.terms, self.paint)
        self.changing = Changing(walk, self.numbers)
        self.notes = Notes(walk, self.numbers)

    def steps(self) -> Iterator[Html]:
        """Yield all steps, from the beginning on."""
        yield step(self.numbers[0], "Beginning", "forward", self.words.of(0), self.notes.at(0))
        for number, move in enumerate(self.walk.moves, 1):
            yield self.step(number, PHASES[move.phase])

    def step(self, number: int, title: str, notes: Html | None = None) -> Html:
        """Return a step of the walk, as it is read without the others."""
        move = self.walk.moves[number - 1]
        return step(
            self.numbers[number],
            title,
            move.phase,
            self.words.of(number),
            self.notes.at(number),
            notes,
            self.equations.of(move),
        )

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The graph, in parts if it is large."""
        return parts(self.walk)

    @cached_property
    def pictures(self) -> list[Picture]:
        """The picture of each part."""
        return [Picture(part, self.terms, self.paint, self.changing, self.tracks) for part in self.parts]

    @optional("picture", None)
    def view(self, **attributes: Attribute) -> Html | None:
        """Return the graph in its frame, of a large one in its parts; None of one that is too large for a picture."""
        drawn = [picture.drawn() for picture in self.pictures]
        if None in drawn:
            return None
        if len(drawn) == 1:
            return element("div", drawn[0], class_="stage", **attributes)
        stages = []
        for number, (picture, track) in enumerate(zip(drawn, self.turns, strict=True), 1):
            told = f"Part {number} of {len(drawn)} of the graph. Boxes with a broken border are from other parts."
            stage = element("div", element("p", told, class_="part"), picture, class_="stage")
            stages.append(element("div", stage, data_shown=track))
        return element("div", *stages, class_="parts", **attributes)

    @cached_property
    def turns(self) -> list[int]:
        """The track of each part, which is shown while its steps run."""
        changes: list[list[tuple[int, bool]]] = [[(0, False)] for _ in self.parts]
        for step, at in zip(self.numbers, shown(self.walk, self.parts), strict=True):
            for number, track in enumerate(changes):
                track.append((step, number == at))
        return [self.tracks.add(track) for track in changes]

    def table(self) -> Html:
        """Return a table of all nodes as of the step; of a large graph, of the variables and of the part that is shown.

        A browser lays a table out as a whole, whichever cell changes.
        """
        nodes = [node for node in self.walk.explanation.nodes if is_drawn(node)]
        if len(self.parts) == 1:
            return tensor_table(COLUMNS, element("tbody", *map(self.row, nodes)))
        bodies = [element("tbody", *(self.row(node) for node in nodes if node.kind != "op"))]
        for number, (part, track) in enumerate(zip(self.parts, self.turns, strict=True), 1):
            told = element("th", f"Part {number} of {len(self.parts)}", colspan=len(COLUMNS), scope="rowgroup")
            rows = (self.row(node) for node in nodes if node.id in part.operations)
            bodies.append(element("tbody", element("tr", told), *rows, data_shown=track))
        return tensor_table(COLUMNS, *bodies)

    def row(self, node: Node) -> Html:
        """Return the row of a node."""
        written = "" if node.expression == Name(node.name) else cut(self.terms.typed(node.expression), WIDEST)
        known = self.changing.known.get(node.id, 0)
        cells = [
            self.cell([(0, "—"), (known, self.text(node.value))]),
            self.cell(self.changes(self.changing.gradients.get(node.id, []))),
            self.cell(self.changes(self.changing.grads.get(node.id, []))),
        ]
        return element(
            "tr",
            element("th", in_line(self.paint.name(node.id)), scope="row"),
            element("td", element("code", written) if written else None),
            *cells,
            element("td", element("code", node.grad_fn or NONE), class_="word"),
            data_look=self.tracks.add(self.changing.looks.get(node.id, [(0, "forward")])),
        )

    def cell(self, changes: Changes) -> Html:
        """Return a cell whose text changes from step to step; without the player it has the last."""
        return element("td", changes[-1][1], data_text=self.tracks.add(changes))

    def changes(self, values: Sequence[tuple[int, Value]]) -> Changes:
        """Return values as texts; before the first there is None."""
        return [(0, NONE), *((step, self.text(value)) for step, value in values)]

    def text(self, value: Value) -> str:
        return self.terms.value(value, width=44) or "…"


def step(number: int, title: str, phase: str, told: str, *content: Html | None) -> Html:
    """Return a step as it is read without the others."""
    link = element("a", f"Step {number}", href=f"#step={number}")
    return element(
        "li",
        element("h3", link, " ", element("span", title, class_="phase")),
        element("p", told, class_="says"),
        *content,
        id=f"step={number}",
        class_="step",
        data_phase=phase,
    )


def listed(steps: Iterator[Html]) -> Html:
    """Return the steps as a list."""
    return element("ol", joined(*steps), class_="steps")
