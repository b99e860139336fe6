"""The forms of the commands in LaTeX: fragments, and whole documents where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.explanation.chain.trace import Trace
from gradcli.explanation.model import Explanation
from gradcli.homework.answer_file import filled_in
from gradcli.homework.grading import Grader
from gradcli.render.display_options import Asked
from gradcli.render.latex.derivation import derivations
from gradcli.render.latex.document import document
from gradcli.render.latex.handout import handout
from gradcli.render.latex.lesson import lesson


def eval_page(explanation: Explanation, asked: Asked) -> str:
    """Write the whole lesson."""
    return whole(lesson(explanation, asked.precision, why=asked.why), asked)


def trace_page(explanation: Explanation, traces: Sequence[Trace], asked: Asked) -> str:
    """Write the derivation of each gradient."""
    return whole(derivations(explanation, traces, asked.precision, why=asked.why), asked)


def key_page(grader: Grader, asked: Asked) -> str:
    """Write the worked solution of every question, and the answers."""
    return whole(handout(grader, "\n".join(filled_in(grader)).rstrip(), asked), asked)


def whole(fragment: str, asked: Asked) -> str:
    return document(fragment) if asked.standalone else fragment
