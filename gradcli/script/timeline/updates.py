"""The steps of optimizers, and why one may change nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.explanation.model import Note
from gradcli.script.timeline import reasons
from gradcli.script.timeline.model import Update, Updated, UpdateFacts
from gradcli.script.timeline.run import Run, kept_copy


def add_step(run: Run, optimizer: Any, parameters: Sequence[Tensor], steps: Sequence[UpdateFacts]) -> None:
    """Add the event of a step of an optimizer: the parameters that have a gradient, before and after, and how."""
    name = type(optimizer).__name__
    owned = [p for group in optimizer.param_groups for p in group["params"]]
    run.owned.update(owned)
    run.optimizers[name] = None
    run.has_stepped = True
    if run.is_silent:
        return
    changed = tuple(
        (run.name(p), kept_copy(run.values.get(p)), kept_copy(p.value)) for p in parameters if p._grad is not None
    )
    updates = tuple(Update(run.name(p), entry, options, lines) for p, entry, options, lines in steps)
    notes = tuple(idle(run, optimizer, owned, parameters))
    for p in parameters:
        run.values[p] = kept_copy(p.value)
    run.add("updated", event=lambda: Updated(*run.place, name, changed, updates, notes))


def idle(run: Run, optimizer: Any, owned: Sequence[Tensor], parameters: Sequence[Tensor]) -> Iterator[Note]:
    """Yield the reason why no parameter changed, if none did."""
    before, optimizer_name = run.values, type(optimizer).__name__
    if not parameters and owned and run.once("idle", *run.place):
        names = reasons.list_names(run.name(p) for p in owned)
        why = reasons.why_none(run, owned[0])[1]
        nobody = f"{names} {'has' if len(owned) == 1 else 'have'} no gradient, so {optimizer_name} changes nothing"
        yield Note("not-updated", run.name(owned[0]), f"{nobody}: {why}")
    same = [p for p in parameters if p in before and np.array_equal(before[p], p.value, equal_nan=True)]
    if same and len(same) == len(parameters) and run.once("same", *run.place):
        names = reasons.list_names(run.name(p) for p in same)
        if all(group.get("lr") == 0 for group in optimizer.param_groups):
            why = "lr is 0"
        elif not any(np.any(p._grad.value) for p in same if p._grad is not None):
            why = f"{'its' if len(same) == 1 else 'their'} .grad is 0"
        else:
            why = "the step is too small for the digits of the numbers"
        yield Note("not-updated", run.name(same[0]), f"{names} {'stays' if len(same) == 1 else 'stay'}: {why}")
