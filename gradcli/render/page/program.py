"""The step page of a program, for `eval`, `trace` and `graph`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.explanation.chain.links import Trace
from gradcli.explanation.folding import folded
from gradcli.explanation.meaning import Meaning, meanings
from gradcli.explanation.model import Explanation, Value
from gradcli.explanation.steps.walk import Contributed, Walk, walk
from gradcli.findings.finding import Finding
from gradcli.guard import guarded, optional
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Method,
    Name,
    Number,
    Tuple,
    Unary,
    fold,
)
from gradcli.render.documents.explanation import explanation_document, formulas_document
from gradcli.render.findings.page import findings_list
from gradcli.render.lesson.page import place, sentence
from gradcli.render.lesson.terms import Terms
from gradcli.render.page.document import Html, controls, cut, element, numbers_panel, page, panel, scene, view
from gradcli.render.page.lesson import Lesson, listed, questions
from gradcli.render.page.picture import Tracks, remark_list
from gradcli.render.text.looks import Asked, Looks
from gradcli.stream.values import Json, plain

SLIDERS = 24  # entries of all leaves that have one
ENTRIES = 12  # of one leaf
NAME = 40  # characters of a name
LARGEST = 64  # entries of a tensor whose formulas the page computes
SIGNS = {"-": "neg", "+": "pos"}


@optional("what-if", None)
def formulas(walk: Walk) -> Json:
    """Return what the page computes: values of leaves, formulas of nodes, and the rule of each contribution."""
    explanation = walk.explanation
    is_made_up = explanation.sizes is not None or not any(move.phase == "backward" for move in walk.moves)
    if is_made_up or any(np.size(node.value) > LARGEST for node in explanation.nodes):
        return None
    contributed = [move for move in walk.moves if isinstance(move, Contributed)]
    nodes = {node.id: node for node in explanation.nodes}
    return {
        "point": {node.id: plain(node.value) for node in explanation.nodes if node.kind != "op"},
        "nodes": [[node.id, tree(node.expression)] for node in explanation.nodes if node.kind == "op"],
        "steps": [[move.edge.target, move.edge.source, tree(move.local.rule)] for move in contributed],
        "locals": [
            [f"{move.edge.target} {move.edge.source}", tree(move.local.formula)]
            for move in contributed
            if move.local.formula is not None
        ],
        "gradients": {id: plain(node.grad) for id, node in nodes.items() if node.grad is not None},
        "output": explanation.output,
        "upstream": plain(explanation.upstream),
        "g": explanation.upstream_name,
    }


def tree(expression: Expression) -> Json:
    """Return an expression as data."""
    return fold(expression, written)


def written(node: Expression, parts: Sequence[Json]) -> Json:
    """Return a node over its children: a number, a name, or a list of the operation and what it takes."""
    match node:
        case Number(value) | Literal(value):
            return plain(value) if not isinstance(value, type(...)) else ["..."]
        case Name(id):
            return id
        case Unary(operator):
            return [SIGNS[operator], *parts]
        case Binary(operator) | Compare(operator):
            return [operator, *parts]
        case Call(function, arguments):
            return called(function, arguments, parts)
        case Method(_, name, arguments):
            return called(name, [Argument(node.receiver), *arguments], parts)
        case Attribute(_, name):
            return [name, *parts]
        case List() | Tuple():
            return ["list", *parts]
    return ["an index" if isinstance(node, Index) else type(node).__name__]


def called(name: str, arguments: Sequence[Argument], parts: Sequence[Json]) -> Json:
    """Return a call; what is named stands last."""
    pairs = [*zip(arguments, parts, strict=True)]
    options = {argument.keyword: part for argument, part in pairs if argument.keyword is not None}
    return [name, *(part for argument, part in pairs if argument.keyword is None), *([options] if options else [])]


def what_if(explanation: Explanation, *, is_computed: bool) -> Html | None:
    """Return what each gradient means, with a slider for each leaf; None where no gradient is that of a number."""
    all_meanings: list[Meaning] = guarded("meaning", lambda: [*meanings(explanation)], [])
    if not all_meanings:
        return None
    room, leaves = SLIDERS, []
    for meaning in all_meanings:
        value = explanation.node(meaning.leaf).value
        at = [(place(meaning), meaning.entry)] if np.size(value) > min(ENTRIES, room) else [*entries(meaning, value)]
        room -= len(at)
        shown = at if is_computed else []
        leaves.append(element(
            "div",
            *(slider(name, float(np.asarray(value)[entry])) for name, entry in shown),
            element("p", f"{sentence(meaning, cut(explanation.output, NAME))}.", data_meaning=meaning.leaf),
            element("svg", viewBox="0 0 240 96", class_="curve", role="img", hidden=True) if is_computed else None,
            class_="leaf",
            data_at=place(meaning),
            data_step_of=meaning.step,
        ))  # fmt: skip
    why = element("p", hidden=True, class_="why-not") if is_computed else None
    reset = element("button", "Reset", type="button", data_action="reset", hidden=True) if is_computed else None
    title = element("h2", "What the gradients mean")
    is_on = "on" if is_computed else "off"
    return element("section", title, *leaves, why, reset, class_="what-if", aria_label="What if", data_what_if=is_on)


def entries(meaning: Meaning, value: Value) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield all entries of a leaf with their names."""
    for entry in np.ndindex(np.shape(value)):
        yield place(replace(meaning, entry=entry)), entry


