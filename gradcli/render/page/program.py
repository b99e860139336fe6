"""The step page of a program, for `eval`, `trace` and `graph`."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.errors import EvaluationError
from gradcli.explanation.chain.trace import Trace
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.explanation.steps.walk import walk
from gradcli.language.unparser import unparse_statement
from gradcli.render.display_options import Asked
from gradcli.render.documents.explanation import explanation_document, formulas_document
from gradcli.render.lesson.terms import Terms
from gradcli.render.page.controls import controls, panel, scene, told, view
from gradcli.render.page.document import page
from gradcli.render.page.html import Html, cut, element
from gradcli.render.page.lesson import Lesson, listed
from gradcli.render.page.parts import Tracks
from gradcli.render.page.questions import questions
from gradcli.render.page.what_if import formulas, what_if
from gradcli.render.text.looks import Looks

LONGEST_WALK = 2000  # steps
STATEMENTS = 6  # of a program that is shown above its graph
LONGEST = 400  # characters of a statement


def eval_page(explanation: Explanation, asked: Asked) -> str:
    """Return the page of an explanation, whose document is that of `eval --json`."""
    return program_page(explanation, asked, torch_nodes=asked.torch_nodes)


def trace_page(explanation: Explanation, traces: Sequence[Trace], asked: Asked) -> str:
    """Return the same page, which derives every gradient."""
    return program_page(explanation, asked, torch_nodes=asked.torch_nodes)


def program_page(explanation: Explanation, looks: Looks, *, torch_nodes: bool = False) -> str:
    """Return the page of an explanation, in the operations that the program has unless it is to have `torch_nodes`.

    Raises EvaluationError for a program that is too long to be walked through.
    """
    shown = explanation if torch_nodes else folded(explanation)
    found, tracks = walk(shown), Tracks()
    check_length(found.last)
    lesson = Lesson(found, looks, tracks)
    asked = questions(found, explanation, lesson.terms, lesson.numbers)
    computed = formulas(found)
    main = element(
        "main",
        scene(
            element("header", *heading(shown, lesson.terms)),
            controls([move.phase for move in found.moves], predicts=bool(asked)),
            panel(lesson.words.of(0)),
            view(lesson.view()),
            told(listed(lesson.steps()), what_if(explanation, is_computed=computed is not None)),
        ),
        lesson.notes.listed,
        lesson.table(),
        data_gradcli="lesson",
        data_step=found.last,
        data_steps=found.last,
    )
    steps = {"tracks": tracks.document, "questions": asked, "formulas": computed}
    facts = explanation_document if explanation.sizes is None else formulas_document  # numbers for sizes are made up
    return page(title(shown), main, steps=steps, facts=facts(explanation))


def check_length(last: int) -> None:
    """Refuse a walk that nobody would follow, and that would make a browser slow."""
    if last > LONGEST_WALK:
        raise EvaluationError(
            "E210",
            f"a page would have {last:,} steps, and it can have {LONGEST_WALK:,}",
            help="try it at a smaller size, or differentiate a part of it with --of NAME",
        )


def title(explanation: Explanation) -> str:
    """Return the last statement of a program."""
    statements = explanation.parsed.statements
    return unparse_statement(statements[-1], multiply="·") if statements else explanation.output


def heading(explanation: Explanation, terms: Terms) -> list[Html]:
    """Return the program, and the point at which it is explained."""
    variables = explanation.variables
    given = {node.name for node in variables}
    lines = []
    for statement in explanation.parsed.statements:
        if statement.target in given:
            given.remove(statement.target)
        else:
            lines.append(cut(unparse_statement(statement, multiply="·"), LONGEST))
    point = [f"{cut(node.name, 60)} = {terms.value(node.value, width=40)}" for node in variables]
    if explanation.sizes is not None:
        point = [f"{cut(name, 60)} ({', '.join(map(str, sizes))})" for name, sizes in explanation.sizes.items()]
    at = element("p", f"{'at' if explanation.sizes is None else 'for'} {', '.join(point)}", class_="point")
    shown = lines or [cut(terms.formula(explanation.nodes[-1].expression), LONGEST)]
    if len(shown) > STATEMENTS:
        shown = [*shown[: STATEMENTS - 2], f"… {len(shown) - STATEMENTS + 1:,} more", shown[-1]]
    is_long = len(shown) > 2 or sum(map(len, shown)) > 100
    statements = [element("span", line) for line in shown] if is_long else ["\n".join(shown)]
    return [element("h1", element("code", *statements), class_="several" if is_long else None), at]
