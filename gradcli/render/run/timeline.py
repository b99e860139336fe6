"""The timeline of a run: each line of the snippet that did something, and its events below it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from rich.cells import cell_len

from gradcli.explanation.model import Explanation, Note
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Name
from gradcli.language.unparser import unparse
from gradcli.render.lesson.page import chain_rule, formulas, forward, locals_, shown
from gradcli.render.lesson.terms import Terms, factor
from gradcli.render.text.layout import GAP, INDENT, Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import grid, number
from gradcli.script.timeline.model import (
    Accumulated,
    Asked,
    Backward,
    Changed,
    Epoch,
    Event,
    Failed,
    Forward,
    LeafState,
    Loop,
    Named,
    Reset,
    Returned,
    Timeline,
    Update,
    Updated,
    UpdateLine,
)
from gradcli.script.timeline.passes import as_written
from gradcli.script.timeline.reasons import list_names, of, of_several
from gradcli.source import Source, visible

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


WORKED = 2  # parameters whose update is worked out, unless all are asked for


def updated(event: Updated, looks: Looks, *, all: bool) -> Iterator[Row]:
    """Yield the rows of a step: the parameters, and for the first of them how they come about."""
    changed = [Row((visible(name), *change(before, after, looks))) for name, before, after in event.parameters]
    if changed:
        yield Row((f"{visible(event.optimizer)} changes",), "aside")
        yield from shown(changed, looks, all=all)
    for update in event.updates if all else event.updates[:WORKED]:
        yield Row((how_changed(update, looks),), "aside")
        yield from (line(row, update, looks) for row in update.lines)


def how_changed(update: Update, looks: Looks) -> str:
    """Return `how w[1] changes, with lr=0.1 momentum=0.9`: of an array one entry, whose numbers the lines have."""
    entry = f"{list(update.entry) or ''}"
    options = " ".join(f"{name}={number(value, looks.precision)}" for name, value in update.options)
    return f"how {visible(update.name)}{entry} changes{f', with {options}' if options else ''}"


def line(row: UpdateLine, update: Update, looks: Looks) -> Row:
    """Return `buf ← momentum·buf + grad`, the same with numbers put in, and the result."""
    times, becomes = looks.times, "<-" if looks.ascii else "←"
    numbers = {name: Name(factor(number(value, looks.precision))) for name, value in row.operands}
    called = {name: snippet_name(name, update) for name, _ in row.operands}
    formula = unparse(row.formula, multiply=times, rename=called)
    result = number(row.value, looks.precision)
    put_in = result if isinstance(row.formula, Name) else unparse(substitute(row.formula, numbers), multiply=times)
    put_in = re.sub(r"^\((-[^()]*)\)(?= [+-])", r"\1", put_in)
    sides = dict.fromkeys(text for text in (formula, put_in, result))
    first, *others = sides
    return Row((snippet_name(row.target, update), f"{becomes} {first}", *(f"= {side}" for side in others)))


def snippet_name(name: str, update: Update) -> str:
    """Return the name that the snippet has for the parameter, and any other name as it is."""
    return visible(update.name) if name == "w" else name


def change(before: object, after: object, looks: Looks) -> Iterator[str]:
    if before is not None:
        yield written(before, looks)
    yield f"{looks.arrow} {written(after, looks)}"


def written(value: object, looks: Looks) -> str:
    """Return a value, a matrix that does not fit on a line in rows; dots for one that is too large to be kept."""
    return looks.ellipsis if value is None else grid(value, looks, 48)


def timeline_page(
    timeline: Timeline,
    looks: Looks,
    *,
    all: bool = False,
    failed: bool = False,
    why: bool = False,
    torch_nodes: bool = False,
) -> str:
    """The whole run as text; of long sections the beginning, unless `all` is asked for.

    With `why` it says in full why the rules of tensors hold, with `torch_nodes` also what torch inserts by itself.

    A run that `failed` before it built anything has nothing to say.
    """
    return lay_out(timeline_sections(timeline, looks, all=all, failed=failed, why=why, torch_nodes=torch_nodes), looks)


def timeline_sections(
    timeline: Timeline, looks: Looks, *, all: bool, failed: bool, why: bool, torch_nodes: bool = False
) -> list[Section]:
    """Return the sections of the page that have rows."""
    looks = replace(looks, whole=all)
    shown = timeline.events if torch_nodes else map(as_written, timeline.events)
    seen: set[tuple[Source, int]] = set()
    sections = [
        Section(heading(source, line), list(rows(list(events), seen, looks, all=all, why=why)))
        for (source, line), events in groupby(shown, lambda event: (event.source, event.line))
    ]
    sections.extend(training(loop, looks, all=all) for loop in timeline.training)
    if timeline.leaves:
        sections.append(Section("Leaves at the end", list(endings(timeline, looks, all=all, failed=failed))))
    if not sections and not failed:
        sections.append(Section("", [Row(("nothing to explain: the snippet computes no tensors",))]))
    return [section for section in sections if section.rows]


def heading(source: Source, line: int) -> str:
    """A line of the snippet with its number, and its cell where there are several."""
    cell = source.name.rpartition(" cell ")[2] if " cell " in source.name else ""
    return f"{f'cell {cell} ' * bool(cell)}line {line}: {visible(source.line(line).strip())}"


def rows(
    events: Sequence[Event], seen: set[tuple[Source, int]], looks: Looks, *, all: bool, why: bool
) -> Iterator[Row]:
    """Yield the rows of the events of a line; a pass that ran before is shown in full again only with `all`."""
    for event in events:
        if isinstance(event, Backward):
            again = (event.source, event.line) in seen and not all
            seen.add((event.source, event.line))
            yield from backward(event, looks, again=again, all=all, why=why)
        else:
            yield from event_rows(event, looks, all=all, why=why)
    more = max(event.times for event in events) - 1
    if more:
        yield Row((f"{looks.ellipsis} and {more:,} more time{'s' * (more > 1)}: --all shows each",), "aside")


def event_rows(event: Event, looks: Looks, *, all: bool, why: bool) -> Iterator[Row]:
    """Yield the rows of one event."""
    match event:
        case Forward():
            yield from shown(
                [
                    Row(
                        (
                            visible(made.name),
                            f"= {visible(unparse(made.expression, multiply=looks.times))}",
                            made.grad_fn or "no graph",
                            "" if made.value is None else f"= {written(made.value, looks)}",
                        )
                    )
                    for made in event.made
                ],
                looks,
                all=all,
            )
        case Named():
            yield Row((visible(event.name), f"= {visible(event.before)}"))
        case Changed():
            how = "behind the back of autograd: .data, detach(), numpy()" if event.through_data else "in place"
            remark = how if event.through_data else f"{how}, version {event.version}"
            yield Row((visible(event.name), f"{looks.arrow} {written(event.value, looks)}", remark))
        case Returned():
            yield from returned(event, looks, all=all, why=why)
        case Updated():
            yield from updated(event, looks, all=all)
            yield from remarks(event.notes)
        case Reset():
            reset = "None" if event.to_none else "0"
            yield Row((f"{list_names(f'{visible(name)}.grad' for name in event.names)} {looks.arrow} {reset}",))
        case Asked():
            reason = of(event.name, event.message) if event.message.startswith("it ") else event.message
            yield Row((visible(f"{event.name}.grad is None: {reason}"),), "note")
        case Failed():
            yield Row((visible(f"{event.error}: {first_sentence(event.message)}"),), "note")


def remarks(notes: Iterable[Note]) -> Iterator[Row]:
    """Each on a line of its own."""
    return (Row((visible(note.message),), "note") for note in notes)


def first_sentence(message: str) -> str:
    """Return the first sentence of a message: torch's are long, and whole where the run ends."""
    return re.split(r"(?<=[^.\d])\. (?=[A-Z])|\n", message, maxsplit=1)[0]


