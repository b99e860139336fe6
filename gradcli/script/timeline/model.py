"""The events of a run, line by line: facts without looks.

An event happened at a line of the snippet; `times` says how often that line did the same, of which only the first ones
are kept. Values are numpy values as they were then; None stands for one too large to keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, ClassVar

from gradcli.engine.tensor import Tensor
from gradcli.explanation.model import Explanation, Note
from gradcli.facts import dataclass
from gradcli.language.tree import Expression
from gradcli.source import Source

Value = Any  # a numpy array or scalar


@dataclass(frozen=True, slots=True)
class Wrote:
    """An operation as the snippet wrote it, which torch computed in several; `op` and `grad_fn` are of the main one."""

    expression: Expression
    op: str
    grad_fn: str | None


@dataclass(frozen=True, slots=True)
class Made:
    """A tensor that an operation computed; `grad_fn` is None outside the graph.

    One that torch `inserted` is there for the tensor `part_of`, which has the operation as it was written as its
    `whole`.
    """

    name: str
    expression: Expression
    op: str
    grad_fn: str | None
    shape: tuple[int, ...]
    dtype: str
    value: Value | None
    inserted: bool = False
    part_of: str | None = None
    whole: Wrote | None = None

    @property
    def as_written(self) -> Made:
        """The whole operation in place of the last one that it took."""
        call = self.whole
        return self if call is None else replace(self, expression=call.expression, op=call.op, grad_fn=call.grad_fn)


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the run, at a line."""

    kind: ClassVar[str]
    source: Source
    line: int
    times: int


@dataclass(frozen=True, slots=True)
class Forward(Event):
    """The operations that a line ran."""

    kind: ClassVar[str] = "forward"
    made: tuple[Made, ...]


@dataclass(frozen=True, slots=True)
class Named(Event):
    """A tensor that was called `v4` so far got a name of the snippet's own."""

    kind: ClassVar[str] = "named"
    name: str
    before: str


@dataclass(frozen=True, slots=True)
class Changed(Event):
    """A tensor was changed in place: its value afterwards, and its version, which `.data` leaves as it was."""

    kind: ClassVar[str] = "changed"
    name: str
    version: int
    through_data: bool
    value: Value | None


@dataclass(frozen=True, slots=True)
class Accumulated:
    """A gradient that arrived at a leaf: `after` is `before` plus `gradient`; `before` is None without a `.grad`.

    `renamed` is the line since which the name means another tensor, 0 where it means this one.
    """

    name: str
    renamed: int
    gradient: Value
    before: Value | None
    after: Value


@dataclass(frozen=True, slots=True)
class Backward(Event):
    """A backward pass from `output`; `explanation` is None where the graph is too large to show."""

    kind: ClassVar[str] = "backward"
    output: str
    explanation: Explanation | None
    accumulated: tuple[Accumulated, ...]
    retained: tuple[Accumulated, ...]  # results that keep their gradient
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Returned(Event):
    """`torch.autograd.grad` returned gradients: of `output`, with respect to each name; None where there is none."""

    kind: ClassVar[str] = "returned"
    output: str
    explanation: Explanation | None
    gradients: tuple[tuple[str, Value | None], ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class UpdateLine:
    """A line of an update, `buf = momentum*buf + grad`, with the numbers of its names, and its value."""

    target: str
    formula: Expression
    operands: tuple[tuple[str, Value], ...]
    value: Value


UpdateFacts = tuple[Tensor, tuple[int, ...], tuple[tuple[str, Value], ...], tuple[UpdateLine, ...]]  # of an update


@dataclass(frozen=True, slots=True)
class Update:
    """The update of a parameter, which its lines call `w`: by these options, worked out for one entry."""

    name: str
    entry: tuple[int, ...]
    options: tuple[tuple[str, Value], ...]
    lines: tuple[UpdateLine, ...]


@dataclass(frozen=True, slots=True)
class Updated(Event):
    """An optimizer changed its parameters: name, value before (None where it is not known), value after."""

    kind: ClassVar[str] = "updated"
    optimizer: str
    parameters: tuple[tuple[str, Value | None, Value], ...]
    updates: tuple[Update, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Reset(Event):
    """The `.grad` of leaves became None, or 0."""

    kind: ClassVar[str] = "reset"
    names: tuple[str, ...]
    to_none: bool


@dataclass(frozen=True, slots=True)
class Asked(Event):
    """The snippet looked at a `.grad` that is None; `code` is one of `REASONS`."""

    kind: ClassVar[str] = "asked"
    name: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """The snippet stopped here, or an error was raised that it caught."""

    kind: ClassVar[str] = "failed"
    error: str
    message: str


REASONS = {
    "non-leaf": "the result of an operation keeps no gradient unless retain_grad() is called",
    "no-backward": "no backward pass has run yet",
    "detached": "the tensor was cut from the graph",
    "no-grad": "the tensor was computed while gradients were switched off",
    "constant": "the tensor does not require grad",
    "not-reached": "no backward pass reached the tensor",
    "reset": "the gradient was set to None",
}

NOTES = {
    "accumulated": "a gradient was added to one that was there already",
    "zero-gradient": "a gradient became zero",
    "not-finite": "a gradient became nan or infinite",
    "hook": "a hook changed a gradient on its way",
    "not-updated": "an optimizer left parameters as they are",
    "changed": "memory held another value when an operation read it, or when the pass did",
}


@dataclass(frozen=True, slots=True)
class LeafState:
    """A leaf that requires grad when the run ended; `reason` says why there is no gradient.

    `renamed` is the line since which the name means another tensor, 0 where it means this one.
    """

    name: str
    renamed: int
    value: Value | None
    grad: Value | None
    reason: str


@dataclass(frozen=True, slots=True)
class Epoch:
    """A turn of a loop that trains: its mean loss, and the norms by layer and the dead units of its last pass."""

    label: str
    passes: int
    loss: float | None
    norms: tuple[tuple[str, float], ...]
    dead: int
    units: int


@dataclass(frozen=True, slots=True)
class Loop:
    """The passes that a line started, by the values of a variable of a loop; by number where `by` is None."""

    source: Source
    line: int
    by: str | None
    passes: int
    count: int
    epochs: tuple[Epoch, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole run; `last` has the last pass from each output, the latest at the end, where it is asked for.

    It is None where the graph is too large to show.
    """

    events: tuple[Event, ...]
    leaves: tuple[LeafState, ...]
    notes: tuple[Note, ...] = ()
    training: tuple[Loop, ...] = ()
    last: Mapping[str, Explanation | None] = field(default_factory=dict)
