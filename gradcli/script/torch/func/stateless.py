"""Calling a module with other parameters than its own: `torch.func.functional_call`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops

TABLES = ("_parameters", "_buffers")


@contextmanager
def replaced(module: Any, tensors: dict[str, Any], *, tied: bool) -> Iterator[None]:
    """Give the module other tensors under the given names; with `tied`, also under other names of the same tensor."""
    places = {
        f"{prefix}{'.' if prefix else ''}{name}": (vars(part)[table], name)
        for prefix, part in module.named_modules()
        for table in TABLES
        for name in vars(part)[table]
    }
    before = [(table, name, table[name]) for table, name in places.values()]
    unknown = [name for name in tensors if name not in places]
    if unknown:
        raise AttributeError(f"{type(module).__name__} has no parameter or buffer named {unknown[0]!r}")
    try:
        for name, tensor in tensors.items():
            table, own = places[name]
            old = table[own]
            for other, place, value in before:
                if (other is table and place == own) or (tied and value is old and old is not None):
                    other[place] = tensor
        yield
    finally:
        for table, name, value in before:
            table[name] = value


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
    given = parameter_and_buffer_dicts
    tensors = dict(given) if isinstance(given, dict) else {key: x for part in given for key, x in part.items()}
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, tensors, tied=tie_weights):
        return module(*arguments, **(kwargs or {}))


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters, and the buffers, of modules that are built alike."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
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
