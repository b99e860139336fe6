"""The datasets of `torch.utils.data`, whole, in parts and joined."""

from __future__ import annotations

import math
import warnings
from itertools import accumulate, pairwise
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade
from gradcli.script.python.values.operators import bounded
from gradcli.script.torch.data.samplers import permuted


class Dataset(Facade):
    """The base class of datasets, which snippets derive from."""

    __parent__ = True

    __facade__ = True

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Tuples of the rows of some tensors."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(len(tensors[0].value) != len(tensor.value) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> Any:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]

    def rows(self, positions: list[int]) -> list[Tensor]:
        """The rows at these positions, stacked."""
        return [Tensor(tensor.array[positions]) for tensor in self.tensors]


class Subset(Dataset):
    """A part of the rows of a dataset."""

    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: Any) -> Any:
        """Return the rows at these positions, the dataset asked once if it can."""
        fetch = getattr(self.dataset, "__getitems__", None)
        places = [self.indices[index] for index in indices]
        return fetch(places) if callable(fetch) else [self.dataset[place] for place in places]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Any, generator: Any = None) -> list[Subset]:
    """Split a dataset into parts in random order; lengths that sum to 1 are shares, whose rest goes round."""
    sizes = list(bounded(lengths))
    total = len(dataset)
    if math.isclose(sum(sizes), 1) and sum(sizes) <= 1:
        sizes = _sizes(sizes, total)
    if sum(sizes) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = permuted(total, generator or running.machine.generator)
    return [Subset(dataset, order[start:end]) for start, end in pairwise(accumulate(sizes, initial=0))]


def _sizes(shares: list[float], total: int) -> list[int]:
    for position, share in enumerate(shares):
        if not 0 <= share <= 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1")
    sizes = [math.floor(total * share) for share in shares]
    for extra in range(total - sum(sizes)):
        sizes[extra % len(sizes)] += 1
    for position, size in enumerate(sizes):
        if not size:
            message = f"Length of split at index {position} is 0. This might result in an empty dataset."
            warnings.warn(message, UserWarning, stacklevel=2)
    return sizes


DATASETS = (Dataset, TensorDataset, Subset)
for kind in DATASETS:
    kind.__module__ = "torch.utils.data.dataset"
