"""The call of a module that has hooks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.autograd.functions import Function

FIRING = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)
Gradients = tuple[Any, ...]


def call_with_hooks(module: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Run the forward pass with all hooks of the module, in torch's order."""
    for hook in list(module._forward_pre_hooks.values()):
        replaced = hook(module, arguments)
        if replaced is not None:
            arguments = replaced if isinstance(replaced, tuple) else (replaced,)
    backward = BackwardHooks(module, list(module._backward_hooks.values())) if module._backward_hooks else None
    if backward is not None:
        arguments = backward.enter(arguments)
    result = module.forward(*arguments, **keywords)
    for hook in list(module._forward_hooks.values()):
        replaced = hook(module, arguments, result)
        result = result if replaced is None else replaced
    return result if backward is None else backward.leave(result)


class BackwardHookFunction(Function):
    """The tensors themselves; their gradients are those that the hooks make of them."""

    @staticmethod
    def forward(ctx: Any, arrived: Callable[[Gradients], Gradients], *tensors: Tensor) -> Any:
        ctx.arrived = arrived
        ctx.set_materialize_grads(False)
        return tuple(x.view(x.shape) for x in tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return None, *ctx.arrived(gradients)


class BackwardHooks:
    """The backward hooks of one call: they run when the gradients of its inputs are known."""

    def __init__(self, module: Any, hooks: Sequence[Callable[..., Any]]) -> None:
        self.module, self.hooks = module, hooks
        self.inputs: tuple[Any, ...] = ()
        self.places: list[int] = []  # of the inputs that get gradients
        self.grad_output: Gradients | None = None  # None until it is known, in each pass

    def enter(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        self.inputs, self.places = arguments, _recorded(arguments)
        return _passed(arguments, self.places, self._at_inputs)

    def leave(self, result: Any) -> Any:
        results = result if isinstance(result, tuple) else (result,)
        if not all(isinstance(x, Tensor) for x in results):
            words = "For backward hooks to be called, the output should be a Tensor or a tuple of Tensors, not"
            warnings.warn(f"{words} {type_of(result)!r}", UserWarning, stacklevel=2)
            return result
        places = _recorded(results)

        def arrived(gradients: Gradients) -> Gradients:
            by_place = dict(zip(places, gradients, strict=True))
            self.grad_output = tuple(by_place.get(place) for place in range(len(results)))
            if not self.places:
                warnings.warn(FIRING, UserWarning, stacklevel=2)
                if any(gradient is not None for gradient in self._run((None,) * len(self.inputs))):
                    raise AutogradError("Backward hook should return None where no input requires gradient")
            return gradients

        passed = _passed(results, places, arrived)
        return passed if isinstance(result, tuple) else passed[0]

    def _at_inputs(self, gradients: Gradients) -> Gradients:
        if self.grad_output is None:
            return gradients
        by_place = dict(zip(self.places, gradients, strict=True))
        zeros = (Tensor(np.zeros_like(x.value)[()]) if isinstance(x, Tensor) else None for x in self.inputs)
        grad_input = self._run(tuple(by_place.get(place, zero) for place, zero in enumerate(zeros)))
        self.grad_output = None  # the next pass may not go by the outputs
        return tuple(grad_input[place] for place in self.places)

    def _run(self, grad_input: Gradients) -> Gradients:
        """Call the hooks; each may replace the gradients of the inputs for the next hook and for the backward pass."""
        for hook in self.hooks:
            replaced = hook(self.module, grad_input, self.grad_output)
            if replaced is not None:
                new = replaced if isinstance(replaced, tuple) else (replaced,)
                if len(new) != len(grad_input):
                    raise AutogradError(f"Backward hook returned {len(new)} grad_input, but expected {len(grad_input)}")
                grad_input = new
        return grad_input


def _recorded(values: tuple[Any, ...]) -> list[int]:
    """Return the positions of the tensors that need gradients."""
    if not mode.grad_enabled:
        return []
    return [position for position, x in enumerate(values) if isinstance(x, Tensor) and x.requires_grad]


def _passed(values: tuple[Any, ...], places: list[int], arrived: Callable[[Gradients], Gradients]) -> tuple[Any, ...]:
    """Return the values, with one node behind those at some places where all their gradients come together."""
    if not places:
        return values
    new = dict(zip(places, BackwardHookFunction.apply(arrived, *(values[n] for n in places)), strict=True))
    return tuple(new.get(position, x) for position, x in enumerate(values))
