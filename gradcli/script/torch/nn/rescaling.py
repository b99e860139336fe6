"""`weight_norm` and `spectral_norm`: weights that are computed from other parameters before each call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import ended
from gradcli.script.machine import running
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.layers.images.convolution import Transposed

OLD = "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`."


class Rescaling:
    """A hook that computes the weight of a module before each call."""

    def __init__(self, name: str, make: Callable[[Any], Any]) -> None:
        self.name, self.make = name, make

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.make(module))


def _replace(module: Any, name: str, parts: dict[str, Any]) -> Any:
    """Replace a weight of a module by the parameters that it is computed from, and return it."""
    weight = module._parameters.pop(name)
    for ending, part in parts.items():
        module.register_parameter(name + ending, part)
    return weight


def lengths(v: Any, dim: int) -> Any:
    """Return the norm of each slice along a dimension, with all dimensions kept; for -1 the norm of the whole."""
    if dim == -1:
        return ops.norm(v)
    others = [axis for axis in range(v.ndim) if axis != dim]
    return ops.vector_norm(v, 2, tuple(others), True)


def rescaled(v: Any, g: Any, axis: int) -> Any:
    """Return a weight of a direction and a length."""
    made = v * (g / lengths(v, axis))
    return ended(made, "WeightNormInterfaceBackward0") if axis in (0, v.ndim - 1) else made


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Learn the length and the direction of a weight apart: Salimans and Kingma 2016."""
    warnings.warn(OLD, FutureWarning, stacklevel=2)
    if any(isinstance(hook, Rescaling) and hook.name == name for hook, _ in module._forward_pre_hooks.values()):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    axis, weight = -1 if dim is None else dim, getattr(module, name)
    with set_grad_enabled(False):
        length = lengths(weight, axis)
    _replace(module, name, {"_g": Parameter(length), "_v": Parameter(weight.detach())})

    def make(owner: Any) -> Any:
        g, v = getattr(owner, f"{name}_g"), getattr(owner, f"{name}_v")
        return rescaled(v, g, axis)

    setattr(module, name, make(module))
    module.register_forward_pre_hook(Rescaling(name, make))
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight a parameter again."""
    for key, (hook, _) in list(module._forward_pre_hooks.items()):
        if isinstance(hook, Rescaling) and hook.name == name and f"{name}_g" in module._parameters:
            weight = hook.make(module)
            delattr(module, name)
            for ending in ("_g", "_v"):
                del module._parameters[name + ending]
            setattr(module, name, Parameter(weight.detach()))
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module!r}")


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value, found by power iteration: Miyato et al. 2018."""
    axis = dim if dim is not None else 1 if isinstance(module, Transposed) else 0
    weight = getattr(module, name)
    rows = matrix(weight, axis)
    first = [running.machine.generator.normal((size,), weight.dtype) for size in rows.shape]
    _replace(module, name, {"_orig": weight})
    setattr(module, name, weight.detach())
    for ending, vector in zip(("_u", "_v"), first, strict=True):
        module.register_buffer(name + ending, Tensor(unit(vector, eps)))

    def make(owner: Any) -> Any:
        original, u, v = (getattr(owner, f"{name}_{part}") for part in ("orig", "u", "v"))
        table = matrix(original, axis)
        if owner.training:
            for _ in range(n_power_iterations):
                running.machine.budget.spend(1)
                v.array[...] = unit(table.array.T @ u.array, eps)
                u.array[...] = unit(table.array @ v.array, eps)
        largest = ops.dot(Tensor(u.array.copy()), ops.mv(table, Tensor(v.array.copy())))
        return original / largest

    module.register_forward_pre_hook(Rescaling(name, make))
    return module


def matrix(weight: Any, axis: int) -> Any:
    """Return the weight as a matrix with a row for each entry of a dimension."""
    if axis:
        order = [axis, *(other for other in range(weight.ndim) if other != axis)]
        weight = ops.permute(weight, *order)
    return ops.reshape(weight, weight.shape[0], -1)


def unit(vector: Any, eps: float) -> Any:
    return vector / np.maximum(np.linalg.norm(vector), vector.dtype.type(eps))


MEMBERS: dict[str, Callable[..., Any]] = {
    made.__name__: made for made in (weight_norm, remove_weight_norm, spectral_norm)
}
