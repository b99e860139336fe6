"""The state of the engine: its settings, the tape and the clock; `renewed` gives a run settings of its own."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from threading import RLock
from typing import Any, Protocol

import numpy as np

ENGINE = RLock()  # the engine has one state: programs that have threads hold this while it computes
if hasattr(os, "register_at_fork"):  # where another thread held it, nobody would ever give it back
    os.register_at_fork(after_in_child=ENGINE._at_fork_reinit)  # type: ignore[attr-defined]


class Tape(Protocol):
    """A listener, to which every application of a primitive (`recorder.Application`) is appended."""

    def append(self, application: Any, /) -> object: ...


class Mode:
    """The settings of the engine; read on every operation, so plain attributes."""

    __slots__ = (
        "call", "default_dtype", "examples", "grad_asked", "grad_enabled", "handles", "inference", "largest",
        "stacked", "tape", "transforms", "warned",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad_enabled = True
        self.grad_asked = False  # in inference mode, which records nothing: whether a snippet asked for it
        self.inference = False  # torch's inference mode: results have no version, and no graph may save them
        self.default_dtype: np.dtype[np.floating] = np.dtype(np.float64)
        self.largest = 2**24  # entries of one result; more is a slip, and not worth a machine out of memory
        self.stacked = False  # whether the first dimension of all values counts points, each of which is its own
        self.tape: Tape | None = None
        self.call: Any = None  # of an operation that runs, the outermost one, where there is a tape
        self.transforms: tuple[str, ...] = ()  # of torch.func, the outermost first: "grad", "jvp", "vmap"
        self.warned: set[str] = set()  # what torch warns of the first time in a run alone, and did
        self.handles = 0  # how many hooks were registered
        self.examples: Any = None  # under vmap: its `refuse` is asked before a tensor becomes a number or a shape


mode = Mode()


class Changes:
    """The time of the last in-place change of any memory: newer nodes need no check of their versions."""

    latest = -1


tick = count()  # the clock of nodes and in-place changes, in one order; it never goes back, so that no run resets it
changes = Changes()


@contextmanager
def switched(**settings: Any) -> Iterator[None]:
    """Run the block with some settings of the mode changed."""
    before = {name: getattr(mode, name) for name in settings}
    _set(settings)
    try:
        yield
    finally:
        _set(before)


def renewed(**settings: Any) -> AbstractContextManager[None]:
    """Run the block with every setting at its default, but for the given ones; afterwards all are as they were."""
    fresh = Mode()
    return switched(**{name: getattr(fresh, name) for name in Mode.__slots__} | settings)


def _set(settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        setattr(mode, name, value)


def warn_once(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn where torch does so only the first time in a run."""
    if message not in mode.warned:
        mode.warned.add(message)
        warnings.warn(message, category, stacklevel=3)


def set_grad_enabled(enabled: bool) -> AbstractContextManager[None]:
    """Record graphs, or do not, inside the block."""
    return switched(grad_enabled=enabled)


def refuse_examples(what: str, *tensors: Any) -> None:
    """Under vmap, refuse a use of these tensors that works for a single example alone, and not for a batch."""
    if mode.examples is not None:
        for x in tensors:
            mode.examples.refuse(x, what)
