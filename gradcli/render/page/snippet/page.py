"""The step page of a run."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.findings.examination import Ran
from gradcli.homework.diagnose.contributions import Steps
from gradcli.render.display_options import Asked
from gradcli.render.findings.page import findings_list
from gradcli.render.page.controls import about, controls, panel
from gradcli.render.page.document import page
from gradcli.render.page.html import Html, cut, element
from gradcli.render.page.lesson import PHASES, Lesson, listed, step
from gradcli.render.page.questions import MOST, questions
from gradcli.render.page.snippet.page_steps import Stops
from gradcli.render.page.snippet.tables import code, printed, tensors
from gradcli.render.page.tracks import Tracks
from gradcli.render.run.snippet_document import snippet_document
from gradcli.script.moments.model import Moments
from gradcli.script.timeline.model import Backward, Returned
from gradcli.stream.values import Json

PICTURES = 12  # backward passes whose graph is drawn


def run_page(ran: Ran, asked: Asked) -> str:
    """Return the page of a run, whose document is that of `run --json`."""
    moments = ran.moments or Moments(())
    stops, tracks = Stops(ran, moments, asked), Tracks()
    lessons = {id(done): Lesson(done.walk, asked, tracks, done.numbers) for done in stops.passes}
    questioned: dict[str, Json] = {}
    for done in stops.passes[:PICTURES]:
        evaluation = moments.graphs.get(done.number)
        graph = None if evaluation is None else Steps(evaluation, "")
        event = ran.timeline.events[done.number]
        explanation = event.explanation if isinstance(event, Backward | Returned) else None
        assert explanation is not None
        terms, room = lessons[id(done)].terms, MOST - len(questioned)
        questioned |= questions(done.walk, explanation, terms, done.numbers, graph, room)
    first = ran.snippet.cells[0].name
    name = first.rpartition(" cell ")[0] or first
    main = element(
        "main",
        element("header", element("h1", element("code", cut(name, 80)))),
        findings_list(ran.examined.findings, stops.step_of),
        controls([stop.phase for stop in stops.stops[1:]], predicts=bool(questioned)),
        element("div", code(stops, tracks), printed(stops, tracks), class_="listing"),
        panel(stops.stops[0].told),
        element("div", *pictures(stops, lessons, tracks), about(), class_="view"),
        listed(steps(stops, lessons)),
        element("p", f"The run goes on: a page has {stops.last:,} steps at most.", class_="rule")
        if stops.is_cut
        else None,
        element("p", ran.error.message, class_="failed") if ran.error is not None else None,
        tensors(stops, tracks),
        class_="run",
        data_gradcli="lesson",
        data_step=stops.last,
        data_steps=stops.last,
    )
    facts = snippet_document(name, ran.printed, ran.timeline, ran.error, ran.examined.findings)
    return page(name, main, steps={"tracks": tracks.document, "questions": questioned}, facts=facts)


def steps(stops: Stops, lessons: dict[int, Lesson]) -> Iterator[Html]:
    """Yield the steps of the page, each as it is read without the others."""
    for number, stop in enumerate(stops.stops):
        title = f"Line {stop.line}" if stop.line else "Beginning"
        if stop.of is None:
            yield step(number, title, stop.phase, stop.told)
        else:
            yield lessons[id(stop.of)].step(stop.move, f"{title}, {PHASES[stop.phase].lower()}")


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
