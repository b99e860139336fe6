"""The samplers of `torch.utils.data`: the orders in which a loader goes through a dataset, drawn as in torch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade
from gradcli.script.python.values.iteration import Counting
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.tensor.literals import array_of

BLOCK = 32  # positions that are drawn at once where one may come twice


def permuted(n: int, generator: Generator) -> list[int]:
    """Return the numbers below n in random order."""
    running.machine.budget.fits(n, "the dataset")
    order: list[int] = generator.permutation(n).tolist()
    return order


class Sampler(Facade):
    """The base class of samplers, which yield positions of a dataset; snippets may derive from it."""

    __parent__ = True

    __facade__ = True

    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """From the first to the last."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """In random order, of a generator of its own with a seed from the default one, unless one is given."""

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        super().__init__(data_source)
        self.replacement = replacement
        self.generator = generator
        self._given = num_samples
        check_count("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """The number of positions in an epoch."""
        return len(self.data_source) if self._given is None else self._given

    def __iter__(self) -> Iterator[int]:
        n, count = len(self.data_source), self.num_samples
        generator = self.generator or Generator(running.machine.generator.random64())
        if self.replacement:
            for size in [BLOCK] * (count // BLOCK) + [count % BLOCK]:
                yield from generator.integers(0, n, (size,)).tolist()
            return
        for _ in range(count // n):
            yield from permuted(n, generator)
        yield from permuted(n, generator)[: count % n]

    def __len__(self) -> int:
        return self.num_samples


class WeightedRandomSampler(Sampler):
    """Positions drawn with probabilities in proportion to their weights."""

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        super().__init__()
        check_count("num_samples", num_samples)
        running.machine.budget.fits(num_samples, "the sample")
        self.weights = Tensor(array_of(weights, np.dtype(np.float64)))
        if self.weights.ndim != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        generator = self.generator or running.machine.generator
        positions = generator.multinomial(self.weights.array, self.num_samples, self.replacement)
        return iter(positions.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of `batch_size` positions from another sampler."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        super().__init__()
        check_count("batch_size", batch_size)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        positions = Counting(self.sampler)
        while batch := list(islice(positions, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        batches, rest = divmod(len(self.sampler), self.batch_size)
        return batches + (rest > 0 and not self.drop_last)


def check_count(name: str, value: Any) -> None:
    """Raise ValueError for anything but a positive integer."""
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


SAMPLERS = (Sampler, SequentialSampler, RandomSampler, WeightedRandomSampler, BatchSampler)
for kind in SAMPLERS:
    kind.__module__ = "torch.utils.data.sampler"
