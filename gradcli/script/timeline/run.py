"""The state of a run so far: the names of tensors, the lines that made them, the passes, and the events to show."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet, ref

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor
from gradcli.explanation.model import Explanation
from gradcli.script.loops import Training
from gradcli.script.machine import Machine
from gradcli.script.timeline.calls import Group
from gradcli.script.timeline.model import Event
from gradcli.script.timeline.names import TensorNames
from gradcli.script.timeline.origins import Below, Origins
from gradcli.source import Source

SHOWN = 2  # events kept for a line that repeats itself; the others are counted
LARGEST = 4096  # entries of a value that is kept
REMEMBERED = 100_000  # statements that wrote over memory


class Pass(NamedTuple):
    """A backward pass: its line and output, the leaves below the output, and the ones that a gradient reached.

    With `returns` it is one of `torch.autograd.grad`, which leaves every `.grad` alone. `stops` are the custom
    functions whose backward gave None, with their lines.
    """

    line: int
    output: str
    below: Below
    reached: Collection[Tensor]
    returns: bool = False
    stops: Mapping[Tensor, str] = {}


def version(tensor: Tensor) -> int:
    """Return how often the memory of a tensor was changed, 0 in inference mode."""
    return len(tensor.history or ())


def kept_copy(value: Any) -> Any:
    """Copy a value for later; None where it is too large."""
    if value is None or np.size(value) > LARGEST:
        return None
    return np.array(value)[()]


def is_same(value: Any, other: Any) -> bool:
    """Return whether two values are the same to the bit."""
    value, other = np.asarray(value), np.asarray(other)
    return bool(value.shape == other.shape and value.tobytes() == other.tobytes())


class Filled:
    """A gradient that a backward pass at `line` left at a leaf, as it was then; line 0 is for zeros in its place."""

    def __init__(self, line: int, gradient: Tensor) -> None:
        self.line = line
        self.is_zero = not line or not np.count_nonzero(gradient.value)
        self._gradient = ref(gradient)
        self._version = version(gradient)

    def is_stale(self, gradient: Tensor) -> bool:
        """Whether the `.grad` has changed since."""
        return self._gradient() is not gradient or version(gradient) != self._version


class Run:
    """The facts about a run that its events and notes are made of.

    With `all` every event of a line is kept, and if it `keeps_last` the graph of the last pass from each output.
    """

    def __init__(self, machine: Machine, all: bool = False, keeps_last: bool = False) -> None:
        self.machine = machine
        self.all = all
        self.keeps_last = keeps_last
        self.last: dict[str, Callable[[], Explanation | None]] = {}
        self.names = TensorNames()
        self.training = Training()
        self.origins = Origins(self.names.former)
        self.events: list[Event] = []
        self.is_silent = False  # whether no event is kept
        self.muted = False  # whether one event stands for all that runs now: a backward pass, jacobian()
        # Nodes: where each was made, the value that it had then, and the line whose pass freed what it saved.
        self.lines: WeakKeyDictionary[Node, int] = WeakKeyDictionary()
        self.made: WeakKeyDictionary[Node, Any] = WeakKeyDictionary()
        self.freed: WeakKeyDictionary[Node, int] = WeakKeyDictionary()
        self.read: WeakKeyDictionary[Node, tuple[Any, ...]] = WeakKeyDictionary()  # the values of inputs, as made
        self.rewritten: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # the lines that changed tensors last
        self._copies: WeakKeyDictionary[Tensor, Any] = WeakKeyDictionary()
        self.groups: WeakKeyDictionary[Node, Group] = WeakKeyDictionary()  # of operations, by the node of the result
        # Passes by number, of those of one line the latest; and the outputs of the last one, also if it failed.
        self.passes: dict[int, Pass] = {}
        self.passed = 0
        self.walked: Sequence[Tensor] = ()
        # Leaves: their gradients, their values as the last pass saw them, where each was reset and after how many
        # passes, where its requires_grad was switched and to what; and those that jacobian() and torch.func made.
        self.filled: WeakKeyDictionary[Tensor, Filled] = WeakKeyDictionary()
        self.values: WeakKeyDictionary[Tensor, Any] = WeakKeyDictionary()
        self.resets = 0  # the statements that reset gradients
        self.reset_at: WeakKeyDictionary[Tensor, tuple[int, int]] = WeakKeyDictionary()
        self.switched: WeakKeyDictionary[Tensor, tuple[int, bool]] = WeakKeyDictionary()
        self.inner: WeakSet[Tensor] = WeakSet()
        self.returned: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # gradients of autograd.grad, and where
        # Optimizers that have stepped, by class; the parameters of those that stepped or reset gradients.
        self.optimizers: dict[str, None] = {}
        self.owned: WeakSet[Tensor] = WeakSet()
        self.has_stepped = False  # whether this statement took a step: its changes are an event already
        # Changes in place: until when by the engine's clock, which line, whether an optimizer did it; and the values
        # of tensors that this statement may change without a trace.
        self.changed_at: deque[tuple[int, int, bool]] = deque(maxlen=REMEMBERED)
        self.exposed: dict[Tensor, Any] = {}
        self._positions: dict[Any, list[int]] = {}  # of the events that say what a line did
        self._said: set[Any] = set()

    @property
    def place(self) -> tuple[Source, int, int]:
        """The place of the run: the first fields of every event."""
        return self.machine.source, self.machine.line, 1

    def name(self, tensor: Tensor) -> str:
        return self.names.of_input(tensor)

    def copied(self, x: Any) -> Any:
        """Return a copy of the value of a tensor; the same copy as long as the tensor does not change."""
        if not isinstance(x, Tensor):
            return x
        copy = self._copies.get(x)
        if copy is None or not is_same(copy, x.value):
            copy = self._copies[x] = kept_copy(x.value)
        return copy

    def once(self, *what: Any) -> bool:
        """Whether a note is given for the first time."""
        if what in self._said:
            return False
        self._said.add(what)
        return True

    def wanted(self, *what: Any) -> bool:
        """Whether another event like this on this line is to be kept."""
        if self.is_silent:
            return False
        return self.all or len(self._positions.get((*self.place, *what), ())) < SHOWN

    def times(self, *what: Any) -> int:
        """The number of times that this line has done something so far."""
        return sum(self.events[position].times for position in self._positions.get((*self.place, *what), ()))

    def add(self, *what: Any, event: Callable[[], Event], news: bool = False) -> None:
        """Keep an event, or count it where its line has done the same before and there is no news in it."""
        if self.is_silent:
            return
        positions = self._positions.setdefault((*self.place, *what), [])
        if news or self.wanted(*what):
            positions.append(len(self.events))
            self.events.append(event())
        else:
            last = positions[-1]
            self.events[last] = replace(self.events[last], times=self.events[last].times + 1)

    def add_pass(self, done: Pass) -> None:
        """Remember a pass; of several with the same line and output only the latest."""
        key = (*done[:2], done.returns)
        same = next((n for n, earlier in self.passes.items() if (*earlier[:2], earlier.returns) == key), None)
        if same is not None:
            del self.passes[same]
        self.passed += 1
        self.origins.passes = self.passed
        self.passes[self.passed] = done

    def add_returned(self, gradients: Sequence[Tensor | None]) -> None:
        """Remember the gradients that `torch.autograd.grad` returned."""
        self.returned.update({gradient: self.machine.line for gradient in gradients if gradient is not None})

    def gradient_at(self, tensor: Tensor) -> int:
        """Return the line whose pass computed a gradient, 0 for any other tensor."""
        held = (filled.line for leaf, filled in self.filled.items() if leaf._grad is tensor)
        return self.returned.get(tensor) or next(held, 0)

    def changed_by(self, time: int) -> tuple[int | None, bool]:
        """Return the line that changed memory at a time of the engine's clock, and whether an optimizer did."""
        return next(((line, stepped) for until, line, stepped in self.changed_at if until >= time), (None, False))
