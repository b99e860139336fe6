"""`torch.utils.checkpoint`: the saved tensors of a part of a network, computed again in the backward pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.torch.autograd.backward import backward
from gradcli.script.torch.autograd.checkpoints.frames import CheckpointError, Frame, Random
from gradcli.script.torch.autograd.checkpoints.settings import (
    Settings,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from gradcli.script.torch.autograd.checkpoints.words import (
    NO_INPUT,
    NO_OUTPUT,
    NOT_FOR_SOME,
    REENTRANT,
    REENTRANT_SEQUENTIAL,
)
from gradcli.script.torch.autograd.functions import Function
from gradcli.script.torch.autograd.passes import Passes
from gradcli.script.torch.autograd.saved.packing import Packer, packing


class CheckpointFunction(Function):
    """The reentrant form: computed outside the graph, and again in the backward pass."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *arguments: Any) -> Any:
        if not any(isinstance(x, Tensor) and x.requires_grad for x in arguments):
            warnings.warn(NO_INPUT, UserWarning, stacklevel=2)
        ctx.function, ctx.arguments = function, arguments
        ctx.random = Random(preserve)
        return function(*arguments)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        if running.machine.own(Passes).only is not None:
            raise RuntimeError(NOT_FOR_SOME)
        copies = [x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in ctx.arguments]
        with ctx.random.again(), set_grad_enabled(True):
            made = ctx.function(*copies)
        outputs = made if isinstance(made, tuple) else (made,)
        pairs = [(x, g) for x, g in zip(outputs, gradients, strict=True) if isinstance(x, Tensor) and x.requires_grad]
        if not pairs:
            raise RuntimeError(NO_OUTPUT)
        backward([x for x, _ in pairs], [g for _, g in pairs])
        return (None, None, *(x._grad if isinstance(x, Tensor) else None for x in copies))


def plain_contexts() -> tuple[Any, Any]:
    """Return two contexts that do nothing, for the first run and the second."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *arguments: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], Any] = plain_contexts,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **keywords: Any,
) -> Any:
    """Call the function, which the backward pass runs again."""
    if use_reentrant is None:
        warnings.warn(REENTRANT, UserWarning, stacklevel=2)
        use_reentrant = True
    if use_reentrant and (context_fn is not plain_contexts or debug):
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    if use_reentrant and keywords:
        raise ValueError("Unexpected keyword arguments: " + ",".join(keywords))
    if use_reentrant:
        return CheckpointFunction.apply(function, preserve_rng_state, *arguments)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    if not mode.grad_enabled:
        return function(*arguments, **keywords)
    frame = Frame(partial(function, **keywords), arguments, Random(preserve_rng_state))
    frame.compares = determinism_check == "default"
    settings = running.machine.own(Settings)
    frame.stops = early_stop if settings.early is None else settings.early
    frame.debugged = debug if settings.debug is None else settings.debug
    if frame.debugged and context_fn is not plain_contexts:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    around, again = context_fn()
    frame.around = lambda: again
    with around, packing(Packer(frame.pack, frame.unpack)):
        result = function(*arguments, **keywords)
        frame.completed = True
        return result


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    *,
    preserve_rng_state: bool = True,
    **keywords: Any,
) -> Any:
    """Call a chain of modules in segments, all but the last as checkpoints."""
    if keywords:
        raise ValueError("Unexpected keyword arguments: " + ",".join(keywords))
    if use_reentrant is None:
        warnings.warn(REENTRANT_SEQUENTIAL, UserWarning, stacklevel=2)
        use_reentrant = True
    chain = list(functions) if isinstance(functions, list | tuple) else list(functions.children())
    size = len(chain) // segments
    for start in range(0, size * (segments - 1), size):
        part = _run(chain[start : start + size])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state)
    return _run(chain[size * (segments - 1) :])(input)


def _run(modules: list[Any]) -> Callable[[Any], Any]:
    def forward(x: Any) -> Any:
        for module in modules:
            x = module(x)
        return x

    return forward


MEMBERS: dict[str, Any] = {
    "CheckpointError": CheckpointError,
    "checkpoint": checkpoint,
    "set_checkpoint_early_stop": set_checkpoint_early_stop,
    "set_checkpoint_debug_enabled": set_checkpoint_debug_enabled,
    "checkpoint_sequential": checkpoint_sequential,
}