def slider(name: str, value: float) -> Html:
    """Return the slider of a number, with a field beside it, for the player alone."""
    reach = max(1.0, abs(value))
    ends = {"min": f"{value - reach:g}", "max": f"{value + reach:g}", "step": "any"}
    return element(
        "label",
        element("span", cut(name, NAME)),
        element("input", type="range", **ends, value=repr(value), data_leaf=name),
        element(
            "input", type="number", step="any", value=repr(value), data_number=name, aria_label=f"{name} as a number"
        ),
        hidden=True,
    )


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
    tour, tracks = walk(shown), Tracks()
    check_length(tour.last)
    lesson = Lesson(tour, looks, tracks)
    asked = questions(tour, explanation, lesson.terms, lesson.numbers)
    computed = formulas(tour)
    suspicious = findings(explanation)
    remarks = {
        in_words(explanation, remark.text) if suspicious else remark.text: remark for remark in lesson.notes.remarks
    }
    said_above = {text for finding in suspicious for text in (finding.message, finding.because)}
    main = element(
        "main",
        scene(
            element(
                "header",
                *heading(shown, lesson.terms),
                findings_list(
                    suspicious, lambda finding: remarks[finding.message].step if finding.message in remarks else None
                ),
            ),
            controls([move.phase for move in tour.moves], predicts=bool(asked)),
            panel(lesson.words.of(0)),
            view(lesson.view()),
            numbers_panel(listed(lesson.steps()), what_if(explanation, is_computed=computed is not None)),
        ),
        remark_list([remark for words, remark in remarks.items() if words not in said_above]),
        lesson.table(),
        data_gradcli="lesson",
        data_step=tour.last,
        data_steps=tour.last,
    )
    steps = {"tracks": tracks.document, "questions": asked, "formulas": computed}
    facts = explanation_document if explanation.sizes is None else formulas_document  # numbers for sizes are made up
    return page(title(shown, lesson.terms), main, steps=steps, facts=facts(explanation))


def in_words(explanation: Explanation, text: str) -> str:
    from gradcli.findings.programs import in_words as written_out

    return written_out(explanation, text)


@optional("note", ())
def findings(explanation: Explanation) -> Sequence[Finding]:
    """Return what is suspicious about a program at its point, without what is a convention alone."""
    from gradcli.findings.programs import noted

    if explanation.sizes is not None or not explanation.notes:
        return ()
    return [finding for finding in noted(explanation) if finding.severity != "note"]


def check_length(last: int) -> None:
    """Refuse a walk that nobody would follow, and that would make a browser slow."""
    if last > LONGEST_WALK:
        raise EvaluationError(
            "E210",
            f"a page would have {last:,} steps, and it can have {LONGEST_WALK:,}",
            help="try it at a smaller size, or differentiate a part of it with --of NAME",
        )


def title(explanation: Explanation, terms: Terms) -> str:
    """Return the last statement of a program."""
    statements = explanation.parsed.statements
    return terms.statement(statements[-1]) if statements else explanation.output


def heading(explanation: Explanation, terms: Terms) -> list[Html]:
    """Return the program, and the point at which it is explained."""
    lines = [cut(terms.statement(statement), LONGEST) for statement in explanation.statements]
    point = [f"{cut(node.name, 60)} = {terms.value(node.value)}" for node in explanation.variables]
    if explanation.sizes is not None:
        point = [f"{cut(name, 60)} ({', '.join(map(str, sizes))})" for name, sizes in explanation.sizes.items()]
    at = element("p", f"{'at' if explanation.sizes is None else 'for'} {', '.join(point)}", class_="point")
    shown = lines or [cut(terms.typed(explanation.nodes[-1].expression), LONGEST)]
    if len(shown) > STATEMENTS:
        shown = [*shown[: STATEMENTS - 2], f"… {len(shown) - STATEMENTS + 1:,} more", shown[-1]]
    is_long = len(shown) > 2 or sum(map(len, shown)) > 100
    statements = [element("span", line) for line in shown] if is_long else ["\n".join(shown)]
    return [element("h1", element("code", *statements), class_="several" if is_long else None), at]
