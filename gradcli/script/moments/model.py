"""The moments of a run: facts without looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gradcli.explanation.lines import Evaluation
from gradcli.facts import dataclass
from gradcli.script.timeline.model import Value
from gradcli.source import Source


@dataclass(frozen=True, slots=True)
class TensorState:
    """The state of a named tensor at a moment; a value or a gradient that is too large to keep is None.

    `has_grad` says whether there is a `.grad`, and the `reason` why there is none.
    """

    name: str
    shape: tuple[int, ...]
    value: Value | None
    requires_grad: bool
    is_leaf: bool
    grad_fn: str | None
    version: int
    has_grad: bool
    grad: Value | None
    reason: str


@dataclass(frozen=True, slots=True)
class Moment:
    """The end of a statement: the numbers of events and of printed characters so far, and the tensors that changed.

    `changed` are the tensors that are not as they were at the moment before, `gone` the names that mean no tensor now.
    """

    source: Source
    line: int
    events: int
    printed: int
    changed: tuple[TensorState, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True)
class Moments:
    """All moments of a run, as far as they are kept; `graphs` are those of backward passes, by number of the event."""

    moments: tuple[Moment, ...]
    graphs: Mapping[int, Evaluation] = field(default_factory=dict)
    is_cut: bool = False
