"""The changes of memory by a statement: tensors changed in place, gradients reset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.modes import changes
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.script.timeline.model import Changed, Reset
from gradcli.script.timeline.names import node_of
from gradcli.script.timeline.run import Filled, Run, kept_copy, version


def without_writing(applications: Sequence[Application]) -> list[Application]:
    """Return the operations that users wrote: without the selection of the part that `x[0] = 1` writes over."""
    parts = {id(line.inputs[0]) for line in applications if "writing" in line.primitive.traits}
    return [x for x in applications if "writing" not in x.primitive.traits and id(x.out) not in parts]


def expose(run: Run, tensor: Tensor) -> None:
    """Remember the value of a tensor whose memory a statement reached past the graph (`w.data -= ...`)."""
    run.exposed.setdefault(tensor, kept_copy(tensor.value))


def add_changes(run: Run, env: dict[str, Any], line: int, latest: int) -> None:
    """Add the events of the changes by a statement."""
    exposed, run.exposed = run.exposed, {}
    stepped, run.has_stepped = run.has_stepped, False
    for tensor, before in exposed.items():
        seen = bool(tensor.history and tensor.history[-1] > latest)
        if before is not None and not seen and not np.array_equal(before, tensor.value, equal_nan=True):
            add_exposed(run, tensor)
    stale = [leaf for leaf, filled in run.filled.items() if leaf._grad is None or filled.is_stale(leaf._grad)]
    if changes.latest > latest:
        run.changed_at.append((changes.latest, line, stepped))
        added: set[str] = set()
        for value, given in [] if stepped else list(changed_tensors(run, env, latest, stale)):
            trace(run, value, line)
            name = run.names.get(value) or given
            if name not in added:
                added.add(name)
                add(run, value, name)
    if stale:
        reset(run, stale)


def add_exposed(run: Run, tensor: Tensor) -> None:
    """Add the change of a tensor past the graph; a gradient that is 0 now was reset."""
    leaf = next((leaf for leaf in run.filled if leaf._grad is tensor), None)
    if leaf is None:
        add(run, tensor, run.name(tensor), through_data=True)
        return
    if np.any(tensor.value):
        add(run, tensor, f"{run.name(leaf)}.grad", through_data=True)
        run.filled[leaf] = Filled(run.filled[leaf].line, tensor)
    else:
        run.add("reset", False, event=lambda: Reset(*run.place, (run.name(leaf),), False))
        run.filled[leaf] = Filled(0, tensor)
        run.resets += 1


def changed_tensors(
    run: Run, env: dict[str, Any], latest: int, stale: Sequence[Tensor]
) -> Iterator[tuple[Tensor, str]]:
    """Yield the tensors that changed: the ones with a name here, and of leaves those gradients that are not as left."""
    for name, value in list(env.items()):
        if isinstance(value, Tensor) and (history := value.history) and history[-1] > latest:
            yield value, name
    for leaf in stale:
        gradient, filled = leaf._grad, run.filled[leaf]
        if gradient is not None and not is_reset(gradient, filled):
            run.filled[leaf] = Filled(filled.line, gradient)
            yield gradient, f"{run.name(leaf)}.grad"


def trace(run: Run, tensor: Tensor, line: int) -> None:
    """Note the line of the nodes that a change in place has put under a tensor."""
    node, name = node_of(tensor), run.names.get(tensor)
    while isinstance(node, Node) and node not in run.lines:
        run.lines[node] = line
        if not run.is_silent:
            run.made[node] = kept_copy(node.out)
        if name:
            run.names.of_node.setdefault(node, name)
        node = node.edges[0] if node.edges else None


def add(run: Run, tensor: Tensor, name: str, *, through_data: bool = False) -> None:
    run.rewritten[tensor] = run.machine.line
    run.add(
        "changed", name, event=lambda: Changed(*run.place, name, version(tensor), through_data, kept_copy(tensor.value))
    )


def reset(run: Run, leaves: Iterable[Tensor]) -> None:
    """Add the events of gradients that became None or 0, by whatever means."""
    gradients = run.filled
    gone = [x for x in leaves if (filled := gradients.get(x)) is not None and is_reset(x._grad, filled)]
    if not gone:
        return
    run.resets += 1
    for leaf in gone:
        if leaf._grad is None:
            del run.filled[leaf]
            run.reset_at[leaf] = (run.machine.line, run.passed)
        else:  # which may change again, or become None
            run.filled[leaf] = Filled(0, leaf._grad)
    for to_none in (True, False):
        names = tuple(run.name(leaf) for leaf in gone if (leaf._grad is None) is to_none)
        if names:
            run.add("reset", to_none, event=lambda: Reset(*run.place, names, to_none))  # noqa: B023


def is_reset(gradient: Tensor | None, filled: Filled) -> bool:
    """Whether a gradient that was there has become None, or 0 where it was not."""
    if gradient is None:
        return True
    return filled.is_stale(gradient) and not (filled.is_zero or np.any(gradient.value))
