"""Optimizers as declarations: a signature with the options, a table of their ranges, and a method for the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.python.text.formatting import formatted
from gradcli.script.torch.optim.optimizer import Optimizer, number
from gradcli.script.torch.optim.state import Group, scalar
from gradcli.script.torch.signature import given

TEXTS = {"lr": "learning rate", "eps": "epsilon value"}  # how torch's errors call an option, if not by its name


def _check_sign(name: str, value: Any) -> None:
    if isinstance(value, Tensor) and value.value.size != 1:
        raise ValueError("Tensor lr must be 1-element")
    if isinstance(value, str):
        raise TypeError("'<=' not supported between instances of 'float' and 'str'")
    if not number(value) >= 0:
        raise ValueError(f"Invalid {TEXTS.get(name, f'{name} value')}: {formatted(value)}")


def _check_betas(_: str, betas: Any) -> None:
    for position, beta in enumerate(betas[:2]):
        if not 0 <= beta < 1:
            raise ValueError(f"Invalid beta parameter at index {position}: {beta}")


def _check_rho(_: str, rho: Any) -> None:
    if not 0 <= rho <= 1:
        raise ValueError(f"Invalid rho value: {rho}")


def _check_etas(_: str, etas: Any) -> None:
    if not 0.0 < etas[0] < 1.0 < etas[1]:
        raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")


# The ranges of options, in the order in which torch checks them.
RANGES: dict[str, Callable[[str, Any], None]] = {
    "lr": _check_sign,
    "lr_decay": _check_sign,
    "rho": _check_rho,
    "etas": _check_etas,
    "eps": _check_sign,
    "betas": _check_betas,
    "momentum": _check_sign,
    "weight_decay": _check_sign,
    "initial_accumulator_value": _check_sign,
    "alpha": _check_sign,
    "momentum_decay": _check_sign,
}


def _check_kernels(options: Group) -> None:
    """Refuse kernels that exclude each other, or another option."""
    if options.get("fused"):
        if options.get("differentiable"):
            raise RuntimeError("`fused` does not support `differentiable`")
        if options.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    if options.get("foreach") and not options.get("capturable", True) and isinstance(options.get("lr"), Tensor):
        raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")


class Declared(Optimizer):
    """An optimizer whose options are declared by its signature; `_updated` takes them by name."""

    _signature = "params"
    _listed = ""  # the options in the order of `defaults`, where that is not the signature's
    _checked = " ".join(RANGES)

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        options = given(type(self), arguments, keywords)
        params = options.pop("params")
        for name in self._checked.split():
            if name in options:
                RANGES[name](name, options[name])
        options = self._settled(options)
        _check_kernels(options)
        super().__init__(params, {name: options[name] for name in self._listed.split() or options})

    def _settled(self, options: Group) -> Group:
        """Return the options in the form of `defaults`; ValueError if they exclude each other."""
        return options

    def _state(self, parameter: Tensor, *averages: str, **scalars: float) -> dict[str, Tensor]:
        """Count a step in the state of a parameter, and return it; averages begin at 0, scalars as given."""
        state: dict[str, Tensor] = self.state[parameter]
        if not state:
            state["step"] = Tensor(scalar(0))
            state.update((name, Tensor(scalar(value))) for name, value in scalars.items())
            state.update((name, Tensor(np.zeros_like(parameter.value)[()])) for name in averages)
        state["step"].value += state["step"].value.dtype.type(1)
        return state
