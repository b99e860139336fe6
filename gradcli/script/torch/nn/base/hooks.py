"""The call of a module that has hooks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.memory.views import CUSTOM, PART, is_view
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.covering import passing
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import text
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.nn.base.everywhere import everywhere
from gradcli.script.torch.nn.base.last_node import hook_last_node
from gradcli.script.torch.nn.base.passage import together

FIRING = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)
SILENCED = (
    "module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised "
    "in forward: {}"
)


BOTH = "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of them."
OF_CALLS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
)

# What goes in and out of a module passes through it, so that there is a node whose gradients can be looked at.
passage = passing("passage", "BackwardHookFunctionBackward", view=True)


@cache
def passage_of(number: int) -> Primitive:
    """Return the passage of one of several outputs, which have one node in torch."""
    return replace(passage, number=number)


def call_with_hooks(module: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Run the forward pass with all hooks of the module, in torch's order; some are called after an error, too."""
    progress = Progress(arguments, keywords)
    try:
        return _called_with_hooks(module, arguments, keywords, progress)
    except Exception:
        for key, hook, owner in called_at("_forward_hooks", module):
            if key in owner._forward_hooks_always_called and key not in progress.called:
                with_keywords = key in owner._forward_hooks_with_kwargs
                given = (progress.arguments, progress.keywords) if with_keywords else (progress.arguments,)
                try:
                    hook(module, *given, progress.result)
                except Exception as error:
                    warnings.warn(SILENCED.format(error), UserWarning, stacklevel=2)
        raise


@dataclass(slots=True)
class Progress:
    """The state of a call when it is broken off: its arguments and result, and the forward hooks that were called."""

    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    result: Any = None
    called: set[int] = field(default_factory=set)


def call_forward(module: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return module.forward(*arguments, **keywords)


def _called_with_hooks(module: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], progress: Progress) -> Any:
    for key, hook, owner in called_at("_forward_pre_hooks", module):
        if key in owner._forward_pre_hooks_with_kwargs:
            replaced = hook(module, arguments, keywords)
            if replaced is not None and not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise AutogradError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {text(replaced)}."
                )
            arguments, keywords = (arguments, keywords) if replaced is None else replaced
            continue
        replaced = hook(module, arguments)
        if replaced is not None:
            arguments = replaced if isinstance(replaced, tuple) else (replaced,)
    early = [hook for _, hook, _ in called_at("_backward_pre_hooks", module)]
    full, plain = (
        [hook for _, hook, owner in called_at("_backward_hooks", module) if owner._is_full_backward_hook is wanted]
        for wanted in (True, False)
    )
    backward = BackwardHooks(module, full, early) if full or early else None
    if backward is not None:
        arguments = backward.enter(arguments)
    progress.arguments, progress.keywords = arguments, keywords
    result = progress.result = call_forward(module, arguments, keywords)
    for key, hook, owner in called_at("_forward_hooks", module):
        progress.called.add(key)
        given = (arguments, keywords) if key in owner._forward_hooks_with_kwargs else (arguments,)
        replaced = hook(module, *given, result)
        result = progress.result = result if replaced is None else replaced
    result = result if backward is None else backward.leave(result)
    if plain:
        hook_last_node(module, plain, arguments, result)
    return result


def called_at(when: str, module: Any) -> list[tuple[int, Callable[..., Any], Any]]:
    """Return the hooks with their numbers and who has them: those of all modules, then those of this one."""
    owners = [everywhere(), module] if running.machine.has_module_hooks else [module]
    return [(key, hook, owner) for owner in owners for key, hook in getattr(owner, when).items()]


def take_hooks(owner: Any, where: str, *, full: bool) -> None:
    """Note whether backward hooks see all of a call or the last node alone; nothing has both."""
    if owner._is_full_backward_hook is not None and owner._is_full_backward_hook is not full:
        raise RuntimeError(BOTH.format(where))
    owner._is_full_backward_hook = full


