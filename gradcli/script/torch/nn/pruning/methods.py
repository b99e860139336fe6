"""The methods that prune: at random, by magnitude, single entries or channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.nn.pruning.base import BasePruningMethod, check_amount, checked_count
from gradcli.script.torch.tensor.printing import size_text


class Identity(BasePruningMethod):
    """The mask that takes nothing."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Any:
        return default_mask


class Unstructured(BasePruningMethod):
    """The base of methods that take single entries."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Any:
        taken = checked_count(self.amount, t.value.size)
        mask = default_mask.array.copy()
        if taken:
            mask.reshape(-1)[self._places(t, taken)] = 0
        return Tensor(mask)

    def _places(self, t: Tensor, taken: int) -> Any:
        raise NotImplementedError


class RandomUnstructured(Unstructured):
    """The method that takes entries at random."""

    def _places(self, t: Tensor, taken: int) -> Any:
        drawn = running.machine.generator.uniform((t.value.size,), t.dtype)
        return ops.topk(Tensor(drawn), taken)[1].array


class L1Unstructured(Unstructured):
    """The method that takes the entries of least magnitude."""

    def _places(self, t: Tensor, taken: int) -> Any:
        return ops.topk(Tensor(np.abs(t.array).reshape(-1)), taken, -1, False)[1].array


class Structured(BasePruningMethod):
    """The base of methods that take whole channels."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        check_amount(amount)
        self.amount, self.dim = amount, dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Any:
        if t.ndim <= 1:
            found = f"Found tensor of shape {size_text(t.shape)} with {t.ndim} dims"
            raise ValueError(f"Structured pruning can only be applied to multidimensional tensors. {found}")
        if self.dim >= t.ndim:
            raise IndexError(f"Invalid index {self.dim} for tensor of size {size_text(t.shape)}")
        channels = t.shape[self.dim]
        taken = checked_count(self.amount, channels)
        kept = self._kept(t, channels, taken)
        if not taken:
            return default_mask
        mask = np.zeros_like(t.array)
        np.moveaxis(mask, self.dim, 0)[kept] = 1
        return Tensor(mask * default_mask.array.astype(mask.dtype))

    def _kept(self, t: Tensor, channels: int, taken: int) -> Any:
        raise NotImplementedError


class RandomStructured(Structured):
    """The method that takes channels at random."""

    def _kept(self, t: Tensor, channels: int, taken: int) -> Any:
        if not taken:
            return None
        drawn = running.machine.generator.uniform((channels,), np.dtype(np.float32))
        return drawn > np.sort(drawn)[taken - 1]


class LnStructured(Structured):
    """The method that takes the channels with the least norm."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t: Tensor, channels: int, taken: int) -> Any:
        if isinstance(self.n, str) and self.n != "fro":
            raise UnsupportedError(f"pruning by the norm {self.n!r} is not supported here", help="write a number")
        others = tuple(axis for axis in range(t.ndim) if axis != self.dim % t.ndim)
        norms = ops.vector_norm(t.detach(), 2 if self.n == "fro" else self.n, others)
        return ops.topk(norms, channels - taken)[1].array


class CustomFromMask(BasePruningMethod):
    """The mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Any:
        if default_mask.shape != self.mask.shape:
            own, given = size_text(self.mask.shape), size_text(default_mask.shape)
            raise AssertionError(f"default_mask shape {given} must match self.mask shape {own}")
        return Tensor(default_mask.array * self.mask.array.astype(default_mask.dtype))
