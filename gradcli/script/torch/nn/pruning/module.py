"""The functions of `torch.nn.utils.prune`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.python.text.formatting import represent
from gradcli.script.torch.nn.pruning.base import (
    BasePruningMethod,
    PruningContainer,
    check_amount,
    check_count,
    count,
    prunes,
)
from gradcli.script.torch.nn.pruning.methods import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
    Structured,
    Unstructured,
)
from gradcli.script.torch.nn.vectors import parameters_to_vector


def identity(module: Any, name: str) -> Any:
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None) -> Any:
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prune several weights as if they were one."""
    if not hasattr(parameters, "__iter__"):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if importance_scores is not None and not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    scores = [(importance_scores or {}).get(pair, getattr(*pair)) for pair in pairs]
    masks = [
        getattr(module, f"{name}_mask", Tensor(np.ones_like(getattr(module, name).array))) for module, name in pairs
    ]
    method = pruning_method(**kwargs)
    container = PruningContainer()
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{represent(pruning_method)} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    found = container.compute_mask(parameters_to_vector(scores), parameters_to_vector(masks)).array
    for module, name in pairs:
        size = getattr(module, name).value.size
        custom_from_mask(module, name, Tensor(found[:size].reshape(getattr(module, name).shape)))
        found = found[size:]


def remove(module: Any, name: str) -> Any:
    """Make a pruned weight a parameter again."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if prunes(hook, name):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module!r} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    return any(
        isinstance(hook, BasePruningMethod) for part in module.modules() for hook in part._forward_pre_hooks.values()
    )


METHODS = (
    BasePruningMethod,
    PruningContainer,
    Identity,
    RandomUnstructured,
    L1Unstructured,
    RandomStructured,
    LnStructured,
    CustomFromMask,
)
for kind in (*METHODS, Unstructured, Structured):
    kind.__module__ = "torch.nn.utils.prune"
FUNCTIONS: tuple[Callable[..., Any], ...] = (
    identity,
    random_unstructured,
    l1_unstructured,
    random_structured,
    ln_structured,
    custom_from_mask,
    global_unstructured,
    remove,
    is_pruned,
)
MEMBERS: dict[str, Any] = {
    **{made.__name__: made for made in METHODS},
    **{made.__name__: made for made in FUNCTIONS},
    "_validate_pruning_amount_init": check_amount,
    "_validate_pruning_amount": check_count,
    "_compute_nparams_toprune": count,
}
