"""The events of backward passes, made from the walk of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.backward import Accumulation, Contribution
from gradcli.engine.backward import Event as Contributed
from gradcli.engine.tensor import Tensor
from gradcli.explanation.model import Explanation, Note
from gradcli.guard import guarded
from gradcli.script.loops import rectified
from gradcli.script.timeline import remarks
from gradcli.script.timeline.graphs import explained, snapshot, valued
from gradcli.script.timeline.model import Accumulated, Backward, Event, Forward, Returned
from gradcli.script.timeline.reasons import listed
from gradcli.script.timeline.run import Filled, Pass, Run, kept
from gradcli.script.timeline.walk import Walk


def followed(
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
    line, kind = run.machine.line, "backward" if inputs is None else "returned"
    wanted = run.wanted(kind)
    kept_too = wanted or run.keeps_last
    graph = snapshot(run, outputs[0]) if kept_too and len(outputs) == 1 and outputs[0].node is not None else None
    contributions: list[Contribution] = []
    accumulations: list[tuple[Tensor, Any, Any]] = []
    walk = Walk(outputs, accumulations)
    run.muted = True
    try:
        for event in events:
            if isinstance(event, Accumulation):
                before = event.leaf._grad
                accumulations.append(
                    (event.leaf, valued(event.gradient), None if before is None else kept(before.value))
                )
            else:
                walk.passed(event)
                if graph is not None:
                    contributions.append(Contribution(event.node, event.position, *map(valued, event[2:])))
            yield event
    finally:
        run.muted = False
    run.machine.line = line
    for node in walk.order:
        if node.inputs is None:
            run.freed.setdefault(node, line)
    reached = [leaf for leaf, _, _ in accumulations] if inputs is None else []
    output = listed(map(run.name, outputs))
    run.add_pass(Pass(line, output, run.origins.below(outputs), reached, inputs is not None, walk.stops(run)))
    if run.is_silent:
        return settle(run, line, [leaf for leaf, _, _ in accumulations] if inputs is None else [])
    is_told = graph is not None and wanted and not run.keeps_last
    explain = partial(explained, graph, contributions, given[0])
    explanation = guarded("explanation", explain, None) if is_told else None
    if run.keeps_last:
        run.last.pop(output, None)  # it comes last now
        run.last[output] = explain
    if inputs is not None:
        seeds = {
            x.node: np.ones_like(x.value)[()] if seed is None else valued(seed)
            for x, seed in zip(outputs, given, strict=True)
        }
        found = tuple(
            (run.name(x), kept(seeds.get(x.node) if (gradient := walk.gradient(x)) is None else gradient))
            for x in inputs
            if isinstance(x, Tensor)
        )
        notes = guarded("note", lambda: tuple(remarks.on_way(run, walk, explanation)), ())
        run.add("returned", event=lambda: Returned(*run.place, output, explanation, found, notes))
        return
    accumulated = tuple(
        Accumulated(
            run.name(leaf),
            run.names.former.get(leaf, 0),
            kept(gradient),
            before,
            None if leaf._grad is None else kept(leaf._grad.value),
        )
        for leaf, gradient, before in accumulations
    )
    leaves = [(run.name(leaf), leaf) for leaf, _, _ in accumulations]
    run.training.passed(*run.place[:2], outputs[0], leaves, rectified(walk.order, run.made))
    retained = tuple(
        Accumulated(run.name(x), 0, kept(walk.gradient(x)), before, kept(x._grad.value))
        for x, before in walk.retained.items()
        if x._grad is not None
    )
    notes = guarded("note", lambda: told(run, accumulations, walk, explanation), ())
    settle(run, line, [leaf for leaf, _, _ in accumulations])
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
        run.values[leaf] = kept(leaf.value)
        if leaf._grad is not None and leaf._grad.node is not None:
            run.names.give(leaf._grad, f"{run.name(leaf)}.grad")


def told(
    run: Run, accumulations: Sequence[tuple[Tensor, Any, Any]], walk: Walk, explanation: Explanation | None
) -> tuple[Note, ...]:
    """Return the remarks on a pass that filled leaves."""
    return (
        *remarks.added(run, accumulations),
        *remarks.on_way(run, walk, explanation),
        *remarks.at_leaves(accumulations, run, walk, explanation),
    )


def as_written(event: Event) -> Event:
    """Return an event in the operations that the snippet wrote, without the ones that torch inserts."""
    match event:
        case Forward():
            whole = {made.name for made in event.made if made.whole is not None}
            return replace(event, made=tuple(made.as_written for made in event.made if made.part_of not in whole))
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
