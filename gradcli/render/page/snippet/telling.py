"""The sentences about what a line of a snippet did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradcli.explanation.model import Value
from gradcli.language.unparser import unparse
from gradcli.render.page.html import cut
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.script.moments.model import TensorState
from gradcli.script.timeline.model import Event, Forward, Made

FORMULA = 80
MOST = 4  # operations of a line that are told one by one


def written(value: Value | None, looks: Looks, width: int = 44) -> str:
    """Return a value on a line; dots for one that is too large to be kept."""
    return "…" if value is None else short(value, looks.precision, width=width)


def told(event: Event, looks: Looks) -> Iterator[str]:
    """Yield the sentences about an event."""
    if isinstance(event, Forward):
        yield from (computed(made, looks) for made in event.made[:MOST])
        if len(event.made) > MOST:
            yield f"{len(event.made) - MOST} more operations follow on this line."
    else:
        from gradcli.render.run.timeline import event_rows  # the lines of `run --explain`

        for row in event_rows(event, looks, all=False, why=False):
            yield ended(" ".join(filter(None, row.cells)))
    if event.times > 1:
        yield f"The line did the same {event.times - 1:,} more time{'s' * (event.times > 2)}."


def computed(made: Made, looks: Looks) -> str:
    """Return what an operation computed."""
    sides = [made.name, cut(unparse(made.expression, multiply="·"), FORMULA), written(made.value, looks)]
    equation = " = ".join(dict.fromkeys(filter(None, sides)))
    if made.grad_fn is None:
        return f"{equation}, outside the graph: it has no grad_fn."
    return f"{equation}, and its grad_fn is {made.grad_fn}."


def found(states: Iterable[TensorState], looks: Looks) -> Iterator[str]:
    """Yield what the tensors are that a line has made without an operation."""
    for state in states:
        kind = "a leaf that requires grad" if state.requires_grad else "a plain tensor, without a gradient"
        if state.grad_fn is not None:
            kind = f"the result of {state.grad_fn}"
        yield f"{state.name} = {written(state.value, looks)} is {kind}."


def ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
