"""The step page of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

import numpy as np

from gradcli.explanation.meaning import replayed
from gradcli.explanation.model import Explanation
from gradcli.facts import dataclass
from gradcli.findings.examination import Ran
from gradcli.findings.finding import Finding
from gradcli.homework.diagnose.contributions import Steps
from gradcli.render.findings.page import findings_list
from gradcli.render.page.document import Html, controls, cut, element, numbers_panel, page, panel, scene, view
from gradcli.render.page.lesson import MOST, PHASES, Lesson, listed, questions, step
from gradcli.render.page.picture import Tracks, ended, remark_list, said
from gradcli.render.page.snippet.layers import code, layers, layers_picture, printed, tensors
from gradcli.render.page.snippet.page_steps import Pass, Stop, Stops
from gradcli.render.run.snippet_document import snippet_document
from gradcli.render.text.looks import Asked
from gradcli.script.moments.model import Moments, TensorState
from gradcli.script.timeline.model import Backward, Loop, Returned
from gradcli.stream.values import Json

WIDTH, HEIGHT, EDGE = 600.0, 60.0, 5.0
FEWEST = 3  # losses of a curve


@dataclass(frozen=True, slots=True)
class Turn:
    """A pass of a loop: its number, 0 before the first one, its epoch, its first step, and how many steps it has."""

    number: int
    epoch: str
    first: int
    steps: int


def turns(stops: Sequence[Stop], loop: Loop | None) -> list[Turn]:
    """Return the passes in order; nothing where there is one alone."""
    passes: list[Turn] = []
    epochs = [*epochs_of(loop)] if loop is not None else []
    for number, group in groupby(range(len(stops)), lambda at: stops[at].turn):
        members = list(group)
        epoch = epochs[number - 1] if 0 < number <= len(epochs) else ""
        passes.append(Turn(number, epoch, members[0], len(members)))
    return passes if len(passes) > 2 else []


def epochs_of(loop: Loop) -> Iterator[str]:
    """Yield the label of the epoch of each pass."""
    for epoch in loop.epochs:
        yield from [f"{loop.by or 'pass'} {epoch.label}"] * epoch.passes


def ruler(passes: Sequence[Turn]) -> Html:
    """Return a section for each pass, those of an epoch in one frame."""
    epochs = []
    for epoch, group in groupby(passes, lambda turn: turn.epoch or str(turn.number)):
        members = list(group)
        sections = [
            element("span", class_="pass", data_pass=turn.number, data_share=turn.steps, data_first=turn.first)
            for turn in members
            if turn.number
        ]
        start = element("span", class_="start", data_share=members[0].steps) if not members[0].number else None
        label = element("span", epoch if members[0].number else "start", class_="label")
        share = sum(turn.steps for turn in members)
        bars = element("span", start, *sections, class_="sections")
        epochs.append(element("span", bars, label, class_="epoch", data_share=share, title=epoch))
    return element("div", *epochs, class_="ways passes", aria_hidden="true")


def losses(loop: Loop | None, passes: Sequence[Turn]) -> tuple[Html | None, Json]:
    """Return the curve of the losses with a slider over it, and the first step of each epoch."""
    if loop is None or not passes:
        return None, None
    first = {turn.number: turn.first for turn in passes}
    starts = [0, *accumulate(epoch.passes for epoch in loop.epochs)]
    pairs = [
        (first[start + 1], epoch.loss)
        for start, epoch in zip(starts, loop.epochs, strict=False)
        if epoch.loss is not None and math.isfinite(epoch.loss) and start + 1 in first
    ]
    if len(pairs) < FEWEST:
        return None, None
    values = [loss for _, loss in pairs]
    low, high = min(values), max(values)
    points = [
        (
            EDGE + place * (WIDTH - 2 * EDGE) / (len(values) - 1),
            HEIGHT - EDGE - (value - low) / ((high - low) or 1) * (HEIGHT - 2 * EDGE),
        )
        for place, value in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    by = loop.by or "pass"
    label = f"the loss by {by}, from {values[0]:.6g} to {values[-1]:.6g}"
    curve = element(
        "svg",
        element("polyline", points=line),
        element("path", d=f"M{points[-1][0]:.1f} {points[-1][1]:.1f}h0"),  # a dot, however wide the curve is drawn
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
    )
    ends = {"min": 0, "max": len(values) - 1, "step": 1, "value": len(values) - 1}
    slider = element("input", type="range", **ends, aria_label=f"{by} of the loss curve")
    shown = element("figcaption", f"loss {values[-1]:.6g}")
    figure = element("figure", shown, element("div", curve, slider), class_="loss", data_loss=True)
    steps: list[Json] = [step for step, _ in pairs]
    return figure, {"steps": steps, "values": list(values), "points": [[x, y] for x, y in points], "by": by}


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
    passes = turns(stops.stops, stops.loop)
    curve, loss = losses(stops.loop, passes)
    first = ran.snippet.cells[0].name
    name = first.rpartition(" cell ")[0] or first
    title = name.replace("\\", "/").rpartition("/")[2]
    phases = [stop.phase for stop in stops.stops[1:]]
    notes = dict.fromkeys(remark for lesson in lessons.values() for remark in lesson.notes.remarks)
    listed_findings = findings_list(ran.examined.findings, stops.step_of)
    failed = element("p", ran.error.message, class_="failed") if ran.error is not None else None
    main = element(
        "main",
        scene(
            element("header", element("h1", element("code", cut(title, 80))), listed_findings, curve),
            controls(phases, predicts=bool(questioned), ruler=ruler(passes) if passes else None),
            element("div", code(stops, tracks), printed(stops, tracks), class_="listing"),
            panel(stops.stops[0].says),
            view(*pictures(stops, lessons, tracks)),
            numbers_panel(listed(steps(stops, lessons, findings(ran.examined.findings, stops)))),
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
    return page(title, main, steps=data, facts=facts)


def findings(all_findings: Sequence[Finding], stops: Stops) -> dict[int, list[str]]:
    """Return what the findings say, by the step of the page at which each stands."""
    texts: dict[int, list[str]] = {}
    for finding in all_findings:
        step = stops.step_of(finding)
        if step is not None:
            texts.setdefault(step, []).append(" ".join(filter(None, (ended(finding.message), finding.because))))
    return texts


def steps(stops: Stops, lessons: dict[int, Lesson], texts: dict[int, list[str]]) -> Iterator[Html]:
    """Yield the steps of the page, each as it is read without the others; `texts` are the findings at each."""
    epochs = [] if stops.loop is None else [*epochs_of(stops.loop)]
    for number, stop in enumerate(stops.stops):
        notes = said(texts.get(number, ()))
        title = f"Line {stop.line}" if stop.line else "Beginning"
        if stop.quiet and 0 < stop.turn <= len(epochs):
            epoch = epochs[stop.turn - 1]
            title = f"{'All of' if epochs.count(epoch) == 1 else 'In'} {epoch}"
        if stop.of is None:
            lines = (element("p", line, class_="why") for line in stop.worked)
            yield step(number, title, stop.phase, stop.says, notes, *lines)
        else:
            yield lessons[id(stop.of)].step(stop.move, f"{title}, {PHASES[stop.phase].lower()}", notes)


def replay(done: Pass, states: dict[str, TensorState]) -> Explanation | None:
    """Return the pass of a later turn, whose graph is that of `done`; None if what is known of it says otherwise."""
    values = {name: state.value for name, state in states.items() if state.value is not None}
    explanation = replayed(done.walk.explanation, values)
    if explanation is None:
        return None
    for node in explanation.nodes:
        known = states[node.id].value if node.kind == "op" and node.id in states else None
        alike = known is None or np.shape(known) == np.shape(node.value)
        if not alike or (known is not None and not np.allclose(known, node.value, 1e-4, 1e-6, equal_nan=True)):
            return None
    return explanation


def pictures(stops: Stops, lessons: dict[int, Lesson], tracks: Tracks) -> Iterator[Html]:
    """Yield the graphs of the backward passes, each from the end of the one before it on, and first of all the layers.

    Where there are none, the first graph is there from the start.
    """
    drawn = stops.passes[:PICTURES]
    network = None
    if drawn:
        network = layers_picture(layers(drawn[0]), tracks.add([(0, True), (drawn[0].numbers[0], False)]))
    if network is not None:
        yield network
    for place, done in enumerate(drawn):
        changes = [(0, not place and network is None), (done.numbers[0], True)]
        if place + 1 < len(drawn):
            changes.append((drawn[place + 1].numbers[0], False))
        view = lessons[id(done)].view(data_shown=tracks.add(changes))
        if view is not None:
            yield view
