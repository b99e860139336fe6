"""`functorch`: the names of `torch.func` from before it was part of torch; each warns when it is used."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.func.module import MEMBERS
from gradcli.script.torch.func.stateless import functional_call, stack_module_state

INTEGRATED = (
    "We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{}` is deprecated as of "
    "PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use `{}` instead; see the PyTorch "
    "2.0 release notes and/or the `torch.func` migration guide for more details "
    "https://pytorch.org/docs/main/func.migrating.html"
)


def moved(name: str, function: Callable[..., Any], new: str) -> Callable[..., Any]:
    """Return the function under its old name, with the warning."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        warnings.warn(INTEGRATED.format(name, new), FutureWarning, stacklevel=2)
        return function(*arguments, **keywords)

    return call


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a function of the parameters and the input, and the parameters."""
    call, parameters, _ = make_functional_with_buffers(model, disable_autograd_tracking)
    return lambda given, *arguments, **keywords: call(given, (), *arguments, **keywords), parameters


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]:
    """Return a function of the parameters, the buffers and the input, and the parameters and buffers."""
    parameters, buffers = dict(model.named_parameters()), dict(model.named_buffers())

    def call(weights: Any, others: Any, *arguments: Any, **keywords: Any) -> Any:
        tensors = dict(zip((*parameters, *buffers), (*weights, *others), strict=bool(others)))
        return functional_call(model, tensors, arguments, keywords)

    found = tuple(x.detach() if disable_autograd_tracking else x for x in parameters.values())
    return call, found, tuple(buffers.values())


def combine_state_for_ensemble(models: Any) -> tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]:
    """Return a function of the parameters, the buffers and the input, and those of all modules, stacked."""
    parameters, buffers = stack_module_state(models)
    call, _, _ = make_functional_with_buffers(models[0])
    return call, tuple(parameters.values()), tuple(buffers.values())


NAMES = ("grad", "grad_and_value", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "functionalize")


def namespace(name: str) -> Namespace:
    """`functorch`."""
    members = {one: moved(one, MEMBERS[one], f"torch.func.{one}") for one in NAMES}
    return Namespace(
        name,
        {
            **members,
            "vmap": moved("vmap", MEMBERS["vmap"], "torch.vmap"),
            **{
                function.__name__: moved(function.__name__, function, "torch.func.functional_call")
                for function in (make_functional, make_functional_with_buffers)
            },
            "combine_state_for_ensemble": moved(
                "combine_state_for_ensemble", combine_state_for_ensemble, "torch.func.stack_module_state"
            ),
        },
    )
