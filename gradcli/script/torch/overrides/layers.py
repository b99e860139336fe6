"""The layers of torch in a run that overrides: a few call a known function, of the others the results are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.kinds import is_own_function
from gradcli.script.torch.nn.base.hooks import call_forward
from gradcli.script.torch.nn.functional import module as functional
from gradcli.script.torch.operations import facade
from gradcli.script.torch.overrides.dispatch import ask, asked, flat, is_default, overridable, overrides
from gradcli.script.torch.overrides.forms import Form


def _of_functional(name: str) -> Any:
    return overridable(f"torch.nn.functional.{name}", functional.find(name) or call_forward)


def _of_torch(name: str) -> Any:
    return overridable(f"torch.{name}", facade.function(name) or call_forward)


KNOWN: dict[str, Callable[..., Any]] = {
    "Linear": lambda layer, x: _of_functional("linear")(x, layer.weight, layer.bias),
    "ReLU": lambda layer, x: _of_functional("relu")(x, inplace=layer.inplace),
    "Tanh": lambda layer, x: _of_torch("tanh")(x),
    "Sigmoid": lambda layer, x: _of_torch("sigmoid")(x),
    "MSELoss": lambda layer, x, y: _of_functional("mse_loss")(x, y, reduction=layer.reduction),
}
OF_OTHERS = ("Sequential",)  # whose forward pass is no more than those of others


def forward(module: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call the forward pass of a module; one of torch's that may be overridden asks first."""
    name, found = type(module).__name__, asked(flat(arguments, keywords))
    is_own = is_own_function(type(module).forward) or name in OF_OTHERS
    if is_own or not (found or overrides().modes):
        return call_forward(module, arguments, keywords)
    if name in KNOWN:
        return KNOWN[name](module, *arguments, **keywords)
    if overrides().modes or not all(is_default(type(value)) for value in found):
        raise UnsupportedError(
            f"{name} in a TorchFunctionMode, or of a class with __torch_function__, is not supported"
        )
    return ask(lambda *given, **named: call_forward(module, given, named), Form(name), found, (arguments, keywords))
