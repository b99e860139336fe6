"""The progress of a loop that trains, as a table by epoch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradcli.render.text.layout import INDENT, Row, Section
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import number
from gradcli.script.timeline.model import Epoch, Loop
from gradcli.source import visible

MOST = 12  # epochs of a table, unless all are asked for
LAYERS = 6
ENOUGH = 11  # losses for a curve
WIDTH = 80


def training(loop: Loop, looks: Looks, *, all: bool) -> Section:
    """Return the table: of many epochs some evenly spread, of many layers the first and the last."""
    counted = f"{loop.count:,} {'epochs' if loop.by else 'passes'}"
    return Section(f"Training, {counted} from line {loop.line}", [*_rows(loop, looks, all=all), *_curve(loop, looks)])


def _curve(loop: Loop, looks: Looks) -> Iterator[Row]:
    """Yield the losses as a curve, where there are enough of them."""
    losses = [epoch.loss for epoch in loop.epochs if epoch.loss is not None]
    if len(losses) < ENOUGH:
        return
    from gradcli.render.plot.charts import loss_chart
    from gradcli.render.plot.terminal import drawn

    narrow = replace(looks, width=min(looks.width or WIDTH, WIDTH) - INDENT, color=False)
    for line in drawn(loss_chart(losses, loop.by or "pass"), narrow).split("\n"):
        yield Row((line,), "curve")


def _rows(loop: Loop, looks: Looks, *, all: bool) -> Iterator[Row]:
    epochs = loop.epochs if all else _spread(loop.epochs)
    names = [name for name, _ in loop.epochs[0].norms]
    hidden = 0 if all else max(0, len(names) - LAYERS)
    layers = [*names[: LAYERS // 2], *names[len(names) - LAYERS // 2 :]] if hidden else names
    is_mean = any(epoch.passes > 1 for epoch in loop.epochs)
    has_units = any(epoch.units for epoch in loop.epochs)
    norms = [f"|{visible(name)}.grad|" for name in layers]
    dead = ["dead units"] * has_units
    yield Row((visible(loop.by or "pass"), "mean loss" if is_mean else "loss", *norms, *dead), "aside")
    yield from (_row(epoch, layers, looks, has_units=has_units) for epoch in epochs)
    if len(epochs) < loop.count:
        yield Row((f"{len(epochs)} of {loop.count:,}: --all shows more",), "aside")
    if hidden:
        yield Row((f"{hidden} more layers: --all shows each",), "aside")


def _row(epoch: Epoch, layers: list[str], looks: Looks, *, has_units: bool) -> Row:
    norms = dict(epoch.norms)
    loss = "" if epoch.loss is None else number(epoch.loss, looks.precision)
    cells = (number(norms[name], looks.precision) if name in norms else "" for name in layers)
    dead = [f"{epoch.dead} of {epoch.units}"] if has_units else []
    return Row((visible(epoch.label), loss, *cells, *dead))


def _spread(epochs: tuple[Epoch, ...]) -> list[Epoch]:
    if len(epochs) <= MOST:
        return list(epochs)
    return [epochs[place * (len(epochs) - 1) // (MOST - 1)] for place in range(MOST)]
