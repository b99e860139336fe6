"""`torch.utils.checkpoint`: the saved tensors of a part of a network, computed again in the backward pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.members.absence import without
from gradcli.script.torch.autograd.rites import Passes
from gradcli.script.torch.autograd.saved_tensors import Packer, pack_value, packing, unpack_value

REENTRANT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. use_reentrant=False is "
    "recommended."
)
COUNTED = "torch.utils.checkpoint: {} tensors were saved during the original forward, and {} during recomputation."
TWICE = "torch.utils.checkpoint: a saved tensor is read twice in one backward pass: read ctx.saved_tensors once"


class CheckpointError(RuntimeError):
    """Raised where the second run does not save as the first did."""


CheckpointError.__module__ = "torch.utils.checkpoint"


class EnoughError(Exception):
    """Raised when the last saved tensor has been computed again, so that nothing more needs to run."""


class Recomputed:
    """A call of a function whose saved tensors are computed again when a backward pass reads them.

    In the graph stands the number of each saved tensor. Passes are told apart by their numbers. The tensors that the
    function was called with are saved, too: hooks that hold around the call, as those of an outer checkpoint, pack
    them.
    """

    def __init__(self, call: Callable[..., Any], arguments: tuple[Any, ...], preserves: bool) -> None:
        self.call = call
        self.arguments = [pack_value(x) for x in arguments]
        self.state = running.machine.generator.get_state() if preserves else None  # of the random numbers
        self.count = 0  # of the tensors that the first run saved
        self.completed = False  # a gradient inside of the function runs it again before it ends
        self.passes: dict[Any, dict[int, Tensor | None]] = {}  # what each pass computed again; None once it was read

    def pack(self, x: Tensor) -> int:
        self.count += 1
        return self.count - 1

    def unpack(self, place: int) -> Tensor:
        number = running.machine.instance(Passes).number or object()
        if number not in self.passes:
            self.passes[number] = self._run_again()
        tensor = self.passes[number][place]
        if tensor is None:
            raise CheckpointError(TWICE)
        self.passes[number][place] = None
        return tensor

    def _run_again(self) -> dict[int, Tensor | None]:
        tensors: dict[int, Tensor | None] = {}

        def keep(x: Tensor) -> Tensor:
            x = x.detach() if x.requires_grad else x
            tensors[len(tensors)] = x
            if len(tensors) == self.count and self.completed:
                raise EnoughError
            return x

        arguments = [unpack_value(x) for x in self.arguments]
        generator = running.machine.generator
        present = generator.get_state()
        if self.state is not None:
            generator.set_state(self.state)
        try:
            with suppress(EnoughError), set_grad_enabled(True), packing(Packer(keep, lambda x: x)):
                self.call(*arguments)
        finally:
            if self.state is not None:
                generator.set_state(present)
        if len(tensors) < self.count:
            raise CheckpointError(COUNTED.format(self.count, len(tensors)))
        return tensors


@without("context_fn determinism_check debug early_stop")
def checkpoint(
    function: Callable[..., Any],
    *arguments: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **keywords: Any,
) -> Any:
    """Call the function, which the backward pass runs again."""
    if use_reentrant:
        raise UnsupportedError("reentrant checkpoints are not supported here", help="write use_reentrant=False")
    if use_reentrant is None:
        warnings.warn(REENTRANT, UserWarning, stacklevel=2)
    if not mode.grad_enabled:
        return function(*arguments, **keywords)
    again = Recomputed(partial(function, **keywords), arguments, preserve_rng_state)
    with packing(Packer(again.pack, again.unpack)):
        result = function(*arguments, **keywords)
        again.completed = True
        return result


MEMBERS: dict[str, Any] = {
    "CheckpointError": CheckpointError,
    "checkpoint": checkpoint,
}
