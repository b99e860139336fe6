"""The tape: the applications of primitives while it is listening, in evaluation order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from gradcli.engine.modes import Tape, mode, switched
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor

Kind = TypeVar("Kind")


class Application(NamedTuple):
    """One line of the tape; inputs are Tensors and plain numbers."""

    primitive: Primitive
    inputs: tuple[Any, ...]
    options: dict[str, Any]
    out: Tensor


class Recording(list[Application]):
    """A tape that also knows what tensors were converted from: `origins` holds both, by id() of the tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.origins: dict[int, tuple[Tensor, Any]] = {}

    def origin(self, x: Any) -> Any:
        """Return the tensor, number or list that a tensor was converted from; itself where it was not."""
        while id(x) in self.origins:
            x = self.origins[id(x)][1]
        return x


@contextmanager
def record() -> Iterator[Recording]:
    """Record inside the block; an outer recording does not see the applications of an inner one."""
    tape = Recording()
    with switched(tape=tape):
        yield tape


def with_origin(x: Tensor, origin: Any) -> Tensor:
    """Return a tensor that is the tensor, number or list `origin` in another type, which a recording is told."""
    if isinstance(mode.tape, Recording):
        mode.tape.origins[id(x)] = x, origin
    return x


def replay(tape: Sequence[Application], tensors: dict[int, Tensor]) -> None:
    """Compute the applications of a tape again; `tensors` are by id() of those they stand for, and its results join."""
    for primitive, inputs, options, out in tape:
        tensors[id(out)] = primitive(*[tensors.get(id(x), x) for x in inputs], **options)


class Listeners:
    """Several listeners, the latest first: the operations of one of them are heard by the earlier ones.

    Of those that are `nested` the earliest hears an operation first, and knows the result when a later one computes
    with it.
    """

    def __init__(self, tapes: tuple[Tape, ...], base: Tape | None) -> None:
        self.tapes = tapes
        self.base = base

    def append(self, application: Application) -> None:
        if self.base is not None:
            self.base.append(application)
        turns = list(enumerate(self.tapes, 1))
        nested = [turn for turn in turns if getattr(turn[1], "nested", False)]
        if len(nested) > 1:
            turns = [turn for turn in turns if turn not in nested] + nested[::-1]
        for position, tape in turns:
            rest = self.tapes[position:]
            mode.tape = Listeners(rest, None) if rest else None
            try:
                tape.append(application)
            finally:
                mode.tape = self


def before_writing(target: Tensor, result: Tensor) -> list[Callable[[], None]]:
    """Return what the listeners do once `result` is written over `target`; a tape has the operation already."""
    return [tape.written(target, result) for tape in _listening()[0] if hasattr(tape, "written")]


def listening(kind: type[Kind]) -> list[Kind]:
    """Return the listeners of a kind, the latest first."""
    return [tape for tape in _listening()[0] if isinstance(tape, kind)]


def listen(tape: Tape) -> None:
    """Add a listener."""
    listeners, base = _listening()
    mode.tape = Listeners((tape, *listeners), base)


def leave(tape: Tape) -> None:
    """Remove a listener."""
    listeners, base = _listening()
    rest = tuple(other for other in listeners if other is not tape)
    mode.tape = Listeners(rest, base) if rest else base


def _listening() -> tuple[tuple[Tape, ...], Tape | None]:
    tape = mode.tape
    return (tape.tapes, tape.base) if isinstance(tape, Listeners) else ((), tape)
