"""`torch.utils.checkpoint`: the saved tensors of a part of a network, computed again in the backward pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent
from gradcli.script.torch.autograd.backward import Passes, backward
from gradcli.script.torch.autograd.functions import Function
from gradcli.script.torch.autograd.saved.packing import Packer, packing
from gradcli.script.torch.tensor.dtypes import Size
from gradcli.script.torch.tensor.printing import dtype_text

NO_INPUT = "None of the inputs have requires_grad=True. Gradients will be None"
NOT_FOR_SOME = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)
NO_OUTPUT = "none of output has requires_grad=True, this checkpoint() is not necessary"
REENTRANT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)
REENTRANT_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version "
    "2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you "
    "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)


class EnoughError(Exception):
    """Raised when the last saved tensor has been computed again, so that nothing more needs to run."""


class CheckpointError(RuntimeError):
    """Raised where the second run does not save as the first did."""


CheckpointError.__module__ = "torch.utils.checkpoint"
TIP = """

Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint‑debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""
SECOND = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you are calling "
    "ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details on your "
    "use case."
)
MORE = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass.\n"
    + TIP
)


def metadata(x: Tensor) -> str:
    return f"{{'shape': {represent(Size(x.shape))}, 'dtype': {dtype_text(x.dtype)}, 'device': device(type='cpu')}}"


class Stopping:
    """Whether a second run ends with the last tensor that is asked for: `set_checkpoint_early_stop`."""

    early: bool | None = None  # None where each call says it


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Let the checkpoints that are made within stop early, or run to their ends."""
    setting = running.machine.own(Stopping)
    before, setting.early = setting.early, enable
    try:
        yield
    finally:
        setting.early = before


class Frame:
    """One call of a function whose saved tensors are computed again when the backward pass reads them."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.call = partial(function, *arguments, **keywords)
        self.random = running.machine.generator.get_state()
        self.saved: list[str] = []  # the metadata of the tensors, in their order
        self.compares = True
        self.stops = True
        self.completed = False  # a gradient inside of the function runs it again before it ends
        self.differs = False  # whether such a run saved more
        self.around: Callable[[], Any] = nullcontext
        self.again: dict[int, Tensor] = {}
        self.number = 0  # of the pass that these are for

    def pack(self, x: Tensor) -> int:
        self.saved.append(metadata(x))
        return len(self.saved) - 1

    def unpack(self, number: int) -> Tensor:
        present = running.machine.own(Passes).number
        if number not in self.again and present and present == self.number:
            raise CheckpointError(SECOND)
        if number not in self.again or present != self.number:
            self._run_again()
            if self.compares:
                self._compare()
            self.number = present
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

        generator = running.machine.generator
        state = generator.get_state()
        generator.set_state(self.random)
        try:
            with self.around(), set_grad_enabled(True), packing(Packer(keep, lambda x: x)):
                self.call()
        except EnoughError:
            return
        finally:
            generator.set_state(state)
        if len(self.again) == len(self.saved) or self.differs:
            return
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
            f"recomputation.\nNumber of tensors saved during forward: {len(self.saved)}\n"
            f"Number of tensors saved during recomputation: {len(self.again)}.{TIP}"
        )

    def _compare(self) -> None:
        """Refuse tensors of another shape or type than those that were saved first."""
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
        ctx.random = running.machine.generator.get_state()
        return function(*arguments)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        if running.machine.own(Passes).only is not None:
            raise RuntimeError(NOT_FOR_SOME)
        copies = [x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in ctx.arguments]
        generator = running.machine.generator
        state = generator.get_state()
        generator.set_state(ctx.random)
        try:
            with set_grad_enabled(True):
                made = ctx.function(*copies)
        finally:
            generator.set_state(state)
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
    frame = Frame(function, arguments, keywords)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    frame.compares = determinism_check == "default"
    within = running.machine.own(Stopping).early
    frame.stops = early_stop if within is None else within
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
        input = checkpoint(_run(chain[start : start + size]), input, use_reentrant=use_reentrant)
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
    "checkpoint_sequential": checkpoint_sequential,
}
