"""`weight_norm` and `spectral_norm`: weights that are computed from other parameters before each call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, attribute
from gradcli.script.python.values.reflection import delete_attribute, set_attribute
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.layers.images.convolution import Transposed

OLD = "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`."


class Rescaling(Facade):
    """A hook that computes the weight of a module before each call."""

    __facade__ = True

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, dim

    def compute_weight(self, module: Any) -> Any:
        raise NotImplementedError

    def __call__(self, module: Any, inputs: Any) -> None:
        set_attribute(module, self.name, self.compute_weight(module))


class WeightNorm(Rescaling):
    """The hook that computes a weight of its length and direction."""

    __module__ = "torch.nn.utils.weight_norm"

    def compute_weight(self, module: Any) -> Any:
        g, v = attribute(module, f"{self.name}_g"), attribute(module, f"{self.name}_v")
        return rescaled(v, g, self.dim)


class SpectralNorm(Rescaling):
    """The hook that divides a weight by its largest singular value, found by power iteration."""

    __module__ = "torch.nn.utils.spectral_norm"

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__(name, dim)
        if n_power_iterations <= 0:
            words = f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            raise ValueError(words)
        self.n_power_iterations, self.eps = n_power_iterations, eps

    def compute_weight(self, module: Any, do_power_iteration: bool | None = None) -> Any:
        original, u, v = (attribute(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        table = matrix(original, self.dim)
        if module.training if do_power_iteration is None else do_power_iteration:
            for _ in range(self.n_power_iterations):
                running.machine.budget.spend(1)
                v.array[...] = unit(table.array.T @ u.array, self.eps)
                u.array[...] = unit(table.array @ v.array, self.eps)
        largest = ops.dot(Tensor(u.array.copy()), ops.mv(table, Tensor(v.array.copy())))
        return original / largest

    def note(self, module: Any, state: Any, prefix: str, metadata: dict[str, Any]) -> None:
        """Note the version of the hook with the state of its module."""
        metadata.setdefault("spectral_norm", {})[f"{self.name}.version"] = 1

    def check(self, state: Any, prefix: str, metadata: Any, strict: bool, missing: list[str], *_: Any) -> None:
        """Refuse a state of old, unless it is one of now without its version."""
        key = prefix + self.name
        is_new = key not in state and all(f"{key}_{part}" in state for part in ("orig", "u", "v"))
        if f"{self.name}.version" in metadata.get("spectral_norm", {}) or is_new:
            return
        absent = [name for name in (f"{key}_orig", key, f"{key}_u") if name not in state]
        missing += absent if strict else []
        if not absent:
            raise UnsupportedError("a state of spectral_norm without a version is not supported here")


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
    return as_node(made, "WeightNormInterfaceBackward0") if axis in (0, v.ndim - 1) else made


def _check_first(kind: type[Rescaling], module: Any, name: str, what: str) -> None:
    """Raise RuntimeError if a module has such a hook for the weight."""
    if any(isinstance(hook, kind) and hook.name == name for hook in module._forward_pre_hooks.values()):
        raise RuntimeError(f"Cannot register two {what} hooks on the same parameter {name}")


def _unhooked(kind: type[Rescaling], module: Any, name: str, what: str) -> Any:
    """Take the hook of a weight off a module, and return it."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, kind) and hook.name == name:
            return module._forward_pre_hooks.pop(key)
    raise ValueError(f"{what} of '{name}' not found in {module!r}")


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Learn the length and the direction of a weight apart: Salimans and Kingma 2016."""
    warnings.warn(OLD, FutureWarning, stacklevel=2)
    _check_first(WeightNorm, module, name, "weight_norm")
    hook, weight = WeightNorm(name, -1 if dim is None else dim), attribute(module, name)
    with set_grad_enabled(False):
        length = lengths(weight, hook.dim)
    _replace(module, name, {"_g": Parameter(length), "_v": Parameter(weight.detach())})
    set_attribute(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight a parameter again."""
    weight = _unhooked(WeightNorm, module, name, "weight_norm").compute_weight(module)
    delete_attribute(module, name)
    for ending in ("_g", "_v"):
        del module._parameters[name + ending]
    set_attribute(module, name, Parameter(weight.detach()))
    return module


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value: Miyato et al. 2018."""
    _check_first(SpectralNorm, module, name, "spectral_norm")
    axis = dim if dim is not None else 1 if isinstance(module, Transposed) else 0
    hook = SpectralNorm(name, n_power_iterations, axis, eps)
    weight = attribute(module, name)
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    rows = matrix(weight, axis)
    first = [running.machine.generator.normal((size,), weight.dtype) for size in rows.shape]
    _replace(module, name, {"_orig": weight})
    set_attribute(module, name, weight.detach())
    for ending, vector in zip(("_u", "_v"), first, strict=True):
        module.register_buffer(name + ending, Tensor(unit(vector, eps)))
    module.register_forward_pre_hook(hook)
    module._register_state_dict_hook(hook.note)
    module._register_load_state_dict_pre_hook(hook.check)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight a parameter again."""
    hook = _unhooked(SpectralNorm, module, name, "spectral_norm")
    with set_grad_enabled(False):
        weight = hook.compute_weight(module, do_power_iteration=False)
    delete_attribute(module, name)
    for table, ending in ((module._buffers, "_u"), (module._buffers, "_v"), (module._parameters, "_orig")):
        del table[name + ending]
    module.register_parameter(name, Parameter(weight.detach()))
    for hooks in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for key, (kept, _) in list(hooks.items()):
            if getattr(kept, "__self__", None) is hook:
                del hooks[key]
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
    made.__name__: made for made in (weight_norm, remove_weight_norm, spectral_norm, remove_spectral_norm)
}
