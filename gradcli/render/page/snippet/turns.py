"""The backward passes of a loop on the page: sections of the ruler, folded by epoch, and the curve of the losses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from gradcli.facts import dataclass
from gradcli.render.page.html import Html, element
from gradcli.render.page.snippet.page_steps import Stop
from gradcli.script.timeline.model import Loop
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
    found: list[Turn] = []
    epochs = [*epochs_of(loop)] if loop is not None else []
    for number, group in groupby(range(len(stops)), lambda at: stops[at].turn):
        own = list(group)
        epoch = epochs[number - 1] if 0 < number <= len(epochs) else ""
        found.append(Turn(number, epoch, own[0], len(own)))
    return found if len(found) > 2 else []


def epochs_of(loop: Loop) -> Iterator[str]:
    """Yield the label of the epoch of each pass."""
    for epoch in loop.epochs:
        yield from [f"{loop.by or 'pass'} {epoch.label}"] * epoch.passes


def ruler(found: Sequence[Turn]) -> Html:
    """Return a section for each pass, those of an epoch in one frame."""
    epochs = []
    for epoch, group in groupby(found, lambda turn: turn.epoch or str(turn.number)):
        own = list(group)
        sections = [
            element("span", class_="pass", data_pass=turn.number, data_share=turn.steps, data_first=turn.first)
            for turn in own
            if turn.number
        ]
        start = element("span", class_="start", data_share=own[0].steps) if not own[0].number else None
        label = element("span", epoch if own[0].number else "start", class_="label")
        share = sum(turn.steps for turn in own)
        bars = element("span", start, *sections, class_="sections")
        epochs.append(element("span", bars, label, class_="epoch", data_share=share, title=epoch))
    return element("div", *epochs, class_="ways passes", aria_hidden="true")


def losses(loop: Loop | None, found: Sequence[Turn]) -> tuple[Html | None, Json]:
    """Return the curve of the losses with a slider over it, and the first step of each epoch."""
    if loop is None or not found:
        return None, None
    first = {turn.number: turn.first for turn in found}
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
    told = f"the loss by {by}, from {values[0]:.6g} to {values[-1]:.6g}"
    curve = element(
        "svg",
        element("polyline", points=line),
        element("circle", cx=f"{points[-1][0]:.1f}", cy=f"{points[-1][1]:.1f}", r=5),
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        preserveAspectRatio="none",
        role="img",
        aria_label=told,
    )
    ends = {"min": 0, "max": len(values) - 1, "step": 1, "value": len(values) - 1}
    slider = element("input", type="range", **ends, aria_label=f"{by} of the loss curve")
    shown = element("figcaption", f"loss {values[-1]:.6g}")
    figure = element("figure", shown, element("div", curve, slider), class_="loss", data_loss=True)
    steps: list[Json] = [step for step, _ in pairs]
    return figure, {"steps": steps, "values": list(values), "points": [[x, y] for x, y in points], "by": by}
