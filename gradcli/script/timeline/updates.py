"""What optimizers do to their parameters, and why they may do nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.explanation.model import Note
from gradcli.script.timeline import reasons
from gradcli.script.timeline.model import Updated
from gradcli.script.timeline.written import kept

if TYPE_CHECKING:
    from gradcli.script.timeline.recorder import Recorder


class Updates:
    """The steps of the optimizers of a run."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.owned: WeakSet[Tensor] = WeakSet()  # parameters of an optimizer that has stepped, or reset gradients
        self.optimizers: dict[str, None] = {}  # the classes of those that have stepped

    def stepped(self, optimizer: Any, parameters: Sequence[Tensor]) -> None:
        """Tell what an optimizer changed: the parameters that have a gradient."""
        recorder, name = self.recorder, type(optimizer).__name__
        owned = [p for group in optimizer.param_groups for p in group["params"]]
        self.owned.update(owned)
        self.optimizers[name] = None
        recorder.memory.has_stepped = True
        before = recorder.memory.values
        changed = tuple(
            (recorder.name(p), kept(before.get(p)), kept(p.value)) for p in parameters if p._grad is not None
        )
        notes = tuple(self.idle(name, optimizer, owned, parameters))
        for p in parameters:
            before[p] = kept(p.value)
        recorder.add("updated", event=lambda: Updated(*recorder.place, name, changed, notes))

    def idle(self, name: str, optimizer: Any, owned: Sequence[Tensor], parameters: Sequence[Tensor]) -> Iterator[Note]:
        """Why nothing changed, where nothing did."""
        before, recorder = self.recorder.memory.values, self.recorder
        if not parameters and owned and recorder.once("idle", *recorder.place):
            names = reasons.listed(recorder.name(p) for p in owned)
            why = reasons.why_none(recorder, owned[0])[1]
            nobody = f"{names} {'has' if len(owned) == 1 else 'have'} no gradient, so {name} changes nothing"
            yield Note("not-updated", recorder.name(owned[0]), f"{nobody}: {why}")
        same = [p for p in parameters if p in before and np.array_equal(before[p], p.value, equal_nan=True)]
        if same and len(same) == len(parameters) and recorder.once("same", *recorder.place):
            names = reasons.listed(recorder.name(p) for p in same)
            if all(group.get("lr") == 0 for group in optimizer.param_groups):
                why = "lr is 0"
            elif not any(np.any(p._grad.value) for p in same if p._grad is not None):
                why = f"{'its' if len(same) == 1 else 'their'} .grad is 0"
            else:
                why = "the step is too small for the digits of the numbers"
            yield Note("not-updated", recorder.name(same[0]), f"{names} {'stays' if len(same) == 1 else 'stay'}: {why}")
