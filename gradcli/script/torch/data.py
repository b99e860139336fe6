"""`torch.utils.data`: datasets, whole or in parts, and the loader of batches, which draws as torch's does."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.python.values.builtins import type_of
from gradcli.script.python.values.iteration import Counting
from gradcli.script.python.values.operators import bounded_iterable
from gradcli.script.torch.operations import facade
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.signature import given_options
from gradcli.script.torch.tensor.creation import array_of, as_tensor, tensor_

PINNED = "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."


class Dataset(Facade):
    """The base class of datasets, which snippets derive from."""

    __module__ = "torch.utils.data.dataset"
    __parent__ = True
    __facade__ = True

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Tuples of the rows of some tensors."""

    __module__ = Dataset.__module__

    def __init__(self, *tensors: Tensor) -> None:
        if any(len(tensors[0].value) != len(tensor.value) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> Any:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]


class Subset(Dataset):
    """A part of the rows of a dataset."""

    __module__ = Dataset.__module__

    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[[self.indices[i] for i in index] if isinstance(index, list) else self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_order(n: int, generator: Generator) -> list[int]:
    """Return the numbers below n in random order."""
    running.machine.budget.fits(n, "the dataset")
    order: list[int] = generator.permutation(n).tolist()
    return order


def random_split(dataset: Any, lengths: Any, generator: Any = None) -> list[Subset]:
    """Split a dataset into parts in random order; lengths that sum to 1 are shares, whose rest goes round."""
    sizes, total = list(bounded_iterable(lengths)), len(dataset)
    if any(size < 0 for size in sizes):
        raise ValueError(f"the lengths of parts are not negative: {sizes}")
    if math.isclose(sum(sizes), 1) and sum(sizes) <= 1:
        sizes = [math.floor(total * share) for share in sizes]
        for extra in range(total - sum(sizes)):
            sizes[extra % len(sizes)] += 1
    if sum(sizes) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = random_order(total, generator or running.machine.generator)
    return [Subset(dataset, order[start:end]) for start, end in pairwise(accumulate(sizes, initial=0))]


class WeightedRandomSampler(Facade):
    """Positions drawn with probabilities in proportion to their weights."""

    __module__ = "torch.utils.data.sampler"

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        check_count("num_samples", num_samples)
        running.machine.budget.fits(num_samples, "the sample")
        self.weights = Tensor(array_of(weights, np.dtype(np.float64)))
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        generator = self.generator or running.machine.generator
        positions = generator.multinomial(self.weights.array, self.num_samples, self.replacement)
        return iter(positions.tolist())

    def __len__(self) -> int:
        return self.num_samples


def check_count(name: str, value: Any) -> None:
    """Raise ValueError for anything but a positive integer."""
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def default_collate(batch: Any) -> Any:
    """Make a batch of rows: stack tensors, make tensors of numbers; tuples and dicts entry by entry."""
    first = batch[0]
    if isinstance(first, Tensor):
        return facade.function("stack")(list(batch), 0)  # type: ignore[misc]
    if isinstance(first, np.ndarray):
        return default_collate([as_tensor(array) for array in batch])
    if isinstance(first, np.generic):
        return as_tensor(np.array(batch))
    if isinstance(first, float):
        return Tensor(np.array(batch, np.float64))
    if isinstance(first, int):
        return tensor_(list(batch))
    if isinstance(first, str):
        return batch
    if isinstance(first, dict):
        return {key: default_collate([row[key] for row in batch]) for key in first}
    if isinstance(first, tuple | list):
        if any(len(row) != len(first) for row in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(column) for column in zip(*batch, strict=True)]
        return type(first)(*columns) if hasattr(first, "_fields") else columns
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type_of(first)!r}"
    )


class DataLoader(Facade):
    """Batches of a dataset, in order or shuffled; every epoch draws from torch's generator as torch does."""

    __parent__ = True
    __facade__ = True
    __module__ = "torch.utils.data.dataloader"
    _signature = (
        "dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None, "
        "pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None, "
        "generator=None, *, prefetch_factor=None, persistent_workers=False, pin_memory_device='', in_order=True"
    )
    _absent = "batch_sampler"

    collate_fn: Any

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        vars(self).update(given_options(type(self), arguments, keywords))
        if self.sampler is not None and self.shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if self.batch_size is None:
            words = "DataLoader(batch_size=None) is not supported here"
            raise UnsupportedError(words, help="write a loop over the dataset itself")
        check_count("batch_size", self.batch_size)
        if self.shuffle:
            check_count("num_samples", len(self.dataset))
        self.collate_fn = self.collate_fn or default_collate

    def __len__(self) -> int:
        count: int = len(self.dataset if self.sampler is None else self.sampler)
        return int(count // self.batch_size if self.drop_last else -(-count // self.batch_size))

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(PINNED, UserWarning, stacklevel=2)
        (self.generator or running.machine.generator).random64()  # the seed of workers, though there are none
        return self._batches()

    def _positions(self) -> Iterator[int]:
        """Return the positions of an epoch: those of a generator of its own, with a seed from the default one."""
        count = len(self.dataset)
        if not self.shuffle:
            yield from Counting(range(count) if self.sampler is None else self.sampler)
            return
        generator = self.generator or Generator(running.machine.generator.random64())
        yield from random_order(count, generator)
        random_order(count, generator)  # of which torch's sampler takes none

    def _batches(self) -> Iterator[Any]:
        positions = self._positions()
        takes_rows = (  # which numpy takes at once
            type(self.dataset) is TensorDataset
            and self.collate_fn is default_collate
            and not any(tensor.requires_grad for tensor in self.dataset.tensors)
        )
        while batch := list(islice(positions, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                if takes_rows:
                    yield [Tensor(tensor.array[batch]) for tensor in self.dataset.tensors]
                else:
                    yield self.collate_fn([self._row(place) for place in batch])

    def _row(self, position: Any) -> Any:
        """Return a row; UnsupportedError if a worker draws it, for each worker has random numbers of its own."""
        before = running.machine.generator.get_state() if self.num_workers else None
        row = self.dataset[position]
        if before is not None and running.machine.generator.has_moved(before):
            words = f"num_workers={self.num_workers} for a dataset that draws random numbers is not supported here"
            raise UnsupportedError(words, python=ValueError, help="leave num_workers out")
        return row


MEMBERS: dict[str, Any] = {
    member.__name__: member
    for member in (Dataset, TensorDataset, Subset, WeightedRandomSampler, DataLoader, random_split, default_collate)
}


def namespace(name: str) -> Namespace:
    """Make `torch.utils`: `data`, and `checkpoint` when it is asked for."""

    def find(module: str) -> Any:
        if module != "checkpoint":
            return None
        checkpointing = import_module("gradcli.script.torch.autograd.checkpoint")
        return Namespace(f"{name}.checkpoint", checkpointing.MEMBERS)

    return Namespace(name, {"data": Namespace(f"{name}.data", MEMBERS)}, find, known=["checkpoint"])