def backward(event: Backward, looks: Looks, *, again: bool, all: bool, why: bool) -> Iterator[Row]:
    """Yield the rows of a pass: derivatives on the edges, the chain rule, and the gradients into the leaves."""
    if again:
        yield Row((f"backward from {visible(event.output)} again",), "aside")
    else:
        yield from lesson(event, looks, all=all, why=why)
    for title, arrivals in (("into the leaves", event.accumulated), ("kept by retain_grad()", event.retained)):
        if arrivals:
            yield Row((title,), "aside")
            yield from shown([arrival(leaf, looks) for leaf in arrivals], looks, all=all)
    yield from remarks(event.notes)


def arrival(leaf: Accumulated, looks: Looks) -> Row:
    """Return the row of a `.grad`: its value before, the gradient added, and its value after."""
    parts = [] if leaf.before is None else [written(leaf.before, looks), f"+ {factor(written(leaf.gradient, looks))}"]
    parts.append("= " * bool(parts) + written(leaf.after, looks))
    is_matrix = any("\n" in part for part in parts)  # each below the other, or one sum
    first, *others = parts if is_matrix else [" ".join(parts)]
    former = f"of the leaf that was {visible(leaf.name)} until line {leaf.renamed}" if leaf.renamed else ""
    return Row((f"{visible(leaf.name)}.grad", f"{looks.arrow} {first}", *others, former), "result")