class BackwardHooks:
    """The backward hooks of one call: they run when the gradients of its inputs are known."""

    def __init__(self, module: Any, hooks: Sequence[Callable[..., Any]], early: Sequence[Callable[..., Any]]) -> None:
        self.module = module
        self.hooks = hooks
        self.early = early
        self.given: tuple[Any, ...] = ()
        self.inputs: list[Tensor | None] = []
        self.outputs: list[Tensor | None] = []
        self.recorded: list[int] = []  # positions of the inputs that get gradients
        self.places: list[int] = []  # of the outputs whose gradients are to come
        self.known = False  # whether gradients of the outputs have come

    def enter(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        self.inputs = [None] * len(arguments)
        self.recorded = _recorded(arguments)
        self.given = arguments
        if len(self.recorded) < 2:
            passed = [self._passed(arguments[position], position, self._arrived_at_input) for position in self.recorded]
        else:
            passed = list(together(self._arrived_at_inputs, [arguments[position] for position in self.recorded]))
        new = dict(zip(self.recorded, passed, strict=True))
        return tuple(new.get(position, x) for position, x in enumerate(arguments))

    def leave(self, result: Any) -> Any:
        results = result if isinstance(result, tuple) else (result,)
        if not all(isinstance(x, Tensor) for x in results):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type_of(result)!r}",
                UserWarning,
                stacklevel=2,
            )
        self.outputs = [None] * len(results)
        places = self.places = _recorded(results)
        passed = tuple(
            self._passed(x, position, self._arrived_at_output) if position in places else x
            for position, x in enumerate(results)
        )
        return passed if isinstance(result, tuple) else passed[0]

    def _passed(self, x: Tensor, position: int, arrived: Any) -> Tensor:
        several = self.places if arrived == self._arrived_at_output else ()
        through: Tensor = (passage_of(several.index(position)) if len(several) > 1 else passage)(x)
        if is_view(through):
            through.origin = PART if len(several) > 1 else CUSTOM  # a function of torch's own made it
        if arrived == self._arrived_at_output:
            through.register_hook(lambda gradient: arrived(position, gradient))
        else:
            node: Any = through.node
            node.register_hook(lambda gradients, _: self._left(position, *gradients))
        return through

    def _left(self, position: int, gradient: Tensor | None) -> tuple[Any, ...] | None:
        """Note a gradient that the passage of an input gives; return what is put in its place."""
        return None if gradient is None else (self._arrived_at_input(position, gradient),)

    def _arrived_at_output(self, position: int, gradient: Tensor) -> Any:
        self.outputs[position] = gradient
        self.known = True
        if self.early and all(self.outputs[place] is not None for place in self.places):
            self._run_early()
        if not self.recorded:
            self._run_without_inputs()
        return self.outputs[position]

    def _run_early(self) -> None:
        """Call the hooks for the gradients of the outputs; each may replace them for all that follows."""
        for hook in self.early:
            replaced = hook(self.module, tuple(self.outputs))
            if replaced is not None:
                self.outputs = _as_many(replaced, self.outputs, "Backward pre hook", "grad_output")

    def _run_without_inputs(self) -> None:
        if not self.hooks:
            return
        warnings.warn(FIRING, UserWarning, stacklevel=2)
        if any(gradient is not None for gradient in self._run() or ()):
            raise AutogradError(
                "Backward hook for Modules where no input requires gradient should always return None or None for all "
                "gradients."
            )

    def _arrived_at_input(self, position: int, gradient: Tensor) -> Any:
        return self._arrived_at_inputs([gradient])[0]

    def _arrived_at_inputs(self, gradients: Sequence[Any]) -> Sequence[Any]:
        for position, gradient in zip(self.recorded, gradients, strict=True):
            self.inputs[position] = gradient
        if not self.known:
            return gradients
        found = self._run()
        self.outputs, self.known = [None] * len(self.outputs), False  # the next pass may not go by the outputs
        return [found[position] for position in self.recorded]

    def _gradient(self, position: int) -> Any:
        """Return what a hook is told of an input: zeros for a tensor that needs no gradient beside one that does."""
        given = self.given[position]
        if not self.recorded or position in self.recorded or not isinstance(given, Tensor):
            return self.inputs[position]
        return Tensor(np.zeros_like(given.value)[()])

    def _run(self) -> tuple[Any, ...]:
        """Call the hooks; each may replace the gradients of the inputs for the next hook and for the backward pass."""
        found = tuple(map(self._gradient, range(len(self.inputs))))
        for hook in self.hooks:
            replaced = hook(self.module, found, tuple(self.outputs))
            if replaced is not None:
                found = tuple(_as_many(replaced, found, "Backward hook", "grad_input"))
        return found


def _as_many(replaced: Any, gradients: Sequence[Any], hook: str, name: str) -> list[Any]:
    """Return the gradients that a hook gave in place of others. AutogradError if there are more or fewer."""
    given = list(replaced) if isinstance(replaced, tuple) else [replaced]
    if len(given) != len(gradients):
        raise AutogradError(
            f"{hook} returned an invalid number of {name}, got {len(given)}, but expected {len(gradients)}"
        )
    return given


def _recorded(values: tuple[Any, ...]) -> list[int]:
    """Return the positions of the tensors that need gradients."""
    if not mode.grad_enabled:
        return []
    return [position for position, x in enumerate(values) if isinstance(x, Tensor) and x.requires_grad]
