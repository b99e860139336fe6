"""The step page of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.explanation.model import Explanation
from gradcli.explanation.replay import replayed
from gradcli.findings.examination import Ran
from gradcli.findings.finding import Finding
from gradcli.homework.diagnose.contributions import Steps
from gradcli.render.display_options import Asked
from gradcli.render.findings.page import findings_list
from gradcli.render.page.controls import controls, panel, scene, told, view
from gradcli.render.page.document import page
from gradcli.render.page.html import Html, cut, element
from gradcli.render.page.lesson import PHASES, Lesson, listed, step
from gradcli.render.page.notes import ended, remark_list, said
from gradcli.render.page.parts import Tracks
from gradcli.render.page.questions import MOST, questions
from gradcli.render.page.snippet.page_steps import Pass, Stops
from gradcli.render.page.snippet.tables import code, printed, tensors
from gradcli.render.page.snippet.turns import losses, ruler, turns
from gradcli.render.run.snippet_document import snippet_document
from gradcli.script.moments.model import Moments, TensorState
from gradcli.script.timeline.model import Backward, Returned
from gradcli.stream.values import Json

PICTURES = 12  # backward passes whose graph is drawn


def run_page(ran: Ran, asked: Asked) -> str:
    """Return the page of a run, whose document is that of `run --json`."""
    moments = ran.moments or Moments(())
    stops, tracks = Stops(ran, moments, asked), Tracks()
    lessons = {id(done): Lesson(done.walk, asked, tracks, done.numbers) for done in stops.passes}
    for at, done, states in stops.later:
        lessons[id(done)].changing.again(at, replay(done, states))
    questioned: dict[str, Json] = {}
    for done in stops.passes[:PICTURES]:
        evaluation = moments.graphs.get(done.number)
        graph = None if evaluation is None else Steps(evaluation, "")
        event = ran.timeline.events[done.number]
        explanation = event.explanation if isinstance(event, Backward | Returned) else None
        assert explanation is not None
        terms, room = lessons[id(done)].terms, MOST - len(questioned)
        questioned |= questions(done.walk, explanation, terms, done.numbers, graph, room)
    found = turns(stops.stops, stops.loop)
    curve, loss = losses(stops.loop, found)
    first = ran.snippet.cells[0].name
    name = first.rpartition(" cell ")[0] or first
    phases = [stop.phase for stop in stops.stops[1:]]
    notes = dict.fromkeys(remark for one in lessons.values() for remark in one.notes.remarks)
    listed_findings = findings_list(ran.examined.findings, stops.step_of)
    failed = element("p", ran.error.message, class_="failed") if ran.error is not None else None
    main = element(
        "main",
        scene(
            element("header", element("h1", element("code", cut(name, 80))), listed_findings, curve),
            controls(phases, predicts=bool(questioned), ruler=ruler(found) if found else None),
            element("div", code(stops, tracks), printed(stops, tracks), class_="listing"),
            panel(stops.stops[0].told),
            view(*pictures(stops, lessons, tracks)),
            told(listed(steps(stops, lessons, findings(ran.examined.findings, stops)))),
            is_run=True,
        ),
        element("p", f"The run goes on: a page has {stops.last:,} steps at most.", class_="rule")
        if stops.is_cut
        else None,
        failed,
        remark_list(sorted(notes, key=lambda remark: remark.step)),
        tensors(stops, tracks),
        data_gradcli="lesson",
        data_step=stops.last,
        data_steps=stops.last,
    )
    facts = snippet_document(name, ran.printed, ran.timeline, ran.error, ran.examined.findings)
    data: dict[str, Json] = {"tracks": tracks.document, "questions": questioned, "loss": loss}
    return page(name, main, steps=data, facts=facts)


def findings(found: Sequence[Finding], stops: Stops) -> dict[int, list[str]]:
    """Return what the findings say, by the step of the page at which each stands."""
    texts: dict[int, list[str]] = {}
    for one in found:
        step = stops.step_of(one)
        if step is not None:
            texts.setdefault(step, []).append(" ".join(filter(None, (ended(one.message), one.because))))
    return texts


def steps(stops: Stops, lessons: dict[int, Lesson], found: dict[int, list[str]]) -> Iterator[Html]:
    """Yield the steps of the page, each as it is read without the others; `found` are the findings at each."""
    for number, stop in enumerate(stops.stops):
        notes = said(found.get(number, ()))
        title = f"Line {stop.line}" if stop.line else "Beginning"
        if stop.of is None:
            yield step(number, title, stop.phase, stop.told, notes)
        else:
            yield lessons[id(stop.of)].step(stop.move, f"{title}, {PHASES[stop.phase].lower()}", notes)


def replay(done: Pass, states: dict[str, TensorState]) -> Explanation | None:
    """Return the pass of a later turn, whose graph is that of `done`; None if what is known of it says otherwise."""
    values = {name: state.value for name, state in states.items() if state.value is not None}
    found = replayed(done.walk.explanation, values)
    if found is None:
        return None
    for node in found.nodes:
        known = states[node.id].value if node.kind == "op" and node.id in states else None
        alike = known is None or np.shape(known) == np.shape(node.value)
        if not alike or (known is not None and not np.allclose(known, node.value, 1e-4, 1e-6, equal_nan=True)):
            return None
    return found


def pictures(stops: Stops, lessons: dict[int, Lesson], tracks: Tracks) -> Iterator[Html]:
    """Yield the graphs of the backward passes, each from the end of the one before it on."""
    drawn = stops.passes[:PICTURES]
    for place, done in enumerate(drawn):
        changes = [(0, False), (done.numbers[0], True)]
        if place + 1 < len(drawn):
            changes.append((drawn[place + 1].numbers[0], False))
        view = lessons[id(done)].view(data_shown=tracks.add(changes))
        if view is not None:
            yield view
