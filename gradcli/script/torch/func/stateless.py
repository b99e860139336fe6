"""Calling a module with other parameters than its own: `torch.func.functional_call`."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.builtins import type_of
from gradcli.script.python.values.reflection import getattr_, hasattr_
from gradcli.script.python.values.special import exact
from gradcli.script.torch.nn.base.base import Module

DEPRECATED = (
    "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
    "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement."
)
TABLES = ("_parameters", "_buffers")


@contextmanager
def replaced(module: Any, tensors: dict[str, Any], *, tied: bool) -> Iterator[None]:
    """Give the module other tensors under the given names; with `tied`, also under other names of the same tensor."""
    _ = module.named_parameters  # the first that torch asks of what is no module
    places = {
        f"{prefix}{'.' if prefix else ''}{name}": (vars(part)[table], name)
        for prefix, part in module.named_modules()
        for table in TABLES
        for name in vars(part)[table]
    }
    if tied:
        check_tied(places, tensors)
    for tensor in tensors.values():
        if not (tensor is None or isinstance(tensor, Tensor)):
            raise TypeError(f"{text(tensor)} is not an instance of torch.Tensor")
    found = {name: places[name] if name in places else place_of(module, name) for name in tensors}
    known = [*places.values(), *(place for place in found.values() if place is not None)]
    before = [(table, name, table[name]) for table, name in known]
    try:
        for name, place in found.items():
            if place is None:  # it would be an attribute, which nobody reads, for the time of the call
                continue
            table, own = place
            old = table[own]
            for other, key, value in before:
                if (other is table and key == own) or (tied and value is old and old is not None):
                    other[key] = tensors[name]
        yield
    finally:
        for table, name, value in before:
            table[name] = value


def place_of(module: Any, name: str) -> tuple[dict[str, Any], str] | None:
    """Return the table that has the name, and the last part of this; refuse one whose parts before are no modules."""
    part = module
    *path, own = exact(name).split(".")
    for end, word in enumerate(path, 1):
        found = getattr_(part, word, None)
        if found is None:
            raise AttributeError(f"{type(part).__name__} has no attribute `{word}`")
        part = found
        if not isinstance(part, Module):
            raise TypeError(f"submodule `{'.'.join(path[:end])}`: {text(part)} is not an instance of torch.nn.Module")
    if not own:
        raise KeyError('tensor name can\'t be empty string ""')
    for table in TABLES:
        if own in vars(part)[table]:
            return vars(part)[table], own
    if not hasattr_(part, own):
        return None
    value = getattr_(part, own)
    if isinstance(value, Tensor):
        return vars(part), own
    raise TypeError(f"attribute `{own}`: {text(value)} is not an instance of torch.Tensor")


def check_tied(places: dict[str, Any], tensors: dict[str, Any]) -> None:
    """Refuse several tensors for one that the module has under several names."""
    names: dict[int, list[str]] = {}
    for name, (table, own) in places.items():
        if table[own] is not None:
            names.setdefault(id(table[own]), []).append(name)
    for tied in names.values():
        if len({id(tensors[name]) for name in tied if name in tensors}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. Consider using "
                "tie_weights=False"
            )


def check_keys(module: Any, tensors: dict[str, Any], *, tied: bool) -> None:
    """Refuse names that the module has not, and a module that has more."""
    known = {name: x for of in (module.named_parameters, module.named_buffers) for name, x in of("", True, False)}
    given = {id(known[name]) for name in tensors if name in known}
    unexpected = [name for name in tensors if name not in known]
    missing = [name for name, x in known.items() if name not in tensors and not (tied and id(x) in given)]
    wrong = [
        f"{kind} key(s): {', '.join(map(repr, sorted(names)))}."
        for kind, names in (("Unexpected", unexpected), ("Missing", missing))
        if names
    ]
    if wrong:
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(wrong))


def collected(given: Any) -> dict[str, Any]:
    """Return the tensors by their names, from a dict or several."""
    if isinstance(given, dict):
        return dict(given)
    if not isinstance(given, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{represent(type_of(given))}"
        )
    if not all(isinstance(part, dict) for part in given):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    counts = Counter(key for part in given for key in part)
    repeated = [key for key, count in counts.items() if count > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {key: x for part in given for key, x in part.items()}


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call the module with the parameters and buffers of the dicts."""
    tensors = collected(parameter_and_buffer_dicts)
    if strict:
        check_keys(module, tensors, tied=tie_weights)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, tensors, tied=tie_weights):
        return module(*arguments, **(kwargs or {}))


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters, and the buffers, of modules that are built alike."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({id(type_of(model)) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    stack = ops.stack
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return (
        {
            name: stack([each[name] for each in parameters]).detach().requires_grad_(x.requires_grad)
            for name, x in parameters[0].items()
        },
        {name: stack([each[name] for each in buffers]) for name in buffers[0]},
    )


def deprecated_call(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call the module by the name that the function had before `torch.func`."""
    warnings.warn(DEPRECATED, FutureWarning, stacklevel=2)
    return functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
