"""The base of the methods that prune, and the row of them that one weight has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.attributes import Facade
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.tensor.printing import size_text


def check_amount(amount: Any) -> None:
    """Refuse what is neither a share nor a number of entries."""
    if not isinstance(amount, int | float):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (isinstance(amount, float) and amount > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def check_count(amount: Any, tensor_size: int) -> None:
    """Refuse to prune more entries than there are."""
    if isinstance(amount, int) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def count(amount: Any, tensor_size: int) -> int:
    """Return the number of entries that a number or a share means."""
    return amount if isinstance(amount, int) else round(amount * tensor_size)


def checked_count(amount: Any, tensor_size: int) -> int:
    found = count(amount, tensor_size)
    check_count(found, tensor_size)
    return found


def _same_shape(scores: Tensor, other: Tensor, whose: str) -> None:
    if scores.shape != other.shape:
        got = f"got {size_text(scores.shape)} vs {size_text(other.shape)}"
        raise AssertionError(f"importance_scores should have the same shape as {whose}, {got}")


class BasePruningMethod(Facade):
    """A hook that computes a weight of its original and a mask before each call of a module."""

    __facade__ = True
    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Any:
        raise UnsupportedError("BasePruningMethod.compute_mask is not supported here", help="define it in your class")

    def apply_mask(self, module: Any) -> Any:
        """Return the original of the weight, with 0 where the mask says so."""
        original, mask = (getattr(module, self._tensor_name + end) for end in ("_orig", "_mask"))
        return Tensor(mask.array.astype(original.dtype)) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prune a weight of a module, or prune it further; return the hook."""
        held = {key: hook for key, hook in module._forward_pre_hooks.items() if prunes(hook, name)}
        for key in held:
            del module._forward_pre_hooks[key]
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        for before in held.values():
            container = before if isinstance(before, PruningContainer) else PruningContainer(before)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name)
        if importance_scores is not None:
            _same_shape(importance_scores, original, f"parameter {name} of {module!r}")
        if held:
            default = Tensor(np.array(getattr(module, f"{name}_mask").array, order="C"))
        else:
            module.register_parameter(f"{name}_orig", original)
            del module._parameters[name]
            default = Tensor(np.ones_like(original.array))
        try:
            scores = original if importance_scores is None else importance_scores
            module.register_buffer(f"{name}_mask", method.compute_mask(scores, default_mask=default))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not held:
                module.register_parameter(name, module._parameters.pop(f"{name}_orig"))
            raise
        return method

    def prune(self, t: Tensor, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """Return a pruned tensor, without a module."""
        if importance_scores is not None:
            _same_shape(importance_scores, t, "tensor t")
        default = Tensor(np.ones_like(t.array)) if default_mask is None else default_mask
        return t * self.compute_mask(t if importance_scores is None else importance_scores, default_mask=default)

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again, as the mask left it."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        original.data = weight.detach()
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


def prunes(hook: Any, name: str) -> bool:
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


class PruningContainer(BasePruningMethod):
    """Several methods for one weight: each prunes what those before it left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{represent(type_of(method))} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer "
                f"{represent(self)}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, index: Any) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Any:
        """Return the mask with the entries that the last method takes from it."""
        method = self._pruning_methods[-1]
        chosen = self._left(method, t, default_mask.array)
        mask = default_mask.array.astype(t.dtype)
        part = method.compute_mask(t[tuple(map(_place, chosen))], default_mask=Tensor(default_mask.array[chosen]))
        mask[chosen] = part.array
        return Tensor(mask)

    def _left(self, method: Any, t: Tensor, mask: Any) -> tuple[Any, ...]:
        """Return the places of the entries that a method is shown: those that are left, their channels, or all."""
        if method.PRUNING_TYPE == "unstructured":
            return (mask == 1,)
        places: list[Any] = [slice(None)] * t.ndim
        if method.PRUNING_TYPE == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
                )
            if method.dim < -t.ndim:
                raise IndexError(f"Index is out of bounds for tensor with dimensions {t.ndim}")
            others = tuple(axis for axis in range(t.ndim) if axis != method.dim % t.ndim)
            places[method.dim] = mask.sum(axis=others) != 0
        elif method.PRUNING_TYPE != "global":
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        return tuple(places)


def _place(chosen: Any) -> Any:
    return Tensor(chosen) if isinstance(chosen, np.ndarray) else chosen
