"""`torch.utils.checkpoint`: the saved tensors of a part of a network, computed again in the backward pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent
from gradcli.script.torch.autograd.backward import Passes, backward
from gradcli.script.torch.autograd.checkpoints.settings import (
    GraphExecGroup,
    Settings,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from gradcli.script.torch.autograd.checkpoints.words import (
    DEBUGGED,
    MORE,
    NO_INPUT,
    NO_OUTPUT,
    NOT_FOR_SOME,
    OVERLAP,
    REENTRANT,
    REENTRANT_SEQUENTIAL,
    SECOND,
    TIP,
)
from gradcli.script.torch.autograd.functions import Function
from gradcli.script.torch.autograd.saved.packing import Packer, packing
from gradcli.script.torch.tensor.dtypes import Size
from gradcli.script.torch.tensor.printing import dtype_text


class EnoughError(Exception):
    """Raised when the last saved tensor has been computed again, so that nothing more needs to run."""


class CheckpointError(RuntimeError):
    """Raised where the second run does not save as the first did."""


CheckpointError.__module__ = "torch.utils.checkpoint"


def metadata(x: Tensor) -> str:
    return f"{{'shape': {represent(Size(x.shape))}, 'dtype': {dtype_text(x.dtype)}, 'device': device(type='cpu')}}"


class Random:
    """The state of the generator at a call, for its second run; None if that goes on with other numbers."""

    def __init__(self, preserve: bool) -> None:
        self.state = running.machine.generator.get_state() if preserve else None

    @contextmanager
    def again(self) -> Iterator[None]:
        generator = running.machine.generator
        present = generator.get_state()
        if self.state is not None:
            generator.set_state(self.state)
        try:
            yield
        finally:
            if self.state is not None:
                generator.set_state(present)


class Frame:
    """One call of a function whose saved tensors are computed again when the backward pass reads them."""

    def __init__(self, call: Callable[[], Any], random: Random) -> None:
        self.call = call
        self.random = random
        self.saved: list[str] = []  # the metadata of the tensors, in their order
        self.compares = True
        self.stops = True
        self.completed = False  # a gradient inside of the function runs it again before it ends
        self.differs = False  # whether such a run saved more
        self.around: Callable[[], Any] = nullcontext
        self.again: dict[int, Tensor] = {}
        self.during: Any = 0  # the number of the pass, or the group of passes, that these are for
        self.debugged = False

    def pack(self, x: Tensor) -> int:
        self.saved.append(metadata(x))
        return len(self.saved) - 1

    def unpack(self, number: int) -> Tensor:
        group = running.machine.own(Settings).group
        present = running.machine.own(Passes).number if group is None else group
        if number not in self.again and present and present == self.during:
            raise CheckpointError(SECOND.format("" if group is None else OVERLAP))
        if number not in self.again or present != self.during:
            self._run_again()
            self.during = present
            try:
                self._compare()
            except CheckpointError:
                if self.debugged:
                    raise UnsupportedError(DEBUGGED, help="leave debug=True out") from None
                raise
        return self.again.pop(number)

    def _run_again(self) -> None:
        self.again.clear()

        def keep(x: Tensor) -> Tensor:
            if len(self.again) == len(self.saved):
                if self.completed:
                    raise CheckpointError(MORE)
                self.differs = True
                return x.detach()
            self.again[len(self.again)] = x.detach() if x.requires_grad else x
            if self.stops and len(self.again) == len(self.saved):
                raise EnoughError
            return self.again[len(self.again) - 1]

        try:
            with self.random.again(), self.around(), set_grad_enabled(True), packing(Packer(keep, lambda x: x)):
                self.call()
        except EnoughError:
            return

    def _compare(self) -> None:
        """Refuse fewer tensors than those that were saved first, and others of another shape or type."""
        if len(self.again) != len(self.saved) and not self.differs:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.saved)}\n"
                f"Number of tensors saved during recomputation: {len(self.again)}.{TIP}"
            )
        if not self.compares:
            return
        pairs = [(n, saved, metadata(self.again[n])) for n, saved in enumerate(self.saved)]
        wrong = "".join(
            f"tensor at position {n}:\nsaved metadata: {saved}\nrecomputed metadata: {again}\n"
            for n, saved, again in pairs
            if saved != again
        )
        if wrong:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{wrong}.{TIP}"
            )


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
    frame = Frame(partial(function, *arguments, **keywords), Random(preserve_rng_state))
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    frame.compares = determinism_check == "default"
    settings = running.machine.own(Settings)
    frame.stops = early_stop if settings.early is None else settings.early
    frame.debugged = debug if settings.debug is None else settings.debug
    if frame.debugged and context_fn is not plain_contexts:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    around, again = context_fn()
    frame.around = lambda: again
    with around, packing(Packer(frame.pack, frame.unpack)):
        result = frame.call()
        frame.completed = True
        return result


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True
) -> Any:
    """Call a chain of modules in segments, all but the last as checkpoints."""
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
    "GraphExecGroup": GraphExecGroup,
    "checkpoint_sequential": checkpoint_sequential,
}
