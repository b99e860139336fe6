"""Slides: one frame a step, with the graph as of the step, the equation of the step, and a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.explanation.chain.links import Link, Term
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation, Intermediate, Leaf, Value
from gradcli.explanation.steps.walk import Accumulated, Computed, Contributed, Move, Walk, walk
from gradcli.render.graph.layered.drawing import drawing
from gradcli.render.graph.layered.model import Box, Direction, Edge, in_rows
from gradcli.render.graph.sketch.sketch import sketch
from gradcli.render.latex.formulas import escaped
from gradcli.render.latex.graph.tikz import COLORS, EASY, PREAMBLE, Picture, behind, box_room, label
from gradcli.render.latex.pages import document, gradient, statement
from gradcli.render.latex.pieces import Equation, Piece, aligned
from gradcli.render.latex.terms import Terms
from gradcli.render.lesson.terms import Terms as Words
from gradcli.render.page.lesson import Words as Sentences
from gradcli.render.page.lesson import in_a_row, name
from gradcli.render.page.picture import Notes, is_drawn
from gradcli.render.text.looks import Asked

# The graph of an explanation in LaTeX: the boxes and edges of the SVG picture, at the same places.


LARGEST = 80  # boxes that can be read on a page
PAGE = (450.0, 640.0)  # points of a document of our own
PLAIN = (330.0, 520.0)  # of a plain article, for a fragment

Room = tuple[float, float]


def pictures(explanation: Explanation, terms: Terms, asked: Asked, room: Room) -> Iterator[Picture]:
    """Yield the pictures in the directions that are asked for, whole and in rows; none of a graph for no page."""
    graph = sketch(explanation, asked)
    if len(graph.vertices) > LARGEST:
        return
    boxes = [Box(vertex.id, *box_room(vertex, terms, asked.values)) for vertex in graph.vertices]
    lines = []
    for arc, edge in zip(graph.arcs, behind(graph, terms), strict=True):
        text = label(arc, edge, terms, asked.values)
        lines.append(Edge(arc.source, arc.target, None if text is None else text.room))
    directions: list[Direction] = ["LR", "TB"] if asked.direction is None else [asked.direction]
    for direction in directions:
        drawn = drawing(boxes, lines, direction)
        for layout in [] if drawn is None else [drawn, *in_rows(drawn, room[0] / room[1], 0)]:
            yield Picture(graph, layout, terms, asked.values)


def fitting(explanation: Explanation, terms: Terms, room: Room, *ways: Asked) -> Picture | None:
    """Return the first picture in these ways that is read with ease in its room, or else the largest."""
    choices: list[Picture] = []
    for asked in ways:
        choices += pictures(explanation, terms, asked, room)
        for choice in choices:
            if choice.scale(room) >= EASY:
                return choice
    return max(choices, key=lambda choice: choice.scale(room), default=None)


def graph_page(explanation: Explanation, asked: Asked) -> str:
    """Write the graph as a TikZ picture, which needs that package and no other."""
    room = PAGE if asked.standalone else PLAIN
    shown = explanation if asked.backward else folded(explanation)
    picture = fitting(shown, Terms(shown, asked.precision), room, asked, replace(asked, values="shape"))
    if picture is None:
        raise EvaluationError(
            "E210",
            f"the graph has {len(explanation.nodes):,} nodes, and {LARGEST} boxes are the most on a page",
            help="draw the graph of an intermediate with --of NAME, or use --format svg",
        )
    drawn = f"% needs \\usepackage{{tikz}}\n{COLORS}{picture.drawn(room)}"
    return document(f"\\begin{{center}}\n{drawn}\n\\end{{center}}", preamble=PREAMBLE) if asked.standalone else drawn


MOST = 400  # steps
FRAMES = 20  # of a lesson, unless all are asked for
WIDE, HIGH = 395.0, 212.0  # points of a frame below its title
TALL = 1.4 * HIGH  # of formulas that shrink until they fit
LEAST, BEST = 90.0, 160.0  # of its height for the graph
LINES = 100.0  # for the program
LETTERS = 62  # of a line of words
WHOLE = 6  # rows and columns of a matrix
DOCUMENT = r"""\documentclass[aspectratio=169,10pt]{beamer}
\usepackage{amsmath}
"""
LOOKS = r"""\setbeamertemplate{navigation symbols}{}
\setbeamertemplate{page number in head/foot}{\insertframenumber}
\setbeamertemplate{footline}[frame number]
"""


def beamer(explanation: Explanation, asked: Asked) -> str:
    """Write a whole document. Raises EvaluationError for more steps than anybody shows."""
    shown = folded(explanation)  # as the picture has it
    steps = walk(shown)
    if steps.last + 1 > MOST:
        raise EvaluationError(
            "E210",
            f"the slides would be {steps.last + 1:,} frames, and {MOST} are the most",
            help="show a part with --of NAME and --wrt, or a smaller program",
        )
    terms = Terms(shown, asked.precision)
    sentences = Sentences(steps, Words(shown, asked))
    notes = Notes(steps, range(steps.last + 1))
    numbers = range(steps.last + 1) if asked.all else chosen(steps, notes)
    texts = {number: text(number, steps, terms, sentences) for number in numbers}
    room = WIDE, min((left(texts[number]) for number in numbers[1:]), default=BEST)
    ways = asked, replace(asked, values="shape")
    drawn = fitting(shown, terms, room, *ways)
    is_apart = drawn is not None and drawn.scale(room) < EASY  # then a step shows its part of the graph
    if is_apart:
        drawn = next(pictures(shown, terms, asked, room))
    messages = {number: notes.messages(number) for number in numbers}
    frames = [
        frame(number, steps, None if is_apart and number == 0 else drawn, texts[number], room[1], messages[number])
        for number in numbers
    ]
    whole = fitting(shown, terms, (WIDE, HIGH), *ways, replace(asked, detail="name")) if is_apart else None
    if whole is not None:
        frames.insert(1, f"\\begin{{frame}}[t]{{Its graph}}\n\\centering\n{whole.drawn((WIDE, HIGH))}\n\\end{{frame}}")
    frames += [*results(terms), listing(notes, len(numbers) - 1, steps.last)]
    body = "\n".join(frames)
    return f"{DOCUMENT}{PREAMBLE}{COLORS}{LOOKS}\\begin{{document}}\n{body}\n\\end{{document}}"


def chosen(steps: Walk, notes: Notes) -> Sequence[int]:
    """Return the steps of a lesson that has room on `FRAMES` frames: what is most told, in order."""
    if steps.last + 3 < FRAMES:
        return range(steps.last + 1)
    leaves = {leaf.node for leaf in steps.explanation.leaves}
    weight = {
        number: (
            bool(notes.messages(number)),
            getattr(move, "before", None) is not None,  # a sum
            isinstance(move, Contributed) and move.edge.source in leaves,
            isinstance(move, Contributed),
            isinstance(move, Computed),
            -number,
        )
        for number, move in enumerate(steps.moves, 1)
    }
    best = sorted(weight, key=lambda number: weight[number], reverse=True)[: FRAMES - 4]
    return [0, *sorted(best)]


def results(terms: Terms) -> Iterator[str]:
    """Yield a frame with the gradients as formulas, and their values where there is room for them."""
    explanation = terms.explanation
    facts: list[Intermediate | Leaf] = [*explanation.deltas, *explanation.leaves]
    written = [gradient(fact, terms) for fact in facts]
    if height(written) > HIGH:
        written = [
            replace(equation, sides=equation.sides[:-1]) if len(equation.sides) > 1 and equation.sides[-2] else equation
            for equation in written
        ]
    shown = [equation for at, equation in enumerate(written) if height(written[: at + 1]) <= TALL]
    if shown:
        more = [r"\par\ldots"] if len(shown) < len(written) else []
        lines = [r"\begin{frame}[t,shrink]{The gradients}", r"\centering\small", aligned(shown), *more]
        yield "\n".join([*lines, r"\end{frame}"])


def listing(notes: Notes, shown: int, last: int) -> str:
    """Return the last frame: the notes, and how to have every step."""
    items = [rf"\item {escaped(remark.text)}" for remark in notes.remarks]
    more = (
        [rf"\par These are {shown} of {last} steps; with \texttt{{--all}} each has its frame."] if shown < last else []
    )
    if not items and not more:
        return ""
    listed = [r"\begin{itemize}", *items, r"\end{itemize}"] if items else []
    title = "Notes" if items else "The other steps"
    return "\n".join([rf"\begin{{frame}}[t,shrink]{{{title}}}", *listed, *more, r"\end{frame}"])


def text(number: int, steps: Walk, terms: Terms, sentences: Sentences) -> tuple[list[Equation], str]:
    """Return the equations and the sentence of a step; of 0 the program before it runs."""
    equations = opening(terms) if number == 0 else list(step_equations(steps.moves[number - 1], terms))
    return equations, said(number, steps, sentences)


def opening(terms: Terms) -> list[Equation]:
    """Return the program and its point as far as there is room, with dots for the rest."""
    written = statement(terms.explanation, terms)
    shown = [equation for at, equation in enumerate(written) if height(written[: at + 1]) <= LINES]
    return shown if len(shown) == len(written) else [*shown, Equation(Piece(r"\cdots", width=3), [])]


def left(written: tuple[list[Equation], str]) -> float:
    """Return how high the graph may be above a text."""
    equations, words = written
    return max(LEAST, min(BEST, HIGH - height(equations) - 17 * (len(words) // LETTERS + 1)))


def height(equations: Sequence[Equation]) -> float:
    """Return about how high equations are, in points."""
    lines = [line for equation in equations for line in equation.lines()]
    rows = [max(part.count(r"\\") + 1 for part in line.split(r"\end")) for line in lines]  # of the largest matrix
    return 16 + sum(max(28 * ("frac" in line), 4 + 10 * count) for line, count in zip(lines, rows, strict=True))


def frame(
    number: int,
    steps: Walk,
    drawn: Picture | None,
    written: tuple[list[Equation], str],
    high: float,
    notes: Sequence[str],
) -> str:
    """Return the frame of a step."""
    equations, words = written
    lines = [rf"\begin{{frame}}[t,shrink]{{{title(number, steps)}}}", r"\centering"]
    if drawn is not None:
        lines.append(drawn.drawn((WIDE, high), steps.states[number], left(written)))
    shown = aligned(equations)
    lines.extend([r"\small", shown] if shown else [])
    lines.append(rf"\par\fontsize{{14}}{{17}}\selectfont {escaped(words)}")
    lines.extend(rf"\par\small\emph{{Note:}} {escaped(note)}" for note in notes)
    return "\n".join([*lines, r"\end{frame}"])


def said(number: int, steps: Walk, sentences: Sentences) -> str:
    """Return the sentence of a step; of a step forward what goes into it, as its equation stands above."""
    move = steps.moves[number - 1] if number else None
    if not isinstance(move, Computed):
        return sentences.of(number)
    node = sentences.terms.nodes[move.node]
    inputs = [name(id) for id in dict.fromkeys(node.inputs) if is_drawn(sentences.terms.nodes[id])]
    verb = "goes" if len(inputs) == 1 else "go"
    goes = [f"{in_a_row(inputs)} {verb} into {name(node.id)}."] if inputs else []
    return " ".join([*goes, *list(sentences.forward(node))[1:]])


def title(number: int, steps: Walk) -> str:
    if number == 0:
        return "The program"
    phase = {"forward": "Forward", "backward": "Backward", "accumulate": "Into the leaves"}
    return f"{phase[steps.moves[number - 1].phase]}, step {number} of {steps.last}"


def step_equations(move: Move, terms: Terms) -> Iterator[Equation]:
    """Yield the equations of a step."""
    match move:
        case Computed(id):
            node = terms.nodes[id]
            sides = [terms.typed(node.expression), terms.put_in(node), small(node.value, terms)]
            yield Equation(terms.name(id), sides)
        case Contributed():
            yield from contributed(move, terms)
        case Accumulated(id, gradient, before, after):
            left = Piece(rf"{terms.name(id).text}\texttt{{.grad}}", width=6)
            values = [small(value, terms) for value in (before, gradient, after) if value is not None]
            sum = [] if before is None or None in values[:2] else [plus(values[0], values[1])]
            yield Equation(left, [*sum, values[-1]])


def contributed(move: Contributed, terms: Terms) -> Iterator[Equation]:
    """Yield the product along the edge, and the sum so far where several edges lead to the node."""
    link = Link(move.edge.source, (Term(move.fact, move.local),), move.fact.contribution)
    total = terms.total(move.edge.source)
    is_only = move.before is None and move.is_complete
    left = total if is_only else Piece(r"\text{contribution}", width=9)
    yield Equation(left, [terms.symbols(link), terms.numbers(link), small(move.fact.contribution, terms)])
    if not is_only:
        before, added, after = (
            None if value is None else small(value, terms)
            for value in (move.before, move.fact.contribution, move.fact.total)
        )
        so_far = total if move.is_complete else Piece(r"\text{sum so far}", width=9)
        yield Equation(so_far, [plus(before, added), after])


def plus(first: Piece | None, second: Piece | None) -> Piece | None:
    """Return a sum of two values, where both are shown."""
    if first is None or second is None:
        return None
    later = second.bracketed() if second.text.startswith("-") else second
    return first.joined(f"{first.text} + {later.text}", [first, later])


def small(given: Value, terms: Terms) -> Piece | None:
    """Return a value that has room on a slide."""
    is_matrix = np.ndim(given) == 2 and max(np.shape(given)) <= WHOLE
    return terms.value(given) if is_matrix or np.size(given) <= 16 else None
