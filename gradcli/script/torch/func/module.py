"""The module `torch.func`, and calling a module with other parameters than its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.python.members.absence import without
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.autograd.module import without_operations
from gradcli.script.torch.func.reverse import Func, Places, grad, grad_and_value, jacfwd, jacrev, jvp, vjp
from gradcli.script.torch.func.vectorising import vmap

Place = tuple[dict[str, Any], str]  # a table of a module, and the name in it


def places_of(module: Any) -> dict[str, Place]:
    """Return where a module and those below it hold tensors: attributes, buffers and parameters, by dotted name."""
    places: dict[str, Place] = {}
    for prefix, submodule in module.named_modules():
        start = f"{prefix}." if prefix else ""
        attributes = [name for name, x in vars(submodule).items() if isinstance(x, Tensor)]
        places |= {start + name: (vars(submodule), name) for name in attributes}
        for table in (submodule._buffers, submodule._parameters):
            places |= {start + name: (table, name) for name in table}
    return places


@contextmanager
def replace_tensors(module: Any, tensors: dict[str, Any]) -> Iterator[None]:
    """Give the module other tensors under the given names, and under other names of the same tensors."""
    places = places_of(module)
    for name, tensor in tensors.items():
        if name not in places:
            module.get_submodule(name.rpartition(".")[0])  # raises for an unknown name; a new name is an attribute
        if not (tensor is None or isinstance(tensor, Tensor)):
            raise TypeError(f"{text(tensor)} is not an instance of torch.Tensor")
    before = {name: table[key] for name, (table, key) in places.items()}
    tied = {id(before[name]): tensor for name, tensor in tensors.items() if before.get(name) is not None}
    replacements = {name: tied[id(old)] for name, old in before.items() if id(old) in tied}
    replacements |= {name: tensor for name, tensor in tensors.items() if name in places}
    try:
        for name, tensor in replacements.items():
            table, key = places[name]
            table[key] = tensor
        yield
    finally:
        for name in replacements:
            table, key = places[name]
            table[key] = before[name]


def merge_tables(dicts: Any) -> dict[str, Any]:
    """Return the tensors by their names, from a dict or several."""
    if isinstance(dicts, dict):
        return dict(dicts)
    if not isinstance(dicts, Sequence) or not all(isinstance(each, dict) for each in dicts):
        raise ValueError(f"Expected parameter_and_buffer_dicts to be dicts, got {represent(type_of(dicts))}")
    repeated = [key for key, count in Counter(key for each in dicts for key in each).items() if count > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {key: x for each in dicts for key, x in each.items()}


@without("tie_weights strict")
def functional_call(module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None) -> Any:
    """Call the module with the parameters and buffers of the dicts."""
    tensors = merge_tables(parameter_and_buffer_dicts)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with replace_tensors(module, tensors):
        return module(*arguments, **(kwargs or {}))


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters, and the buffers, of modules that are built alike."""
    if len({(id(type_of(model)), model.training) for model in models}) != 1:
        raise RuntimeError("stack_module_state: Expected models of the same class and training/eval mode.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return (
        {
            name: ops.stack([each[name] for each in parameters], 0).detach().requires_grad_(x.requires_grad)
            for name, x in parameters[0].items()
        },
        {name: ops.stack([each[name] for each in buffers], 0) for name in buffers[0]},
    )


def hessian(func: Func, argnums: Places = 0) -> Func:
    """Make a function that returns the Hessian of `func`."""
    return jacfwd(jacrev(func, argnums), argnums)


TRANSFORMS = (
    grad, grad_and_value, vjp, jvp, jacrev, jacfwd, hessian, vmap, functional_call, stack_module_state,
)  # fmt: skip
MEMBERS: dict[str, Any] = {function.__name__: function for function in TRANSFORMS}


def namespace(name: str) -> Namespace:
    return Namespace(name, without_operations(MEMBERS))