def returned(event: Returned, looks: Looks, *, all: bool, why: bool) -> Iterator[Row]:
    """Yield the rows of a pass of `torch.autograd.grad`: the same, and the returned gradients."""
    yield from lesson(event, looks, all=all, why=why)
    yield Row(("returned",), "aside")
    for name, gradient in event.gradients:
        text = "None" if gradient is None else written(gradient, looks)
        yield Row((f"{looks.partial}{visible(event.output)}/{looks.partial}{visible(name)}", f"= {text}"), "result")
    yield from remarks(event.notes)


def lesson(event: Backward | Returned, looks: Looks, *, all: bool, why: bool) -> Iterator[Row]:
    """The forward pass, the local derivatives, the chain rule, and the gradients as formulas."""
    explanation = event.explanation
    if explanation is None:
        cause = "the graph is too large, or has several outputs"
        yield Row((f"backward from {visible(event.output)}, without its steps: {cause}",), "aside")
        return
    terms = Terms(explanation, looks)
    tables = (
        ("forward", forward),
        ("local derivatives", partial(locals_, why=why)),
        ("chain rule, newest node first", chain_rule),
        ("gradients as formulas", formulas),
    )
    for title, table in tables:
        rows = table(explanation, terms)
        if rows:
            yield Row((title,), "aside")
            if table is forward:
                yield from later_values(explanation)
            yield from shown(rows, looks, all=all)
    answered = {"unused"} | (
        {"gradient-not-finite"} if any(note.code == "not-finite" for note in event.notes) else set()
    )
    yield from remarks(note for note in explanation.notes if note.code not in answered)


def later_values(explanation: Explanation) -> Iterator[Row]:
    """Say what `h_2` is, where a name of the snippet meant one tensor after the other."""
    changed = {note.node for note in explanation.notes if note.code == "changed"}
    names = [node.name for node in explanation.nodes if node.name not in changed]
    for name in names:
        base, _, number = name.rpartition("_")
        if number == "2" and base in names:
            yield Row((visible(f"{name} is the second tensor called {base}, and so on"),), "aside")
            return


def endings(timeline: Timeline, looks: Looks, *, all: bool, failed: bool) -> Iterator[Row]:
    """Yield the leaves as the run left them, and each reason for a missing gradient once."""
    yield from shown([leaf(state, looks) for state in timeline.leaves], looks, all=all)
    reasons: dict[str, list[str]] = {}
    explained = {(event.name, event.message) for event in timeline.events if isinstance(event, Asked)}
    passed = any(isinstance(event, Backward | Returned) for event in timeline.events)
    for state in timeline.leaves if passed or not failed else ():
        if state.reason and (state.name, state.reason) not in explained:
            reasons.setdefault(state.reason, []).append(f"{visible(state.name)}.grad")
    for reason, names in reasons.items():
        why = f"is None: {reason}" if len(names) == 1 else f"are None: {of_several(reason)}"
        yield Row((f"{list_names(names)} {visible(why)}",), "note")
    yield from remarks(timeline.notes)


def leaf(state: LeafState, looks: Looks) -> Row:
    """A leaf as the run left it."""
    gradient = ".grad is None" if state.reason else f".grad = {written(state.grad, looks)}"
    renamed = f"until line {state.renamed}" if state.renamed else ""
    return Row((visible(state.name), f"= {written(state.value, looks)}", gradient, renamed), "result")
