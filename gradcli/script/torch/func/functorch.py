"""`functorch`: the names of `torch.func` from before it was part of torch; each warns when it is used."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.func.module import MEMBERS
from gradcli.script.torch.func.stateless import functional_call

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
    names = [name for name, _ in model.named_parameters()]

    def call(parameters: Any, *arguments: Any, **keywords: Any) -> Any:
        return functional_call(model, dict(zip(names, parameters, strict=True)), arguments, keywords)

    found: tuple[Tensor, ...] = tuple(parameter for _, parameter in model.named_parameters())
    return call, tuple(x.detach() for x in found) if disable_autograd_tracking else found


NAMES = ("grad", "grad_and_value", "vjp", "jvp", "jacrev", "jacfwd", "hessian")


def namespace(name: str) -> Namespace:
    """`functorch`."""
    members = {one: moved(one, MEMBERS[one], f"torch.func.{one}") for one in NAMES}
    return Namespace(
        name,
        {
            **members,
            "vmap": moved("vmap", MEMBERS["vmap"], "torch.vmap"),
            "make_functional": moved("make_functional", make_functional, "torch.func.functional_call"),
        },
    )
