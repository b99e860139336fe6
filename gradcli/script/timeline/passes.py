"""The events of backward passes, made from the walk of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.backward import Accumulation, Contribution
from gradcli.engine.backward import Event as Contributed
from gradcli.engine.tensor import Tensor
from gradcli.explanation.model import Explanation, Note
from gradcli.guard import guarded
from gradcli.script.loops import relu_results
from gradcli.script.timeline import remarks
from gradcli.script.timeline.graphs import explain_pass, numpy_value, snapshot
from gradcli.script.timeline.model import Accumulated, Backward, Event, Forward, Returned
from gradcli.script.timeline.reasons import list_names
from gradcli.script.timeline.run import Filled, Pass, Run, kept_copy
from gradcli.script.timeline.walk import Walk

Arrival = tuple[Tensor, Any, Any]  # a leaf, the gradient that arrived, and its `.grad` before


def follow_pass(
    run: Run,
    outputs: Sequence[Tensor],
    given: Sequence[Any],
    events: Iterator[Contributed],
    inputs: Sequence[Tensor] | None = None,
) -> Iterator[Contributed]:
    """Pass on the contributions of a walk; when it is done, add it to the run.

    With `inputs` the gradients are returned to the snippet, and no leaf gets any.
    """
    run.walked = outputs
    line, wanted = run.machine.line, run.wanted("backward" if inputs is None else "returned")
    is_drawn = (wanted or run.keeps_last) and len(outputs) == 1 and outputs[0].node is not None
    graph = snapshot(run, outputs[0]) if is_drawn else None
    contributions: list[Contribution] = []
    arrivals: list[Arrival] = []
    walk = Walk(outputs, arrivals)
    yield from note_events(run, events, walk, arrivals, None if graph is None else contributions)
    run.machine.line = line
    for node in walk.order:
        if node.inputs is None:
            run.freed.setdefault(node, line)
    leaves = [leaf for leaf, _, _ in arrivals] if inputs is None else []
    output = list_names(map(run.name, outputs))
    run.add_pass(Pass(line, output, run.origins.below(outputs), leaves, inputs is not None, walk.stops(run)))
    if run.is_silent:
        return settle(run, line, leaves)
    explain = partial(explain_pass, graph, contributions, given[0])
    is_explained = graph is not None and wanted and not run.keeps_last
    explanation = guarded("explanation", explain, None) if is_explained else None
    if run.keeps_last:
        run.last.pop(output, None)  # now it is the latest
        run.last[output] = explain
    if inputs is None:
        add_filled(run, outputs[0], output, arrivals, walk, explanation)
    else:
        seeds = {x.node: seed for x, seed in zip(outputs, given, strict=True)}
        add_returned(run, seeds, output, inputs, walk, explanation)


def note_events(
    run: Run,
    events: Iterator[Contributed],
    walk: Walk,
    arrivals: list[Arrival],
    contributions: list[Contribution] | None,
) -> Iterator[Contributed]:
    """Pass on the events of a walk, and note each where it belongs; nothing that happens meanwhile is recorded."""
    run.muted = True
    try:
        for event in events:
            if isinstance(event, Accumulation):
                before = event.leaf._grad
                earlier = None if before is None else kept_copy(before.value)
                arrivals.append((event.leaf, numpy_value(event.gradient), earlier))
            else:
                walk.passed(event)
                if contributions is not None:
                    contributions.append(Contribution(event.node, event.position, *map(numpy_value, event[2:])))
            yield event
    finally:
        run.muted = False


def add_returned(
    run: Run,
    seeds: Mapping[Any, Any],
    output: str,
    inputs: Sequence[Tensor],
    walk: Walk,
    explanation: Explanation | None,
) -> None:
    """Add a pass whose gradients went to the snippet; that of an output itself is its seed, or 1."""

    def gradient(x: Tensor) -> Any:
        arrived = walk.gradient(x)
        if arrived is not None or x.node not in seeds:
            return kept_copy(arrived)
        seed = seeds[x.node]
        return kept_copy(np.ones_like(x.value)[()] if seed is None else numpy_value(seed))

    returned = tuple((run.name(x), gradient(x)) for x in inputs if isinstance(x, Tensor))
    notes = guarded("note", lambda: tuple(remarks.on_way(run, walk, explanation)), ())
    run.add("returned", event=lambda: Returned(*run.place, output, explanation, returned, notes))


def add_filled(
    run: Run, root: Tensor, output: str, arrivals: Sequence[Arrival], walk: Walk, explanation: Explanation | None
) -> None:
    """Add a pass that filled the `.grad` of leaves."""
    accumulated = tuple(
        Accumulated(
            run.name(leaf),
            run.names.former.get(leaf, 0),
            kept_copy(gradient),
            before,
            None if leaf._grad is None else kept_copy(leaf._grad.value),
        )
        for leaf, gradient, before in arrivals
    )
    leaves = [leaf for leaf, _, _ in arrivals]
    named_leaves = [(run.name(leaf), leaf) for leaf in leaves]
    run.training.passed(*run.place[:2], root, named_leaves, relu_results(walk.order, run.made))
    retained = tuple(
        Accumulated(run.name(x), 0, kept_copy(walk.gradient(x)), before, kept_copy(x._grad.value))
        for x, before in walk.retained.items()
        if x._grad is not None
    )
    notes = guarded("note", lambda: pass_notes(run, arrivals, walk, explanation), ())
    settle(run, run.machine.line, leaves)
    run.add(
        "backward",
        event=lambda: Backward(*run.place, output, explanation, accumulated, retained, notes),
        news=bool(notes),
    )


def settle(run: Run, line: int, leaves: Sequence[Tensor]) -> None:
    """Note the gradients that a pass has left at leaves, and the values that it saw."""
    for leaf in leaves:
        if leaf._grad is not None:
            run.filled[leaf] = Filled(line, leaf._grad)
        if not run.is_silent:
            run.values[leaf] = kept_copy(leaf.value)
        if leaf._grad is not None and leaf._grad.node is not None:
            run.names.give(leaf._grad, f"{run.name(leaf)}.grad")


def pass_notes(run: Run, arrivals: Sequence[Arrival], walk: Walk, explanation: Explanation | None) -> tuple[Note, ...]:
    """Return the remarks on a pass that filled leaves."""
    return (
        *remarks.accumulation_notes(run, arrivals),
        *remarks.on_way(run, walk, explanation),
        *remarks.at_leaves(arrivals, run, walk, explanation),
    )


def as_written(event: Event) -> Event:
    """Return an event in the operations that the snippet wrote, without the ones that torch inserts."""
    match event:
        case Forward():
            calls = {value.name for value in event.made if value.whole is not None}
            return replace(event, made=tuple(value.as_written for value in event.made if value.part_of not in calls))
        case Backward(explanation=Explanation() as explanation) | Returned(explanation=Explanation() as explanation):
            from gradcli.explanation.folding import folded

            return replace(event, explanation=folded(explanation))
    return event


def with_short_formulas(event: Event) -> Event:
    """Return a backward pass with simplified gradients, and any other event as it is."""
    if not isinstance(event, Backward | Returned) or event.explanation is None:
        return event
    from gradcli.explanation.formulas.simplified import simplified

    return replace(event, explanation=simplified(event.explanation))
