"""The sentences about what a line of a snippet did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from gradcli.explanation.model import Value
from gradcli.language.unparser import unparse
from gradcli.render.page.document import cut
from gradcli.render.page.parts import ended
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.script.moments.model import TensorState
from gradcli.script.timeline.model import Changed, Event, Forward, Made, Reset, Updated
from gradcli.script.timeline.reasons import listed

FORMULA = 80
FEW = 3  # entries of a tensor whose new numbers are told
MOST = 4  # operations of a line that are told one by one


def written(value: Value | None, looks: Looks, width: int = 44) -> str:
    """Return a value on a line; dots for one that is too large to be kept."""
    return "…" if value is None else short(value, looks.precision, width=width)


def told(events: Sequence[Event], looks: Looks) -> Iterator[str]:
    """Yield the sentences about the events of a line."""
    for event in events:
        yield from of_event(event, looks)
    times = max(event.times for event in events)
    if times > 1:
        yield f"The line does the same {times:,} times; this is the first of them."


def of_event(event: Event, looks: Looks) -> Iterator[str]:
    """Yield the sentences about one event."""
    match event:
        case Forward():
            yield from (computed(made, looks) for made in event.made[:MOST])
            if len(event.made) > MOST:
                yield f"{more(len(event.made), 'operation')} on this line."
        case Changed():
            how = (
                "behind the back of autograd" if event.through_data else f"in place: it is now version {event.version}"
            )
            yield f"{event.name} becomes {written(event.value, looks)}, {how}."
        case Reset():
            becomes = "become" if len(event.names) > 1 else "becomes"
            names = listed([f"{name}.grad" for name in event.names], MOST)
            yield f"{names} {becomes} {'None' if event.to_none else 0}."
        case Updated():
            yield from updated(event, looks)
        case _:
            from gradcli.render.run.timeline import event_rows  # the lines of `run --explain`

            for row in event_rows(event, looks, all=False, why=False):
                yield ended(" ".join(filter(None, row.cells)))


def updated(event: Updated, looks: Looks) -> Iterator[str]:
    """Yield what the step of an optimizer changes, and how the first parameters come about."""
    from gradcli.render.run import timeline  # the lines of `run --explain`

    for name, before, after in event.parameters[:MOST]:
        yield f"{event.optimizer} changes {name} from {written(before, looks)} to {written(after, looks)}."
    if len(event.parameters) > MOST:
        yield f"{more(len(event.parameters), 'parameter')}."
    for update in event.updates[: timeline.WORKED]:
        lines = [" ".join(timeline.line(one, update, looks).cells) for one in update.lines]
        yield ended(f"This is {timeline.told(update, looks)}: {'; '.join(lines)}")
    yield from (ended(note.message) for note in event.notes)


def few(sentences: Sequence[str]) -> str:
    """Return the first of many sentences, and how many there are."""
    told = " ".join(sentences[:MOST])
    return told if len(sentences) <= MOST else f"{told} The table shows {len(sentences) - MOST:,} more changes."


def more(count: int, noun: str) -> str:
    """Return `2 more operations follow`, of which the first ones were told."""
    rest = count - MOST
    return f"1 more {noun} follows" if rest == 1 else f"{rest:,} more {noun}s follow"


def computed(made: Made, looks: Looks) -> str:
    """Return what an operation computed."""
    sides = [made.name, cut(unparse(made.expression, multiply="·"), FORMULA), written(made.value, looks)]
    equation = " = ".join(dict.fromkeys(filter(None, sides)))
    if made.grad_fn is None:
        return f"{equation}, outside the graph: it has no grad_fn."
    return f"{equation}, and its grad_fn is {made.grad_fn}."


def found(states: Iterable[TensorState], known: Mapping[str, TensorState], looks: Looks) -> Iterator[str]:
    """Yield what is new about tensors, where no event tells it; `known` is how they stood before.

    Of large ones a sentence has the names alone.
    """
    large = []
    for state in states:
        if state.name not in known:
            yield from new(state, looks)
        elif state.value is None or np.size(state.value) <= FEW:
            yield from changes(known[state.name], state, looks)
        elif told := list(changes(known[state.name], state, looks)):
            large += [one.partition(" becomes ")[0] for one in told if " becomes " in one and not one.endswith("None.")]
            yield from (one for one in told if " becomes " not in one or one.endswith("None."))
    if large:
        yield f"{listed(large, MOST)} {'has' if len(large) == 1 else 'have'} new numbers."


def new(state: TensorState, looks: Looks) -> Iterator[str]:
    """Yield what a tensor is that a line has made without an operation."""
    kind = "a leaf that requires grad" if state.requires_grad else "a plain tensor, without a gradient"
    if state.grad_fn is not None:
        kind = f"the result of {state.grad_fn}"
    yield f"{state.name} = {written(state.value, looks)} is {kind}."


def changes(before: TensorState, state: TensorState, looks: Looks) -> Iterator[str]:
    """Yield how a tensor differs from the one that had its name, as far as its table shows."""
    if state.version != before.version or not same(state.value, before.value):
        yield f"{state.name} becomes {written(state.value, looks)}."
    if state.requires_grad != before.requires_grad:
        yield f"{state.name} {'requires' if state.requires_grad else 'does not require'} grad from here on."
    if state.has_grad != before.has_grad or not same(state.grad, before.grad):
        yield f"{state.name}.grad becomes {written(state.grad, looks) if state.has_grad else 'None'}."


def same(value: Value | None, other: Value | None) -> bool:
    """Whether two values that were kept are the same."""
    if value is None or other is None:
        return value is other
    return np.shape(value) == np.shape(other) and bool(np.array_equal(value, other, equal_nan=True))
