"""A graph, or a part of it, as an SVG inside the page, with the state of each node and edge as of the step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np

from gradcli.explanation.model import Explanation, Local, Node, Note, Unkept, Value
from gradcli.explanation.reference import sentence
from gradcli.explanation.steps.walk import Accumulated, Computed, Contributed, Edge, Walk, edges, looks, settled
from gradcli.facts import dataclass
from gradcli.language.tree import Name, Number
from gradcli.language.unparser import precedence
from gradcli.render.graph.layered.drawing import drawing
from gradcli.render.graph.layered.model import Box, Rectangle, Route, fitting, pair, path
from gradcli.render.graph.layered.model import Edge as Line
from gradcli.render.lesson.readable import ENTRYWISE, bare, gets
from gradcli.render.lesson.terms import PRODUCT, Terms
from gradcli.render.page.document import Html, cut, element, joined
from gradcli.render.page.mathml import ENOUGH, Paint
from gradcli.render.text import numbers as digits
from gradcli.source import width as columns
from gradcli.stream.values import Json, dump

# The parts of a graph that is too large for one picture: each is drawn by itself, and shown while its steps run.


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
    groups: list[list[Node]] = [[]]
    boxes: set[str] = set()
    for node in operations:
        needed = {node.id, *(id for id in node.inputs if id in drawn)}
        if groups[-1] and len(boxes | needed) > ROOM:
            groups.append([])
            boxes = set()
        groups[-1].append(node)
        boxes |= needed
    return tuple(part(group, drawn) for group in groups)


def part(group: Sequence[Node], drawn: dict[str, Node]) -> Part:
    """Return the part of some operations."""
    operations = frozenset(node.id for node in group)
    needed = operations | {id for node in group for id in node.inputs}
    boxes = tuple(node for id, node in drawn.items() if id in needed)
    return Part(operations, boxes, frozenset(n.id for n in boxes if n.kind == "op" and n.id not in operations))


def shown(walk: Walk, parts: Sequence[Part]) -> Iterator[int]:
    """Yield the number of the part that is shown at each step, from 0 on: that in which the step happens."""
    home = {id: number for number, part in enumerate(parts) for id in part.operations}
    boxes = [{node.id for node in part.boxes} for part in parts]
    at = 0
    yield at
    for move in walk.moves:
        match move:
            case Computed(node):
                at = home.get(node, at)
            case Contributed(edge):
                at = home.get(edge.target, at)
            case Accumulated(node) if node not in boxes[at]:
                at = next((number for number, ids in enumerate(boxes) if node in ids), at)
        yield at


# Notes and findings on a page: each at its step, and all in a list at the end.


BACKWARD = frozenset(
    {"gradient-not-finite", "vanished", "exploded", "cancelled", "raw", "long"}
)  # seen on the way back
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
        notes: dict[int, list[Note]] = {}
        for note in self.walk.explanation.notes:
            notes.setdefault(self.step(note), []).append(note)
        return notes

    def step(self, note: Note) -> int:
        """Return the last step at which a gradient arrives at the node of a note, or that at which it is computed.

        One that is no number leaves the node at its step.
        """
        steps = range(1, self.walk.last + 1)
        moves = self.walk.moves
        leaves = (
            n
            for n in steps
            if isinstance(m := moves[n - 1], Contributed)
            and m.edge.target == note.node
            and not np.all(np.isfinite(m.fact.contribution))
        )
        if note.code == "gradient-not-finite" and (at := next(leaves, 0)):
            return at
        forward = (n for n in steps if isinstance(m := moves[n - 1], Computed) and m.node == note.node)
        arrives = [n for n in steps if isinstance(m := moves[n - 1], Contributed) and m.edge.source == note.node]
        return arrives[-1] if note.code in BACKWARD and arrives else next(forward, 0)

    @property
    def remarks(self) -> list[Remark]:
        """All notes in the order of their steps."""
        pairs = sorted(self.by_step.items())
        return [Remark(self.numbers[step], note.code, ended(note.message)) for step, notes in pairs for note in notes]

    def messages(self, step: int) -> list[str]:
        """Return what there is to say at a step of the walk; of a gradient that is no number, why."""
        notes = self.by_step.get(step, [])
        move = self.walk.moves[step - 1] if step else None
        if isinstance(move, Accumulated) and not np.all(np.isfinite(move.gradient)):
            notes = [note for note in self.walk.explanation.notes if note.code in CAUSES]
        return [ended(note.message) for note in notes]

    def at(self, step: int) -> Html | None:
        """Return the same as markup."""
        return said(self.messages(step))


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
            element("a", f"Step {remark.step}", href=f"#step={remark.step}"),
            " ",
            remark.text,
            data_finding=remark.code,
            data_severity=remark.severity,
        )
        for remark in remarks
    )
    return element("section", element("h2", title), element("ul", *items), class_="notes")


def ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


NONE = "None"
Texts = list[tuple[int, str]]  # from this step of the page on, this text


class Changing:
    """The changes of one walk; `numbers` are the steps of the page, by the steps of the walk from 0 on."""

    def __init__(self, walk: Walk, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        self.looks: dict[str | Edge, Texts] = {}
        over = settled(walk.states[-1], walk.moves[-1] if walk.moves else None)  # a page may go on after the walk
        for number, place, look in looks([*walk.states, replace(over, number=walk.last + 1)]):
            step = numbers[number] if number <= walk.last else numbers[-1] + 1
            self.looks.setdefault(place, [(0, "idle")]).append((step, look))
        leaves = (node.id for node in walk.explanation.nodes if node.kind != "op")
        self.known = dict.fromkeys(leaves, numbers[0])  # the steps at which values are known
        self.gradients: dict[str, list[tuple[int, Value]]] = {}
        self.grads: dict[str, list[tuple[int, Value]]] = {}
        self.flows: dict[Edge, tuple[int, Contributed]] = {}
        self.later: list[tuple[int, Explanation | None]] = []  # the same graph in later turns of a loop
        if walk.turn <= walk.last:
            entering = (numbers[walk.turn], walk.explanation.upstream)
            self.gradients[walk.explanation.output] = [entering]
        for number, move in enumerate(walk.moves, 1):
            step = numbers[number]
            match move:
                case Computed(node):
                    self.known[node] = step
                case Contributed(edge, fact):
                    self.flows[edge] = (step, move)
                    self.gradients.setdefault(edge.source, []).append((step, fact.total))
                case Accumulated(node, _, before, after):
                    if before is not None:
                        self.grads.setdefault(node, []).append((0, before))
                    self.grads.setdefault(node, []).append((step, after))

    def again(self, step: int, explanation: Explanation | None) -> None:
        """Add a later turn of a loop, which is shown from a step on; None of one whose numbers are not known."""
        self.later.append((step, explanation))

    def turns(self, id: str, of: Callable[[Node], str]) -> Texts:
        """Return a text about a node in later turns, dots where it is not known."""
        texts: Texts = []
        for step, explanation in self.later:
            node = None if explanation is None else next((n for n in explanation.nodes if n.id == id), None)
            texts.append((step, "…" if node is None else of(node)))
        return texts


def together(first: Iterable[tuple[int, str]], second: Iterable[tuple[int, str]], joint: str) -> Texts:
    """Return two texts as one that changes with either."""
    parts = [dict(first), dict(second)]
    steps = sorted({step for part in parts for step in part})
    now = ["", ""]
    texts: Texts = []
    for step in steps:
        now = [part.get(step, text) for part, text in zip(parts, now, strict=True)]
        texts.append((step, joint.join(filter(None, now))))
    return texts


CHARACTER, LINE, PAD = 8.43, 20.0, 12.0  # of the monospaced letters in a box
SMALL = 7.83  # of those of a label
FEW = 9  # entries of a tensor whose numbers stand in its box
LONGEST, WIDEST = 26, 36  # characters of a line in a box, and of a row of numbers
REM = 16  # pixels of the letters of the page, where it is not larger: a picture grows with them
SHAPE = 1.1  # of the width of the place of the picture to its height
LABEL = 22  # characters of a label
RULED = "by its rule"  # of an edge whose rule is longer
CLEAR = 6  # beside a label, which an edge comes near when it is drawn thick
RULE = 120  # characters of a rule
SPACE = "\u00a0"  # that is kept
UNDER = 5 * SPACE  # before a row of a gradient below the first, which stands behind a word


class Picture:
    """Draws the graph of one walk, or a part of it."""

    def __init__(self, part: Part, terms: Terms, paint: Paint, changing: Changing, tracks: Tracks) -> None:
        self.part, self.terms, self.paint, self.changing, self.tracks = part, terms, paint, changing, tracks
        self.nodes, operations = part.boxes, part.operations
        known = {node.id for node in self.nodes}
        entering = (pair for node in self.nodes if node.id in operations for pair in edges(node))
        self.edges = [(edge, local) for edge, local in entering if edge.source in known]
        boxes = [Box(node.id, *self.size(node)) for node in self.nodes]
        lines = [Line(edge.source, edge.target, self.label_size(local)) for edge, local in self.edges]
        self.drawing = fitting(drawing(boxes, lines, "LR"), drawing(boxes, lines, "TB"), ratio=SHAPE)

    def size(self, node: Node) -> tuple[float, float]:
        """Return the least width and height of a box."""
        values, grads = self.texts(node)
        texts = [self.title(node), *values, *(f"grad {text}" for text in grads)]
        widest = max(columns(line) for text in texts for line in text.split("\n"))
        return widest * CHARACTER + 2 * PAD, (1 + high(values) + high(grads)) * LINE + PAD

    def texts(self, node: Node) -> tuple[list[str], list[str]]:
        """Return the values that a box shows, and the gradients, of which a constant has none."""
        later = self.changing.turns
        values = [(0, self.value(node.value)), *later(node.id, lambda turn: self.value(turn.value))]
        grads = [*self.gradients(node), *later(node.id, lambda turn: self.gradient(turn.grad))]
        return [text for _, text in values], [text for _, text in grads] if node.requires_grad else []

    def gradients(self, node: Node) -> Texts:
        """Return the gradient so far; of a leaf that had a `.grad` before, that and what is to be added to it."""
        arrived, grads = self.changing.gradients.get(node.id, []), self.changing.grads.get(node.id, [])
        held = [self.gradient(grad) for step, grad in grads if step == 0]
        start, before = (held[0], f"{held[0]} + ") if held else (NONE, "")
        sums = [(step, f"{before}{self.gradient(total)}") for step, total in arrived]
        return [(0, start), *sums, *((step, self.gradient(grad)) for step, grad in grads if step > 0)]

    def title(self, node: Node) -> str:
        """Return `v1 = a·x2`."""
        name = cut(node.name, LONGEST)
        if node.expression == Name(node.name):
            return name
        return cut(f"{name} = {self.terms.typed(node.expression)}", LONGEST)

    def value(self, value: Value | None) -> str:
        """Return a small value, a matrix in rows, or the sizes of a large one."""
        if value is None:
            return NONE
        if self.terms.explanation.sizes is not None:
            return "…"
        if not np.ndim(value):
            return self.terms.value(value)
        is_shown = not isinstance(value, Unkept) and 0 < np.size(value) <= FEW and np.ndim(value) < 3
        text = rows(value, self.terms.looks.precision) if is_shown else ""
        return text if text and text.index("]") < WIDEST else f"{'×'.join(map(str, np.shape(value)))} numbers"

    def gradient(self, value: Value | None) -> str:
        return self.value(value).replace("\n", f"\n{UNDER}")

    def drawn(self) -> Html | None:
        """Return the picture; None of a graph that is too large for one."""
        drawing = self.drawing
        if drawing is None:
            return None
        width, height = drawing.width + 2 * PAD, drawing.height + 2 * PAD
        routes = zip(self.edges, drawing.routes, strict=True)
        return element(
            "svg",
            *(self.edge(edge, local, route) for (edge, local), route in routes),
            *(self.node(node, drawing.boxes[node.id]) for node in self.nodes),
            viewBox=f"{-PAD:g} {-PAD:g} {width:.0f} {height:.0f}",
            width=f"{width / REM:.2f}rem",
            height=f"{height / REM:.2f}rem",
            role="group",
            aria_label="The graph; arrow keys walk along its edges",
            class_="graph",
        )

    def node(self, node: Node, box: Rectangle) -> Html:
        """Return the box of a node."""
        changing = self.changing
        known: Texts = [(0, "·"), (changing.known.get(node.id, 0), self.value(node.value))]
        known += changing.turns(node.id, lambda later: self.value(later.value))
        grads = self.gradients(node) + changing.turns(node.id, lambda later: self.gradient(later.grad))
        title = self.title(node)
        values = [(step, f"{title} = {text}" if text != "·" else f"{title}, not computed yet") for step, text in known]
        words = together(values, [(step, f"gradient {text}") for step, text in grads], ", ")
        words = [(step, " ".join(text.split())) for step, text in words]
        middle, below = f"{box.width / 2:.1f}", 2 + high(self.texts(node)[0])
        name = cut(node.name, LONGEST)
        borrowed = "borrowed" if node.id in self.part.borrowed else None
        return element(
            "g",
            element("title", node.name) if len(node.name) > LONGEST else None,
            element("rect", width=f"{box.width:.1f}", height=f"{box.height:.1f}", rx=8 if node.kind == "leaf" else 3),
            text(box.width / 2, 1, element("tspan", name, class_="name"), title[len(name) :]),
            text(
                box.width / 2,
                2,
                lines(known[-1][1], middle),
                class_="value",
                data_value=node.id,
                data_text=self.tracks.add(known),
            ),
            text(
                box.width / 2,
                below,
                element("tspan", "grad ", class_="word"),
                element(
                    "tspan",
                    lines(grads[-1][1], middle),
                    data_grad=True,
                    data_grad_of=node.id,
                    data_text=self.tracks.add(grads),
                ),
                class_="grad",
            ) if node.requires_grad else None,
            class_=" ".join(filter(None, ["node", node.kind, self.paint.colours.get(node.id), borrowed])),
            transform=f"translate({box.x:.1f} {box.y:.1f})",
            tabindex=-1,
            role="img",
            aria_label=words[-1][1],
            data_label=self.tracks.add(words),
            data_node=node.id,
            **self.look(node.id),
        )  # fmt: skip

    def look(self, place: str | Edge) -> dict[str, str | int]:
        """Return the attributes of the state of a node or an edge."""
        looks = self.changing.looks.get(place, [(0, "forward")])
        return {"data_state": looks[-1][1], "data_look": self.tracks.add(looks)}

    def edge(self, edge: Edge, local: Local | None, route: Route) -> Html:
        """Return an edge with its label, and an arrowhead for either direction."""
        turn = " rotate(90)" if self.drawing is not None and self.drawing.direction == "TB" else ""
        words = list(self.edge_words(edge, local))
        there, back = (f"translate({pair(end)}){turn}" for end in (route.end, route.start))
        return element(
            "g",
            element("path", d=path(route)),
            element("path", d="M0 0l-9-5v10z", transform=there, class_="head there"),
            element("path", d="M0 0l9-5v10z", transform=back, class_="head back") if local is not None else None,
            self.label(edge, local, route.label) if local is not None and route.label is not None else None,
            class_="edge" if local is not None else "edge constant",
            tabindex=-1,
            role="img",
            aria_label=words[-1][1],
            data_label=self.tracks.add(words),
            data_rule=sentence(self.terms.nodes[edge.target]) or None,
            data_edge=f"{edge.source} {edge.target}",
            data_ends=dump(list(edge[:2])),
            **self.look(edge),
        )

    def label(self, edge: Edge, local: Local, place: Rectangle) -> Html:
        """Return the local derivative at an edge; a plain 1 is quiet."""
        written = self.slope(local)
        quiet = " quiet" if isinstance(local.formula, Number) and written == "×1" else ""
        x, y = place.x + place.width / 2, place.y + place.height - 4
        named = f"{edge.target} {edge.source}" if self.is_number(local) else None
        later = self.changing.turns(edge.target, lambda node: self.slope(again(node, local))) if named else []
        track = self.tracks.add([(0, written), *later]) if later else None
        place_of = {
            "x": f"{x:.1f}",
            "y": f"{y:.1f}",
            "class_": f"slope{quiet}",
            "data_local": named,
            "data_text": track,
        }
        return element("text", later[-1][1] if later else written, **place_of)

    def slope(self, local: Local) -> str:
        """Return `×14`, or the rule `↦g @ B.T`."""
        if local.formula is None:
            rule = self.terms.formula(local.rule, self.terms.arriving(local))
            each = gets(rule)
            label = f"↦{rule}" if each is None else f"{each[0].removesuffix(' entry')} {each[1]}"
            return label if len(label) <= LABEL else RULED
        if not self.is_number(local):
            text = bare(self.terms.formula(local.formula))
            is_loose = precedence(local.formula) < precedence(PRODUCT) or text.startswith("-")
            times = ENTRYWISE if local.is_entrywise and not isinstance(local.formula, Number) else "×"
            return cut(f"{times}({text})" if is_loose else f"{times}{text}", LABEL)
        text = self.value(local.value)
        return cut(f"×({text})" if text.startswith("-") else f"×{text}", LABEL)

    def is_number(self, local: Local) -> bool:
        """Whether the label of an edge has the numbers of the local derivative, and not its formula."""
        is_plain = local.formula is None or local.value is None or isinstance(local.formula, Number)
        if is_plain or self.terms.explanation.sizes is not None:
            return False
        return not local.is_entrywise

    def label_size(self, local: Local | None) -> tuple[float, float] | None:
        return None if local is None else (columns(self.slope(local)) * SMALL + CLEAR, LINE - 4)

    def edge_words(self, edge: Edge, local: Local | None) -> Iterator[tuple[int, str]]:
        """Yield an edge in words: its rule, and its numbers from the step on at which the gradient flows along it."""
        ends = f"from {cut(edge.source, LONGEST)} to {cut(edge.target, LONGEST)}"
        if local is None:
            yield 0, f"{ends}: no gradient flows back"
            return
        rule = f"{ends}: {cut(f'{self.terms.edge(edge.target, local)} {self.terms.local(local)}', RULE)}"
        yield 0, rule
        if edge in self.changing.flows and self.terms.explanation.sizes is None:
            step, move = self.changing.flows[edge]
            numbers = f"upstream {self.value(move.fact.upstream)}, contribution {self.value(move.fact.contribution)}"
            slope = (
                "" if local.formula is None or isinstance(local.formula, Number) else f" = {self.value(local.value)}"
            )
            yield step, f"{rule}{slope}; {numbers}"


def again(node: Node, local: Local) -> Local:
    """Return the same edge in a later turn of a loop."""
    return next(other for other in node.locals if (other.input, other.use) == (local.input, local.use))


def high(texts: Sequence[str]) -> int:
    """Return how many lines the highest of some texts has."""
    return max((text.count("\n") + 1 for text in texts), default=0)


def lines(text: str, x: str) -> Html:
    """Return the lines of a text in a box, one below the other."""
    first, *more = text.split("\n")
    return joined(first, *(element("tspan", line, x=x, dy=f"{LINE:g}") for line in more))


def rows(given: Value, precision: int) -> str:
    """Return a vector, with fewer digits where it is long, or a line for each row of a matrix, points below points."""
    array = np.asarray(given)
    if array.ndim == 1:
        lines = (f"[{', '.join(digits.number(entry, most) for entry in array)}]" for most in (precision, ENOUGH))
        return min(lines, key=lambda text: len(text) > LONGEST)
    texts = [[digits.number(entry, ENOUGH) for entry in column] for column in array.T]
    after = [max(len(text.partition(".")[2]) for text in column) for column in texts]
    for column, most in zip(texts, after, strict=True):
        padded = [
            text + SPACE * (most - len(text.partition(".")[2]) + (most > 0 and "." not in text)) for text in column
        ]
        column[:] = [text.rjust(max(map(len, padded)), SPACE) for text in padded]
    return "\n".join(f"[{(2 * SPACE).join(line)}]" for line in zip(*texts, strict=True))


def text(x: float, line: int, *content: str | None, **attributes: str | int | bool) -> Html:
    return element("text", *content, x=f"{x:.1f}", y=f"{line * LINE:.1f}", **attributes)
