"""The progress of a loop that trains, as a table by epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len

from gradcli.render.text.layout import GAP, INDENT, Row, Section
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
    kind = "passes" if not loop.by else "epochs" if "epoch" in loop.by.lower() else "steps"
    counted = f"{loop.count:,} {kind}"
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
    head = (visible(loop.by or "pass"), "mean loss" if is_mean else "loss", *norms, *dead)
    table = [head, *(_cells(epoch, layers, looks, has_units=has_units) for epoch in epochs)]
    for block, columns in enumerate(_blocks(table, looks.width)):
        if block:
            yield Row(("further columns",), "aside")
        for place, cells in enumerate(table):
            yield Row(tuple(cells[column] for column in columns), "" if place else "aside")
    if len(epochs) < loop.count:
        yield Row((f"{len(epochs)} of {loop.count:,}: --all shows more",), "aside")
    if hidden:
        yield Row((f"{hidden} more layers: --all shows each",), "aside")


def _blocks(table: Sequence[Sequence[str]], width: int | None) -> list[list[int]]:
    """Return the columns that fit on a line together, each time with the first."""
    widths = [max(cell_len(cells[column]) for cells in table) for column in range(len(table[0]))]
    blocks, used = [[0]], INDENT + widths[0]
    for column, size in enumerate(widths[1:], start=1):
        if width is not None and used + GAP + size > width and len(blocks[-1]) > 1:
            blocks.append([0])
            used = INDENT + widths[0]
        blocks[-1].append(column)
        used += GAP + size
    return blocks


def _cells(epoch: Epoch, layers: list[str], looks: Looks, *, has_units: bool) -> tuple[str, ...]:
    norms = dict(epoch.norms)
    loss = "" if epoch.loss is None else number(epoch.loss, looks.precision)
    cells = (number(norms[name], looks.precision) if name in norms else "" for name in layers)
    dead = [f"{epoch.dead} of {epoch.units}"] if has_units else []
    return visible(epoch.label), loss, *cells, *dead


def _spread(epochs: tuple[Epoch, ...]) -> list[Epoch]:
    if len(epochs) <= MOST:
        return list(epochs)
    return [epochs[place * (len(epochs) - 1) // (MOST - 1)] for place in range(MOST)]
