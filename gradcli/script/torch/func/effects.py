"""What a function changes outside of itself: torch runs it once for a whole batch, here it runs for each example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.values.kinds import Defined
from gradcli.script.torch.func.levels import around_blocks

DEEPEST = 3
MOST = 100_000  # entries of a container; a larger one is data


def containers(function: Any) -> Iterator[Any]:
    """Yield the lists, dicts and sets that a function can reach, with the variables and attributes."""
    seen: set[int] = set()
    waiting: list[tuple[Any, int]] = [(block, 0) for block in around_blocks(function)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(type(value), Defined) and hasattr(value, "__dict__"):
            value = vars(value)
        if not isinstance(value, list | dict | set) or id(value) in seen or len(value) > MOST:
            continue
        seen.add(id(value))
        yield value
        if depth < DEEPEST:
            waiting.extend((part, depth + 1) for part in (value.values() if isinstance(value, dict) else value))


def is_unchanged(value: Any, before: Any) -> bool:
    if len(value) != len(before):
        return False
    if isinstance(value, dict):
        pairs = zip(value.items(), before.items(), strict=True)
        return all(key == other and x is y for (key, x), (other, y) in pairs)
    return isinstance(value, set) or all(x is y for x, y in zip(value, before, strict=True))


def put_back(value: Any, before: Any) -> None:
    if isinstance(value, list):
        value[:] = before
    else:
        value.clear()
        value.update(before)


@contextmanager
def muted(again: bool) -> Iterator[None]:
    """Let the function print for the first example alone: torch calls it once."""
    machine = running.machine
    write = machine._write
    if again:
        machine._write = lambda text: None
    try:
        yield
    finally:
        machine._write = write


class Effects:
    """What the function changes for the first example: the others begin as that did, and change nothing."""

    def __init__(self, function: Any) -> None:
        self.before = [(value, value.copy()) for value in containers(function)]
        self.after: list[tuple[Any, Any]] = []
        self.tensors: dict[int, tuple[Tensor, Any]] = {}  # that were written over, with their entries before

    def write(self, target: Tensor) -> None:
        """Know the entries of a tensor that the first example is about to change."""
        self.tensors.setdefault(id(target), (target, target.value.copy()))

    @contextmanager
    def of(self, number: int) -> Iterator[None]:
        """Run the function for one example."""
        if not number:
            yield
            changed = [pair for pair in self.before if not is_unchanged(*pair)]
            self.before, self.after = changed, [(value, value.copy()) for value, _ in changed]
            return
        for value, before in self.before:
            put_back(value, before)
        for tensor, entries in self.tensors.values():
            tensor.array[...] = entries
        try:
            yield
        finally:
            for value, after in self.after:
                put_back(value, after)


def once(function: Any) -> Callable[[int], AbstractContextManager[Any]]:
    """Return the surroundings of each of several backward passes, which torch runs as one."""
    effects = Effects(function)

    @contextmanager
    def each(number: int) -> Iterator[None]:
        with effects.of(number), muted(number > 0):
            yield

    return each
