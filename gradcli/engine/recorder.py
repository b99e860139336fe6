"""The tape: every application of a primitive while a recorder is listening, in evaluation order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gradcli.engine.primitive import Primitive
    from gradcli.engine.tensor import Tensor


class Application(NamedTuple):
    """One line of the tape; inputs are Tensors and plain numbers."""

    primitive: Primitive
    inputs: tuple[Any, ...]
    options: dict[str, Any]
    out: Tensor


class Recorder:
    """Holds the tape that is being written, if any."""

    __slots__ = ("tape",)

    def __init__(self) -> None:
        self.tape: list[Application] | None = None


recorder = Recorder()


@contextmanager
def record() -> Iterator[list[Application]]:
    """Record inside the block; an outer recording does not see what an inner one does."""
    before, recorder.tape = recorder.tape, []
    try:
        yield recorder.tape
    finally:
        recorder.tape = before
