"""The module `torch.utils`, with the loader of batches, and the functions that collate rows to a batch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.data import datasets, samplers
from gradcli.script.torch.operations import facade
from gradcli.script.torch.tensor.literals import as_tensor, tensor_

PINNED = "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."


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


def converted(row: Any) -> Any:
    """Return a row with tensors in place of its arrays; a loader without batches does so."""
    if isinstance(row, dict):
        return {key: converted(value) for key, value in row.items()}
    if isinstance(row, tuple | list) and not hasattr(row, "_fields"):
        return [converted(value) for value in row]
    return as_tensor(row) if isinstance(row, np.ndarray) else row


class DataLoader(Facade):
    """Batches of a dataset, in order or shuffled; every epoch draws from torch's generator as torch does."""

    __parent__ = True

    __facade__ = True
    __module__ = "torch.utils.data.dataloader"

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        takes_batches = batch_size == 1 and not shuffle and sampler is None and not drop_last
        if (sampler is not None and shuffle) or (batch_sampler is not None and not takes_batches):
            raise ValueError("sampler excludes shuffle, and batch_sampler batch_size, shuffle, sampler and drop_last")
        if batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        self.dataset = dataset
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.drop_last = drop_last
        self.generator = generator
        self.batch_size = batch_size if batch_sampler is None else None
        draws = samplers.RandomSampler(dataset, generator=generator) if shuffle else None
        self.sampler = sampler or draws or samplers.SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = samplers.BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn or (converted if batch_sampler is None else default_collate)

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(PINNED, UserWarning, stacklevel=2)
        rows = self._rows(iter(self.sampler if self.batch_sampler is None else self.batch_sampler))
        (self.generator or running.machine.generator).random64()  # the seed of workers, though there are none
        if self._takes_rows() and isinstance(self.dataset, datasets.TensorDataset):
            return map(self.dataset.rows, iter(self.batch_sampler))
        return map(self.collate_fn, rows)

    def _takes_rows(self) -> bool:
        """Return whether a batch is only rows of plain tensors, which numpy takes at once."""
        return (
            type(self.dataset) is datasets.TensorDataset
            and isinstance(self.batch_sampler, samplers.BatchSampler)
            and type(self.sampler) in (samplers.SequentialSampler, samplers.RandomSampler)
            and self.sampler.data_source is self.dataset
            and self.collate_fn is default_collate
            and not any(tensor.requires_grad for tensor in self.dataset.tensors)
        )

    def _rows(self, positions: Iterator[Any]) -> Iterator[Any]:
        """Yield the rows of each batch of positions, or of each position."""
        fetch = getattr(self.dataset, "__getitems__", None)
        for position in positions:
            if self.batch_sampler is None:
                yield self._row(position)
            elif fetch is not None and not self.num_workers:
                yield fetch(position)
            else:
                yield [self._row(index) for index in position]

    def _row(self, position: Any) -> Any:
        """Return a row; UnsupportedError if a worker draws it, for each worker has random numbers of its own."""
        if not self.num_workers:
            return self.dataset[position]
        generator = running.machine.generator
        before = generator.get_state()
        row = self.dataset[position]
        if generator.has_moved(before):
            words = f"num_workers={self.num_workers} for a dataset that draws random numbers is not supported here"
            raise UnsupportedError(words, python=ValueError, help="leave num_workers out")
        return row


MEMBERS: dict[str, Any] = {
    member.__name__: member
    for member in (
        *datasets.DATASETS,
        *samplers.SAMPLERS,
        DataLoader,
        datasets.random_split,
        default_collate,
    )
}


def namespace(name: str) -> Namespace:
    """Make `torch.utils`: `data`, and `checkpoint` when it is asked for."""

    def find(module: str) -> Any:
        if module != "checkpoint":
            return None
        checkpointing = import_module("gradcli.script.torch.autograd.checkpoint")
        return Namespace(f"{name}.checkpoint", checkpointing.MEMBERS)

    return Namespace(name, {"data": Namespace(f"{name}.data", MEMBERS)}, find, known=["checkpoint"])
