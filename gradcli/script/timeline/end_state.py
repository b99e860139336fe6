"""The state of a run at its end: its leaves, and the ones that no optimizer holds."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.engine.graph import AccumulateGrad
from gradcli.explanation.model import Note
from gradcli.script.timeline import reasons
from gradcli.script.timeline.model import LeafState
from gradcli.script.timeline.names import node_of
from gradcli.script.timeline.run import Run, kept_copy


def leaves(run: Run) -> Iterator[LeafState]:
    """Yield the leaves that still have a name, with their gradients."""
    for tensor, name in list(run.names.of_tensor.items()):
        part = tensor.base is not None and tensor.base.requires_grad  # a view from no_grad mode is nobody's leaf
        if isinstance(node_of(tensor), AccumulateGrad) and not part:
            reason = "" if tensor._grad is not None else reasons.why_none(run, tensor)[1]
            gradient = None if tensor._grad is None else kept_copy(tensor._grad.value)
            if gradient is None and (tensor in run.inner or run.names.is_generated(tensor)):
                continue
            yield LeafState(name, run.names.former.get(tensor, 0), kept_copy(tensor.value), gradient, reason)


def notes(run: Run) -> Iterator[Note]:
    """Note the leaves with a gradient that no optimizer holds, in a run where one has stepped."""
    if not run.optimizers:
        return
    filled = [leaf for leaf, gradient in run.filled.items() if gradient.line]
    free = [leaf for leaf in filled if leaf not in run.owned and leaf not in run.names.former]
    unheld = [leaf for leaf in free if leaf in run.origins.used and not run.names.is_generated(leaf)]
    names = list(dict.fromkeys(map(run.name, unheld)))
    optimizers = " and ".join(run.optimizers)
    before = {run.names.get(leaf) for leaf in run.names.former if leaf in run.owned}
    for name in names:
        if name in before:
            yield Note("not-updated", name, f"{optimizers} holds the tensor that {name} was before, not the new one")
    names = [name for name in names if name not in before]
    if names:
        it, stays = ("it", "it is") if len(names) == 1 else ("them", "they are")
        words = f"{optimizers} does not hold {reasons.list_names(names)}: step() leaves {it} as {stays}"
        yield Note("not-updated", names[0], words)
