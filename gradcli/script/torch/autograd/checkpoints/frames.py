"""The second run of a checkpointed function, which computes again what the first one would have saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from weakref import ReferenceType, ref

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent
from gradcli.script.torch.autograd.checkpoints.words import DEBUGGED, MORE, SECOND, TIP, UNEXPECTED
from gradcli.script.torch.autograd.passes import Passes
from gradcli.script.torch.autograd.saved.packing import Packer, packed, packing, unpacked
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


class Holder:
    """Stands for a saved tensor in the graph, with what each pass computed again for it; None when it has read that."""

    def __init__(self) -> None:
        self.again: dict[Any, Tensor | None] = {}


class Frame:
    """One call of a function whose saved tensors are computed again when a backward pass reads them.

    Passes are told apart by their numbers. The tensors that the function was called
    with are saved, too: hooks that hold around the call, as those of an outer checkpoint, pack them.
    """

    def __init__(self, call: Callable[..., Any], arguments: tuple[Any, ...], random: Random) -> None:
        self.call = call
        self.arguments = [packed(x) for x in arguments]
        self.random = random
        self.saved: list[str] = []  # the metadata of the tensors, in their order
        self.holders: list[ReferenceType[Holder]] = []  # of the graph, which may have let them go
        self.counts: dict[Any, int] = {}  # how many tensors a pass computed again
        self.compares = True
        self.stops = True
        self.completed = False  # a gradient inside of the function runs it again before it ends
        self.differs = False  # whether such a run saved more
        self.around: Callable[[], Any] = nullcontext
        self.debugged = False

    def pack(self, x: Tensor) -> Holder:
        holder = Holder()
        self.holders.append(ref(holder))
        self.saved.append(metadata(x))
        return holder

    def unpack(self, holder: Holder) -> Tensor:
        number = running.machine.own(Passes).number or object()
        if number not in self.counts:
            self._run_again(number)
            try:
                self._compare(number)
            except CheckpointError:
                if self.debugged:
                    raise UnsupportedError(DEBUGGED, help="leave debug=True out") from None
                raise
        if number not in holder.again:
            raise AssertionError(UNEXPECTED)
        found = holder.again[number]
        if found is None:
            raise CheckpointError(SECOND)
        holder.again[number] = None
        return found

    def _run_again(self, number: Any) -> None:
        """Run the function once more; of gradients that it takes itself, its first half may run for a second time."""
        count = 0

        def keep(x: Tensor) -> Tensor:
            nonlocal count
            x = x.detach() if x.requires_grad else x
            count += 1
            if count > len(self.holders):
                if self.completed:
                    raise CheckpointError(MORE)
                self.differs = True
                return x
            holder = self.holders[count - 1]()
            if holder is not None:
                holder.again[number] = x
            if self.stops and count == len(self.holders):
                raise EnoughError
            return x

        arguments = [unpacked(x) for x in self.arguments]
        try:
            with self.random.again(), set_grad_enabled(True), packing(Packer(keep, lambda x: x)), self.around():
                self.call(*arguments)
        except EnoughError:
            pass
        self.counts[number] = count

    def _compare(self, number: Any) -> None:
        """Refuse fewer tensors than those that were saved first, and others of another shape or type."""
        if self.differs:
            return
        if len(self.saved) != self.counts[number]:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.saved)}\n"
                f"Number of tensors saved during recomputation: {self.counts[number]}.{TIP}"
            )
        if not self.compares:
            return
        holders = [holder() for holder in self.holders]
        found = [None if holder is None else holder.again[number] for holder in holders]
        wrong = "".join(
            f"tensor at position {n}:\nsaved metadata: {saved}\nrecomputed metadata: {metadata(x)}\n"
            for n, (saved, x) in enumerate(zip(self.saved, found, strict=True))
            if x is not None and saved != metadata(x)
        )
        if wrong:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{wrong}.{TIP}"
            )
