"""Slides: one frame a step, with the graph as of the step, the equation of the step, and a sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.explanation.chain.links import Link, Term
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.explanation.steps.moves import Accumulated, Computed, Contributed, Move
from gradcli.explanation.steps.walk import Walk, walk
from gradcli.render.asked import Asked
from gradcli.render.latex.aligned import Equation, aligned
from gradcli.render.latex.lesson import statement
from gradcli.render.latex.pictures import fitting
from gradcli.render.latex.pieces import Piece
from gradcli.render.latex.symbols import escaped
from gradcli.render.latex.terms import Terms
from gradcli.render.latex.tikz import COLORS, PREAMBLE, Picture
from gradcli.render.lesson.terms import Terms as Words
from gradcli.render.page.words import Words as Sentences

MOST = 400  # frames, which are printed and clicked through
ROOM = (395.0, 112.0)  # points of a frame for the graph
DOCUMENT = r"""\documentclass[aspectratio=169,10pt]{beamer}
\usepackage{amsmath}
"""
LOOKS = r"""\setbeamertemplate{navigation symbols}{}
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
    drawn = fitting(shown, terms, asked, ROOM)
    sentences = Sentences(steps, Words(shown, asked))
    frames = (frame(number, steps, drawn, terms, sentences) for number in range(steps.last + 1))
    body = "\n".join(frames)
    return f"{DOCUMENT}{PREAMBLE}{COLORS}{LOOKS}\\begin{{document}}\n{body}\n\\end{{document}}"


def frame(number: int, steps: Walk, drawn: Picture | None, terms: Terms, sentences: Sentences) -> str:
    """Return the frame of a step; 0 is the program before it runs."""
    lines = [rf"\begin{{frame}}[t,shrink]{{{title(number, steps)}}}", r"\centering"]
    if drawn is not None:
        lines.append(drawn.drawn(ROOM, steps.states[number]))
    equations = statement(terms.explanation, terms)[:3] if number == 0 else list(told(steps.moves[number - 1], terms))
    shown = aligned(equations)
    lines.extend([r"\small", shown] if shown else [])
    lines.append(rf"\par\footnotesize {escaped(said(number, steps, sentences))}")
    return "\n".join([*lines, r"\end{frame}"])


def said(number: int, steps: Walk, sentences: Sentences) -> str:
    """Return the sentence of a step; of a step forward not its equation, which stands above."""
    move = steps.moves[number - 1] if number else None
    if isinstance(move, Computed):
        return " ".join(list(sentences.forward(sentences.terms.nodes[move.node]))[1:])
    return sentences.of(number)


def title(number: int, steps: Walk) -> str:
    if number == 0:
        return "The program"
    phase = {"forward": "Forward", "backward": "Backward", "accumulate": "Into the leaves"}
    return f"{phase[steps.moves[number - 1].phase]}, step {number} of {steps.last}"


def told(move: Move, terms: Terms) -> Iterator[Equation]:
    """Yield the equations of a step."""
    match move:
        case Computed(id):
            node = terms.nodes[id]
            sides = [terms.formula(node.expression), terms.put_in(node), small(node.value, terms)]
            yield Equation(terms.name(id), sides)
        case Contributed():
            yield from contributed(move, terms)
        case Accumulated(id, gradient, before, after):
            left = Piece(rf"{terms.name(id).text}\texttt{{.grad}}", width=6)
            values = [small(one, terms) for one in (before, gradient, after) if one is not None]
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
            None if one is None else small(one, terms) for one in (move.before, move.fact.contribution, move.fact.total)
        )
        so_far = total if move.is_complete else Piece(r"\text{sum so far}", width=9)
        yield Equation(so_far, [plus(before, added), after])


def plus(first: Piece | None, second: Piece | None) -> Piece | None:
    """Return a sum of two values, where both are shown."""
    if first is None or second is None:
        return None
    later = second.bracketed() if second.text.startswith("-") else second
    return first.joined(f"{first.text} + {later.text}", [first, later])


def small(given: object, terms: Terms) -> Piece | None:
    """Return a value that has room on a slide."""
    return terms.value(given) if np.size(given) <= 16 else None  # type: ignore[arg-type]
