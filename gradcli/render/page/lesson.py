"""The parts of a page that show one walk: its steps one below the other, its graph, and a table with the same facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from gradcli.explanation.model import Explanation, Node, Value
from gradcli.explanation.reference import sentence
from gradcli.explanation.steps.walk import Accumulated, Computed, Contributed, Move, Walk
from gradcli.guard import optional
from gradcli.homework.diagnose.contributions import Contributions, Mistaken, graph_of
from gradcli.homework.solve.graph import Graph
from gradcli.language.tree import Name, Number
from gradcli.render.lesson.readable import COPIED, gets
from gradcli.render.lesson.terms import Terms, factor
from gradcli.render.page.document import Attribute, Html, cut, element, joined
from gradcli.render.page.equations import Equations
from gradcli.render.page.mathml import Paint, in_line
from gradcli.render.page.picture import (
    NONE,
    Changing,
    Notes,
    Part,
    Picture,
    Texts,
    Tracks,
    is_drawn,
    parts,
    shown,
    tensor_table,
)
from gradcli.render.text.looks import Looks
from gradcli.stream.values import Json, plain

# The sentence of each step, for the eye, for a screen reader, and for those who print the page.


NAME = 32  # characters of a name in a sentence
FORMULA = 120
RULE = 36  # characters of a rule that is read out
FEW = 3  # entries of an array that is told; the others stand below


class Words:
    """Writes the sentences of one walk."""

    def __init__(self, walk: Walk, terms: Terms) -> None:
        self.walk = walk
        self.terms = terms

    def of(self, number: int) -> str:
        """Return the sentence of a step; 0 is the beginning."""
        if number == 0:
            return self.beginning
        move = self.walk.moves[number - 1]
        opening = self.turn if number == self.walk.turn else ""
        return " ".join(filter(None, [opening, *self.step_sentences(move)]))

    @property
    def beginning(self) -> str:
        """The sentence before the first step."""
        variables = [node for node in self.walk.explanation.nodes if node.kind != "op"]
        names = [name(node.id) for node in variables if node.expression == Name(node.name)]
        if not any(node.requires_grad for node in variables):
            return "Nothing requires grad here, so there is no way back."
        verb = "has a value" if len(names) == 1 else "have values"
        return f"Only {in_a_row(names)} {verb} yet, and every gradient is None."

    @property
    def turn(self) -> str:
        """The sentence with which the way back begins."""
        output, terms = self.walk.explanation.output, self.terms
        if terms.plain_seed:
            begins = f"The way back begins at {name(output)}, whose gradient by itself is 1."
            return f"{begins} The upstream gradient is the one that has come from {name(output)} so far."
        given = self.amount(self.walk.explanation.upstream)
        return f"The way back begins at {name(output)}, with the gradient{given and f' {given}'} that was given."

    def step_sentences(self, move: Move) -> Iterator[str]:
        """Yield the sentences of a step."""
        match move:
            case Computed(node):
                yield from self.forward(self.terms.nodes[node])
            case Contributed():
                yield from self.backward(move)
            case Accumulated(node, gradient, before, after):
                given = self.amount(gradient) or "its gradient"
                if before is None:
                    yield f"{name(node)} is a leaf: {given} goes into {name(node)}.grad, which was None."
                else:
                    sum = f"{self.amount(before)} + {factor(given)} = {self.amount(after)}"
                    yield f"{name(node)}.grad was not None, so the gradient is added to it: {sum}."

    def forward(self, node: Node) -> Iterator[str]:
        """Yield what an operation computes; of the first also how it is remembered for the way back."""
        sides = [self.formula(node), self.terms.put_in(node), self.amount(node.value)]
        equation = " = ".join(dict.fromkeys([name(node.id), *filter(None, sides)]))
        yield f"{equation.replace(' = a tensor', ', a tensor')}."
        if node.grad_fn is not None and node.id == self.first:
            yield f"For the way back {name(node.id)} remembers what made it; torch calls that its grad_fn."
        elif node.grad_fn is None:
            is_cut = any(self.terms.nodes[id].requires_grad for id in node.inputs)
            cause = "It passes no gradient on" if is_cut else "Nothing in it requires grad"
            yield f"{cause}, so no gradient will come back here."

    @cached_property
    def first(self) -> str | None:
        """The first node that remembers what made it."""
        computed = (self.terms.nodes[move.node] for move in self.walk.moves if isinstance(move, Computed))
        return next((node.id for node in computed if node.grad_fn is not None), None)

    def formula(self, node: Node) -> str:
        return cut(self.terms.typed(node.expression), FORMULA)

    def backward(self, move: Contributed) -> Iterator[str]:
        """Yield how a contribution comes about, and what it is added to."""
        source, target = name(move.edge.source), name(move.edge.target)
        yield f"From {target} to {source}: {self.product(move)}."
        yield self.summed(move)
        count = self.terms.edges[move.edge.source]
        total = self.amount(move.fact.total)
        if move.before is None and not move.is_complete:
            yield f"This is the first of {count} contributions to {source}, which are added up."
        elif move.before is not None:
            is_short = bool(total) and np.size(move.fact.total) <= FEW
            added = f": {self.amount(move.before)} + {factor(self.amount(move.fact.contribution))} = {total}" * is_short
            yield f"It is added to what {source} has already{added}."

    def product(self, move: Contributed) -> str:
        """Return how a contribution comes about."""
        fact, local = move.fact, move.local
        upstream = self.amount(fact.upstream)
        result = self.amount(fact.contribution) if np.size(fact.contribution) <= FEW else ""  # else it stands below
        gives = f" gives {result}" if result else ""
        if local.formula is None:
            rule = cut(self.terms.formula(local.rule, self.terms.arriving(local)), FORMULA)
            g, given = self.terms.upstream_name, f" {upstream}" if upstream and np.size(fact.upstream) <= FEW else ""
            each = gets(rule)
            if each is not None:
                return f"{each[0]} gets {each[1]}, with the upstream gradient{given} as {g}"
            if rule.endswith(COPIED):
                return f"{rule.replace(COPIED, f' is{COPIED}')}, with the upstream gradient{given} as {g}"
            if len(rule) > RULE:  # it stands among the numbers
                becomes = f"becomes {result}" if result else "goes through the rule below"
                return f"the upstream gradient{given} {becomes}"
            if not result:
                return f"the rule {rule} applies, with the upstream gradient as {g}"
            return f"the rule {rule}, with the upstream gradient as {g},{gives}"
        slope = f"the local derivative {self.slope(move)}"
        if not np.ndim(fact.upstream) and upstream:
            return f"upstream {upstream} times {slope}{gives}"
        entries = "" if gets(slope) else ", entry by entry"
        return f"the upstream gradient times {slope}{entries}{gives and f',{gives}'}"

    def slope(self, move: Contributed) -> str:
        """Return `∂v1/∂a = x2 = 3`."""
        assert move.local.formula is not None
        value: Value = move.local.value
        sides = [
            cut(self.terms.formula(move.local.formula).removesuffix(COPIED), FORMULA),
            self.amount(value) if np.size(value) <= FEW else "",
        ]
        plain = sides[:1] if isinstance(move.local.formula, Number) else sides
        edge = cut(self.terms.edge(move.edge.target, move.local), 2 * NAME)
        return " = ".join([edge, *dict.fromkeys(filter(None, plain))])

    def summed(self, move: Contributed) -> str:
        """Return why there is a sum over axes; nothing where there is none."""
        axes = move.fact.summed_axes
        if not axes:
            return ""
        listed, them = ("axis", "that axis") if len(axes) == 1 else ("axes", "those axes")
        copied = f"{name(move.edge.source)} was copied along {listed} {' and '.join(map(str, axes))}"
        return f"{copied}, so its gradient is summed over {them}."

    def amount(self, value: Value) -> str:
        """Return a number, a small array, or the shape of a large one; nothing where it is made up."""
        if np.size(value) > FEW and self.terms.explanation.sizes is None:
            return f"a tensor of shape {np.shape(value)}"
        return self.terms.value(value)


def name(id: str) -> str:
    return cut(id, NAME)


def in_a_row(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


# The questions before a contribution is shown: the right numbers, and the mistakes behind wrong ones.


LARGEST = 36  # entries of a contribution of which one is asked
MOST = 600  # contributions of a page whose mistakes are worked out, each within milliseconds


@optional("question", {})
def questions(
    walk: Walk,
    explanation: Explanation,
    terms: Terms,
    numbers: Sequence[int],
    graph: Graph | None = None,
    room: int = MOST,
) -> dict[str, Json]:
    """Return the questions by steps of the page; the first ones, as many as there is `room` for, have mistakes.

    The walk goes through the explanation, or through the explanation `folded`; `numbers` are the steps of the page by
    those of the walk. Without a `graph`, the program of the explanation is run again to find it.
    """
    if explanation.sizes is not None:
        return {}
    known = mistakes(walk, explanation, graph)
    by_step: dict[str, Json] = {}
    for number, move in enumerate(walk.moves, 1):
        if not isinstance(move, Contributed):
            continue
        mistaken = next(known, ()) if len(by_step) < room else None
        if 0 < np.size(move.fact.contribution) <= LARGEST:
            by_step[str(numbers[number])] = question(move, mistaken, terms)
    return by_step


def mistakes(walk: Walk, explanation: Explanation, graph: Graph | None) -> Iterator[Sequence[Mistaken]]:
    """Yield the mistakes about each contribution of the walk; nothing where its program cannot be run again."""
    graph = graph or graph_of(explanation)
    if graph is None:
        return
    inside = {node.id for node in explanation.nodes} - {node.id for node in walk.explanation.nodes}
    for move, mistaken in Contributions(explanation, graph).mistakes():
        if move.edge.source not in inside:  # what torch inserts is no step of the page
            yield mistaken


def question(move: Contributed, mistaken: Sequence[Mistaken] | None, terms: Terms) -> Json:
    """Return one question; mistakes that are None were not looked for, and then the sum so far alone is known."""
    source, target = name(move.edge.source), name(move.edge.target)
    answer = np.asarray(move.fact.contribution)
    alone = f" through {target} alone" if terms.fans_out(move.edge.source) else ""
    said = sentence(terms.nodes[move.edge.target])
    shown = mistaken or []
    if not shown and move.before is not None:
        shown = [Mistaken(move.fact.total, f"this is the sum so far; asked is what comes through {target}")]
    alike = [
        (np.asarray(mistake.value), mistake.message) for mistake in shown if np.shape(mistake.value) == answer.shape
    ]
    entry = telling(answer, [value for value, _ in alike])
    at = f" at entry [{', '.join(map(str, entry))}]" if entry else ""
    return {
        "ask": f"{target} hands its gradient on to {source}. Which number arrives{alone}{at}?",
        "answer": [plain(answer[entry])],
        "wrong": [[[plain(value[entry])], f"{said}."] for value, said in alike if value[entry] != answer[entry]],
        "searched": mistaken is not None,
        "hint": said or "Multiply what comes from above by the local derivative.",
    }


def telling(answer: Value, wrong: Sequence[Value]) -> tuple[int, ...]:
    """Return the entry at which most mistakes give another number, of these the largest."""
    differ = sum(((value != answer).astype(int) for value in wrong), np.zeros(answer.shape, int))
    size = np.where(np.isfinite(answer), np.abs(answer), 0)
    best = np.lexsort((-size.ravel(), -differ.ravel()))[0]
    return tuple(map(int, np.unravel_index(best, answer.shape)))


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
            caption = f"Part {number} of {len(drawn)} of the graph. Shaded boxes are from other parts."
            stage = element("div", element("p", caption, class_="part"), picture, class_="stage")
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
            head = element("th", f"Part {number} of {len(self.parts)}", colspan=len(COLUMNS), scope="rowgroup")
            rows = (self.row(node) for node in nodes if node.id in part.operations)
            bodies.append(element("tbody", element("tr", head), *rows, data_shown=track))
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

    def cell(self, changes: Texts) -> Html:
        """Return a cell whose text changes from step to step; without the player it has the last."""
        return element("td", changes[-1][1], data_text=self.tracks.add(changes))

    def changes(self, values: Sequence[tuple[int, Value]]) -> Texts:
        """Return values as texts; before the first there is None."""
        return [(0, NONE), *((step, self.text(value)) for step, value in values)]

    def text(self, value: Value) -> str:
        return self.terms.grid(value, width=30) or "…"


def step(number: int, title: str, phase: str, sentence: str, *content: Html | None) -> Html:
    """Return a step as it is read without the others."""
    link = element("a", f"Step {number}", href=f"#step={number}")
    return element(
        "li",
        element("h3", link, " ", element("span", title, class_="phase")),
        element("p", sentence, class_="says"),
        *content,
        id=f"step={number}",
        class_="step",
        data_phase=phase,
    )


def listed(steps: Iterator[Html]) -> Html:
    """Return the steps as a list."""
    return element("ol", joined(*steps), class_="steps")
