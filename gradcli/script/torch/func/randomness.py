"""Random numbers inside of `vmap`: refused, the same for each example, or drawn for all of them as torch does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any, Self

from gradcli.engine.modes import mode
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.func.words import RANDOM
from gradcli.script.torch.random.generator import Array, Generator, Shape, State


class Drawing(Generator):
    """The generator of a run inside of a vmap; the examples after the first leave its seed alone."""

    def __init__(self, source: Generator, size: int) -> None:
        self.source = source
        self.size = size
        self.number = 0  # of the example that runs
        self._twister = self  # type: ignore[assignment]

    def begin(self, number: int) -> None:
        """Be ready for the next example."""
        self.number = number

    def beside(self, generator: Generator) -> Generator:
        """Return what stands for a generator of the snippet's own."""
        raise UnsupportedError("a generator of one's own inside of vmap is not supported here")

    def manual_seed(self, seed: int) -> Self:
        if not self.number:
            self.source.manual_seed(seed)
        return self

    def initial_seed(self) -> int:
        return self.source.initial_seed()

    def get_state(self) -> State:
        return self.source.get_state()

    def set_state(self, state: State) -> None:
        if not self.number:
            self.source.set_state(state)

    def normal(self, shape: Shape, dtype: Any, mean: float = 0.0, std: float = 1.0, *, apart: bool = False) -> Array:
        return self._part(lambda n: self.source.normal((n,), dtype, mean, std, apart=apart), prod(shape)).reshape(shape)

    def words(self, count: int) -> Array:
        return self._part(self.source._twister.words, count)

    def _fractions(self, count: int, dtype: type[Any]) -> Array:
        return self._part(lambda n: self.source._fractions(n, dtype), count)

    def _long_words(self, count: int) -> Array:
        return self._part(self.source._long_words, count)

    def _part(self, draw: Callable[[int], Array], count: int) -> Array:
        """Return the numbers of the example that runs."""
        raise NotImplementedError


class Refusing(Drawing):
    """Refuses to draw."""

    def beside(self, generator: Generator) -> Generator:
        raise RuntimeError(RANDOM)

    def _part(self, draw: Callable[[int], Array], count: int) -> Array:
        raise RuntimeError(RANDOM)


class Same(Drawing):
    """Draws for each example what it drew for the first."""

    def __init__(self, source: Generator, size: int) -> None:
        super().__init__(source, size)
        self.drawn: list[Array] = []
        self.turn = 0

    def begin(self, number: int) -> None:
        super().begin(number)
        self.turn = 0

    def _part(self, draw: Callable[[int], Array], count: int) -> Array:
        if not self.number:
            self.drawn.append(self.all(draw, count))
        self.turn += 1
        return self.chosen(self.drawn[self.turn - 1])

    def all(self, draw: Callable[[int], Array], count: int) -> Array:
        return draw(count)

    def chosen(self, drawn: Array) -> Array:
        return drawn.copy()


class Different(Same):
    """Draws for all examples when the first one asks, and gives each its own."""

    def all(self, draw: Callable[[int], Array], count: int) -> Array:
        if any(source.dim % source.batch.ndim for source in mode.examples.sources.values()):
            raise UnsupportedError("different random numbers along another dimension than the first are not supported")
        return draw(self.size * count).reshape(self.size, count)

    def chosen(self, drawn: Array) -> Array:
        part: Array = drawn[self.number]
        return part.copy()


KINDS: dict[str, type[Drawing]] = {"error": Refusing, "same": Same, "different": Different}


@contextmanager
def randomness_of(kind: str, size: int) -> Iterator[Drawing]:
    """Draw as `vmap(randomness=kind)` does, for a batch of examples."""
    machine = running.machine
    before: Any = machine.generator
    drawing = KINDS[kind](before, size)
    machine.generator = drawing
    try:
        yield drawing
    finally:
        machine.generator = before
