"""The code, what it printed, and the tensors of a run, each as of the step."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.render.page.document import Html, cut, element
from gradcli.render.page.parts import Tracks, tensor_table
from gradcli.render.page.snippet.page_steps import Stops
from gradcli.render.page.snippet.sentences import written
from gradcli.script.moments.model import TensorState
from gradcli.source import Source

NAME = 40
COLUMNS = ("name", "value", "requires_grad", "is_leaf", "grad_fn", "version", ".grad")


def code(stops: Stops, tracks: Tracks) -> Html:
    """Return the cells of the snippet, the current line marked."""
    at: dict[tuple[Source, int], list[int]] = {}
    for number, stop in enumerate(stops.stops):
        at.setdefault((stop.source, stop.line), []).append(number)
    cells = stops.ran.snippet.cells
    parts = []
    for number, cell in enumerate(cells, 1):
        if len(cells) > 1:
            parts.append(element("h2", f"Cell {number}"))
        parts.append(element("ol", *lines(cell, at, tracks), class_="lines"))
    return element("section", *parts, class_="code", tabindex=0, aria_label="The code")


def lines(cell: Source, at: dict[tuple[Source, int], list[int]], tracks: Tracks) -> Iterator[Html]:
    """Yield the lines of a cell."""
    for number, text in enumerate(cell.text.rstrip().split("\n"), 1):
        changes = [(0, "idle")]
        for step in at.get((cell, number), ()):
            changes += [(step, "active"), (step + 1, "done")]
        line = element("code", text.rstrip("\r") or " ", class_="comment" if text.lstrip().startswith("#") else None)
        yield element("li", line, data_line=number, data_state=changes[-1][1], data_look=tracks.add(changes))


def printed(stops: Stops, tracks: Tracks) -> Html:
    """Return what the snippet has printed so far."""
    texts = [element("span", text, data_shown=tracks.add([(0, False), (step, True)])) for step, text in stops.printed]
    out = element("pre", *texts, tabindex=0, role="region", aria_label="What it has printed")
    return element("section", element("h2", "Printed so far"), out, class_="printed")


def tensors(stops: Stops, tracks: Tracks) -> Html:
    """Return the table of the tensors that have a name."""
    states: dict[str, dict[int, TensorState | None]] = {}
    for step, moment in stops.changes:
        for state in moment.changed:
            states.setdefault(state.name, {})[step] = state
        for name in moment.gone:
            states[name][step] = None
    tensors = {name: found for name, found in states.items() if any(found.values())}  # others are numbers by then
    rows = (row(name, [*found.items()], stops, tracks) for name, found in tensors.items())
    return tensor_table(COLUMNS, element("tbody", *rows))


def row(name: str, states: list[tuple[int, TensorState | None]], stops: Stops, tracks: Tracks) -> Html:
    """Return the row of a name: hidden while it means no tensor."""
    looks = stops.looks
    known = [(step, state) for step, state in states if state is not None]
    texts = [
        [(step, written(state.value, looks)) for step, state in known],
        [(step, str(state.requires_grad)) for step, state in known],
        [(step, str(state.is_leaf)) for step, state in known],
        [(step, state.grad_fn or "None") for step, state in known],
        [(step, str(state.version)) for step, state in known],
    ]
    cells = [
        element("td", now[-1][1], data_text=tracks.add([(0, now[0][1]), *now]), class_="word" if number else None)
        for number, now in enumerate(texts)
    ]
    is_there = [(0, False), *((step, state is not None) for step, state in states)]
    active = [(0, "idle")]
    for step, _ in states:
        active += [(step, "active"), (step + 1, "idle")]
    return element(
        "tr",
        element("th", cut(name, NAME), scope="row"),
        *cells,
        grad(name, known, stops, tracks),
        data_shown=tracks.add(is_there),
        data_look=tracks.add(active),
    )


def grad(name: str, known: list[tuple[int, TensorState]], stops: Stops, tracks: Tracks) -> Html:
    """Return the cell of the gradient: beside each None stands why."""
    arrived = dict(arrivals(name, stops))
    values = {step: written(state.grad, stops.looks) if state.has_grad else "None" for step, state in known}
    changes = sorted({**values, **arrived}.items())
    reasons = [(step, told(state)) for step, state in known]
    missing = [(0, False), *((step, text == "None") for step, text in changes)]
    return element(
        "td",
        element("span", changes[-1][1], data_text=tracks.add([(0, "None"), *changes])),
        element(
            "details",
            element("summary", "why?", aria_label=f"Why is {cut(name, NAME)}.grad None?"),
            element("p", reasons[-1][1], data_text=tracks.add([(0, ""), *reasons])),
            data_shown=tracks.add(missing),
        ),
        class_="grad",
    )


def told(state: TensorState) -> str:
    """Return why there is no gradient, in a sentence."""
    return "" if state.has_grad else f"{cut(state.name, NAME)}.grad is None: {state.reason}."


def arrivals(name: str, stops: Stops) -> Iterator[tuple[int, str]]:
    """Yield the steps within backward passes at which a gradient arrives, before the statement is over."""
    for done in stops.passes:
        for number, move in enumerate(done.walk.moves, 1):
            if move.phase == "accumulate" and getattr(move, "node", "") == name:
                yield done.numbers[number], written(getattr(move, "after", None), stops.looks)
