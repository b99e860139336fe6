"""The timeline of a run: each line of the snippet that did something, and below it what it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from gradcli.explanation.model import Explanation
from gradcli.language.unparser import unparse
from gradcli.render.layout import Row, Section, lay_out
from gradcli.render.looks import Looks
from gradcli.render.numbers import short
from gradcli.render.page import chain_rule, forward, locals_, shown
from gradcli.render.terms import Terms
from gradcli.script.timeline.model import (
    Asked,
    Backward,
    Changed,
    Event,
    Failed,
    Forward,
    LeafState,
    Reset,
    Timeline,
    Updated,
)
from gradcli.source import Source, visible


def timeline_page(timeline: Timeline, looks: Looks, *, all: bool = False) -> str:
    """The whole run as text; of long sections the beginning, unless `all` is asked for."""
    seen: set[tuple[Source, int]] = set()
    sections = [
        Section(heading(source, line), list(rows(list(events), seen, looks, all=all)))
        for (source, line), events in groupby(timeline.events, lambda event: (event.source, event.line))
    ]
    if timeline.leaves:
        sections.append(Section("Leaves at the end", [leaf(one, looks) for one in timeline.leaves]))
    if not sections:
        return "nothing to explain: the snippet computes no tensors"
    return lay_out([section for section in sections if section.rows], looks)


def heading(source: Source, line: int) -> str:
    """A line of the snippet with its number, and its cell where there are several."""
    cell = source.name.rpartition(" cell ")[2] if " cell " in source.name else ""
    return f"{f'cell {cell} ' * bool(cell)}line {line}: {visible(source.line(line).strip())}"


def rows(events: Sequence[Event], seen: set[tuple[Source, int]], looks: Looks, *, all: bool) -> Iterator[Row]:
    """What the events of a line say; a pass that ran before is not shown in full again, unless all is asked for."""
    for event in events:
        if isinstance(event, Backward):
            again = (event.source, event.line) in seen and not all
            seen.add((event.source, event.line))
            yield from backward(event, looks, again=again, all=all)
        else:
            yield from event_rows(event, looks, all=all)
    more = max(event.times for event in events) - 1
    if more:
        yield Row((f"{looks.ellipsis} and {more:,} more time{'s' * (more > 1)}: --all shows each",), "aside")


def event_rows(event: Event, looks: Looks, *, all: bool) -> Iterator[Row]:
    """What one event says."""
    match event:
        case Forward():
            yield from shown(
                [
                    Row(
                        (
                            visible(made.name),
                            f"= {visible(unparse(made.expression, multiply=looks.times))}",
                            made.grad_fn or "no graph",
                            "" if made.value is None else f"= {value(made.value, looks)}",
                        )
                    )
                    for made in event.made
                ],
                looks,
                all=all,
            )
        case Changed():
            new = value(event.value, looks)
            yield Row((visible(event.name), f"{looks.arrow} {new}", f"in place, version {event.version}"))
        case Updated():
            yield Row((f"{visible(event.optimizer)} changes",))
            for name, before, after in event.parameters:
                yield Row((visible(name), change(before, after, looks)))
        case Reset():
            what = "None" if event.to_none else "0"
            yield Row((f"{', '.join(f'{visible(name)}.grad' for name in event.names)} {looks.arrow} {what}",))
        case Asked():
            yield Row((f"{visible(event.name)}.grad is None: {visible(event.message)}",), "note")
        case Failed():
            yield Row((visible(event.message),), "note")
            yield from (Row((visible(note.message),), "note") for note in event.notes)


def backward(event: Backward, looks: Looks, *, again: bool, all: bool) -> Iterator[Row]:
    """One pass: derivatives on the edges, the chain rule, and what arrived at the leaves."""
    if again:
        yield Row((f"backward from {visible(event.output)} again",), "aside")
    elif event.explanation is not None:
        yield from lesson(event.explanation, looks, all=all)
    else:
        yield Row((f"backward from {visible(event.output)}: the graph is too large to show",), "aside")
    if event.accumulated:
        yield Row(("into the leaves",), "aside")
    for one in event.accumulated:
        gradient = "" if one.before is None else f"{value(one.before, looks)} + {value(one.gradient, looks)} = "
        yield Row((f"{visible(one.name)}.grad", f"{looks.arrow} {gradient}{value(one.after, looks)}"), "result")
    for note in event.notes:
        yield Row((visible(note.message),), "note")


def lesson(explanation: Explanation, looks: Looks, *, all: bool) -> Iterator[Row]:
    """The forward pass, the local derivatives, and the chain rule."""
    terms = Terms(explanation, looks)
    tables = (("forward", forward), ("local derivatives", locals_), ("chain rule, newest node first", chain_rule))
    for title, table in tables:
        found = table(explanation, terms)
        if found:
            yield Row((title,), "aside")
            yield from shown(found, looks, all=all)
    for note in explanation.notes:
        if note.code != "unused":
            yield Row((visible(note.message),), "note")


def change(before: object, after: object, looks: Looks) -> str:
    if before is None:
        return f"{looks.arrow} {value(after, looks)}"
    return f"{value(before, looks)} {looks.arrow} {value(after, looks)}"


def leaf(state: LeafState, looks: Looks) -> Row:
    """A leaf as the run left it."""
    gradient = value(state.grad, looks) if state.grad is not None else "None"
    reason = visible(state.reason) if state.reason and state.grad is None else ""
    return Row((visible(state.name), f"= {value(state.value, looks)}", f".grad = {gradient}", reason), "result")


def value(number: object, looks: Looks) -> str:
    if number is None:
        return looks.ellipsis
    return short(number, looks.precision, ascii=looks.ascii, width=48)
