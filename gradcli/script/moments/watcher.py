"""The recorder of a run that also looks at its tensors after each statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import Evaluation
from gradcli.script.machine import Machine
from gradcli.script.moments.model import Moment, Moments, TensorState
from gradcli.script.python.syntax.scopes import OUTER, Env
from gradcli.script.timeline.graphs import snapshot
from gradcli.script.timeline.model import Timeline
from gradcli.script.timeline.names import node_of, parts
from gradcli.script.timeline.reasons import why_none
from gradcli.script.timeline.recorder import Recorder
from gradcli.script.timeline.run import kept_copy, version

MOST = 2500  # moments
NAMES = 30  # tensors of a moment
SMALL = 64  # entries of a value in which a change without a trace is looked for
Key = tuple[Any, ...]


class Watcher(Recorder):
    """Records the events of a run and its moments; `printed` are the texts that it has written so far."""

    def __init__(self, machine: Machine, printed: Sequence[str], *, all: bool = False) -> None:
        super().__init__(machine, all=all)
        self._printed = printed
        self._moments: list[Moment] = []
        self._graphs: dict[int, Evaluation] = {}
        self._keys: dict[str, Key] = {}
        self._length, self._read = 0, 0  # characters printed, in so many texts

    def ended(self, env: Env, line: int, latest: int, named: Sequence[str] | None = None) -> None:
        """Add the events of a statement, and the moment after it."""
        super().ended(env, line, latest, named)
        self.add_moment()

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        """Record a backward pass, whose graph is kept as it stood when the pass began."""
        self.flush()
        is_one = len(outputs) == 1 and outputs[0].node is not None and len(self._moments) < MOST
        graph = snapshot(self.run, outputs[0]) if is_one else None
        before = len(self.run.events)
        yield from super().backward(outputs, given, events)
        if graph is not None and len(self.run.events) > before:
            self._graphs[len(self.run.events) - 1] = graph

    def finished(self) -> Timeline:
        """Return the whole run, when it has ended; its last events belong to a last moment."""
        timeline = super().finished()
        self.add_moment()
        return timeline

    @property
    def moments(self) -> Moments:
        """The moments of the run."""
        return Moments(tuple(self._moments), self._graphs, len(self._moments) >= MOST)

    def add_moment(self) -> None:
        """Keep a moment of the run, if anything has changed."""
        if len(self._moments) >= MOST:
            return
        for text in self._printed[self._read :]:
            self._length += len(text)
        self._read = len(self._printed)
        changed = tuple(self.changed())
        gone = tuple(name for name in self._keys if name not in self._seen)
        for name in gone:
            del self._keys[name]
        last = self._moments[-1] if self._moments else None
        count = len(self.run.events)
        if changed or gone or count > (last.events if last else 0) or self._length > (last.printed if last else 0):
            place = self.machine.source, self.machine.line
            self._moments.append(Moment(*place, count, self._length, changed, gone))

    def changed(self) -> Iterator[TensorState]:
        """Yield the named tensors that changed since the last moment."""
        self._seen: dict[str, None] = {}
        for tensor, name in self.named():
            self._seen[name] = None
            key = self.key(tensor)
            if self._keys.get(name) != key:
                self._keys[name] = key
                yield self.state(tensor, name)

    def named(self) -> Iterator[tuple[Tensor, str]]:
        """Yield the tensors in the variables of the snippet, of a great many the first."""
        names: set[str] = set()
        for variable, value in list(self.machine.globals.items()):
            if variable == OUTER or variable.startswith((" ", "__")):
                continue
            for tensor, name in parts(variable, value):
                if name not in names:
                    names.add(name)
                    yield tensor, name
                if len(names) == NAMES:
                    return

    def key(self, tensor: Tensor) -> Key:
        """Return the facts that a state is made from, as far as they are cheap to compare."""
        gradient = tensor._grad
        held = (id(gradient), version(gradient), content(gradient)) if gradient is not None else None
        asked = (self.run.passed, len(self.run.switched), len(self.run.reset_at)) if gradient is None else None
        return id(tensor), version(tensor), content(tensor), id(node_of(tensor)), tensor.retains_grad, held, asked

    def state(self, tensor: Tensor, name: str) -> TensorState:
        """Return the state of a tensor."""
        node, gradient = node_of(tensor), tensor._grad
        return TensorState(
            name,
            tensor.shape,
            kept_copy(tensor.value),
            node is not None,
            not isinstance(node, Node),
            node.short_name if isinstance(node, Node) else None,
            version(tensor),
            gradient is not None,
            None if gradient is None else kept_copy(gradient.value),
            "" if gradient is not None else why_none(self.run, tensor)[1],
        )


def content(tensor: Tensor) -> bytes | None:
    """Return the content of a small tensor: some changes leave no other trace."""
    return np.asarray(tensor.value).tobytes() if tensor.value.size <= SMALL else None
