"""The questions before a contribution is shown: the right numbers, and the mistakes behind wrong ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.explanation.model import Explanation, Value
from gradcli.explanation.reference import sentence
from gradcli.explanation.steps.moves import Contributed
from gradcli.explanation.steps.walk import Walk
from gradcli.guard import optional
from gradcli.homework.diagnose.contributions import Contributions, Mistaken, graph_of
from gradcli.homework.solve.graph import Graph
from gradcli.render.lesson.terms import Terms
from gradcli.render.page.words import name
from gradcli.stream.values import Json, plain

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
    found: dict[str, Json] = {}
    for number, move in enumerate(walk.moves, 1):
        if not isinstance(move, Contributed):
            continue
        mistaken = next(known, ()) if len(found) < room else None
        if 0 < np.size(move.fact.contribution) <= LARGEST:
            found[str(numbers[number])] = question(move, mistaken, terms)
    return found


def mistakes(walk: Walk, explanation: Explanation, graph: Graph | None) -> Iterator[Sequence[Mistaken]]:
    """Yield the mistakes about each contribution of the walk; nothing where its program cannot be run again."""
    graph = graph or graph_of(explanation)
    if graph is None:
        return
    inside = {node.id for node in explanation.nodes} - {node.id for node in walk.explanation.nodes}
    for move, found in Contributions(explanation, graph).mistakes():
        if move.edge.source not in inside:  # what torch inserts is no step of the page
            yield found


def question(move: Contributed, mistaken: Sequence[Mistaken] | None, terms: Terms) -> Json:
    """Return one question; mistakes that are None were not looked for, and then the sum so far alone is known."""
    source, target = name(move.edge.source), name(move.edge.target)
    answer = np.asarray(move.fact.contribution)
    alone = f" through {target} alone" if terms.fans_out(move.edge.source) else ""
    said = sentence(terms.nodes[move.edge.target])
    shown = mistaken or []
    if not shown and move.before is not None:
        shown = [Mistaken(move.fact.total, f"this is the sum so far; asked is what comes through {target}")]
    alike = [(np.asarray(one.value), one.message) for one in shown if np.shape(one.value) == answer.shape]
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
