"""What a statement did to memory that was there before: tensors changed in place, gradients reset."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.memory.writing import copy, fill, fill_tensor, overwrite, regenerated, zero
from gradcli.engine.modes import changes
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.script.timeline.model import Changed, Reset
from gradcli.script.timeline.names import node_of
from gradcli.script.timeline.written import kept

if TYPE_CHECKING:
    from gradcli.script.timeline.recorder import Recorder

# What writes over memory: a change in place is told as such, with the version that it leads to.
WRITING = frozenset((zero, fill, fill_tensor, copy, overwrite, regenerated))

REMEMBERED = 100_000  # statements that wrote over memory


def without_writing(applications: Sequence[Application]) -> list[Application]:
    """The operations that users wrote: not the picking of the part that `x[0] = 1` writes over."""
    parts = {id(one.inputs[0]) for one in applications if one.primitive in WRITING}
    return [one for one in applications if one.primitive not in WRITING and id(one.out) not in parts]


def version(tensor: Tensor) -> int:
    """How often its memory was changed; those of inference mode refuse to say."""
    return len(tensor.history or ())


class Filled:
    """A gradient that a backward pass at `line` left at a leaf, as it was then."""

    def __init__(self, line: int, gradient: Tensor) -> None:
        self.line = line
        self.is_zero = not np.any(gradient.value)
        self._gradient = ref(gradient)
        self._version = version(gradient)

    def is_stale(self, gradient: Tensor) -> bool:
        """Whether the `.grad` is not what it was."""
        return self._gradient() is not gradient or version(gradient) != self._version


class Memory:
    """Watches what statements write over."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        # until when by the engine's clock, which line, whether an optimizer did it
        self.changed_at: deque[tuple[int, int, bool]] = deque(maxlen=REMEMBERED)
        self.values: WeakKeyDictionary[Tensor, Any] = WeakKeyDictionary()  # leaves as the last pass saw them
        self.has_stepped = False  # an optimizer has, in this statement: its changes are told already
        self.is_print = False  # whether the statement that runs makes nothing of its values
        self._exposed: dict[Tensor, Any] = {}  # tensors that this statement may change without a trace

    def exposed(self, tensor: Tensor) -> None:
        """A statement reached past the graph to the memory of a tensor (`w.data -= ...`)."""
        if node_of(tensor) is not None:
            self._exposed.setdefault(tensor, kept(tensor.value))

    def ended(self, env: dict[str, Any], line: int, latest: int) -> None:
        """Tell what a statement changed."""
        exposed, self._exposed = self._exposed, {}
        stepped, self.has_stepped = self.has_stepped, False
        for tensor, before in exposed.items():
            seen = bool(tensor.history and tensor.history[-1] > latest)
            if before is not None and not seen and not np.array_equal(before, tensor.value, equal_nan=True):
                self.tell(tensor, self.recorder.name(tensor), through_data=True)
        if changes.latest > latest:
            self.changed_at.append((changes.latest, line, stepped))
            told: set[str] = set()
            for value, given in [] if stepped else list(self.changed(env, latest)):
                self.trace(value, line)
                name = self.recorder.names.get(value) or given
                if name not in told:
                    told.add(name)
                    self.tell(value, name)
        self.reset(list(self.recorder.filled))

    def changed(self, env: dict[str, Any], latest: int) -> Iterator[tuple[Tensor, str]]:
        """The tensors that changed: those with a name here, and the gradients of leaves."""
        for name, value in list(env.items()):
            if isinstance(value, Tensor) and value.history and value.history[-1] > latest:
                yield value, name
        for leaf, filled in list(self.recorder.filled.items()):
            gradient = leaf._grad
            if gradient is not None and filled.is_stale(gradient) and not self.is_reset(leaf):
                self.recorder.filled[leaf] = Filled(filled.line, gradient)
                yield gradient, f"{self.recorder.name(leaf)}.grad"

    def trace(self, tensor: Tensor, line: int) -> None:
        """Note where the nodes were made that a change in place has put under a tensor."""
        node, name = node_of(tensor), self.recorder.names.get(tensor)
        while isinstance(node, Node) and node not in self.recorder.lines:
            self.recorder.lines[node] = line
            self.recorder.made[node] = kept(node.out)
            if name:
                self.recorder.names.of_node.setdefault(node, name)
            node = node.edges[0] if node.edges else None

    def tell(self, tensor: Tensor, name: str, *, through_data: bool = False) -> None:
        fact = Changed(*self.recorder.place, name, version(tensor), through_data, kept(tensor.value))
        self.recorder.add("changed", name, event=lambda: fact)

    def reset(self, leaves: Iterable[Tensor]) -> None:
        """Tell of gradients that became None or 0, whoever made them so."""
        recorder = self.recorder
        gone = [leaf for leaf in leaves if leaf in recorder.filled and self.is_reset(leaf)]
        for leaf in gone:
            del recorder.filled[leaf]
            recorder.reset_at[leaf] = (recorder.machine.line, recorder.passed)
        for to_none in (True, False):
            names = tuple(recorder.name(leaf) for leaf in gone if (leaf._grad is None) is to_none)
            if names:
                recorder.add("reset", to_none, event=lambda: Reset(*recorder.place, names, to_none))  # noqa: B023

    def is_reset(self, leaf: Tensor) -> bool:
        """Whether a gradient that was there has become None, or 0 where it was not."""
        gradient, filled = leaf._grad, self.recorder.filled[leaf]
        if gradient is None:
            return True
        return filled.is_stale(gradient) and not (filled.is_zero or np.any(gradient.value))

    def changed_by(self, time: int) -> tuple[int | None, bool]:
        """The line that changed memory at that time of the engine's clock, and whether an optimizer did."""
        return next(((line, stepped) for until, line, stepped in self.changed_at if until >= time), (None, False))
