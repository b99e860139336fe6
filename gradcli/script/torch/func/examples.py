"""The examples of a batch under `vmap`: their tensors are known while the function runs for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

from gradcli.engine.modes import switched
from gradcli.engine.recorder import Application, leave, listen
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)


ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
CONTROL = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
DYNAMIC = "vmap: We do not support batching operators that can "
MESSAGES = {
    "item": ITEM,
    "bool": CONTROL,
    "mask": DYNAMIC + "support dynamic shape. Attempting to batch over indexing with a boolean mask.",
    "nonzero": DYNAMIC + "output dynamic shape. Attempted to vmap over aten::nonzero. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
    "unique": DYNAMIC + "output dynamic shape. Attempted to vmap over aten::_unique2. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
    "unique_consecutive": DYNAMIC + "output dynamic shape. Attempted to vmap over aten::unique_consecutive. Please "
    "file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.",
    "masked_select": "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this "
    "because for each batch this would return a differently shaped Tensor. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
    "equal": "Batching rule not implemented for aten::equal. We could not generate a fallback.",
    "dual": "Batching rule not implemented for aten::_make_dual; the fallback path doesn't work on out= or view ops.",
    "memory": "Cannot access data pointer of Tensor that doesn't have storage",
}


class Examples:
    """Listens to operations: knows the tensors that come from the examples, and refuses to make numbers of them."""

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}  # weak references by identity, for tensors are compared entry by entry

    def add(self, x: Any) -> None:
        if isinstance(x, Tensor):
            self.known[id(x)] = ref(x)

    def holds(self, x: Any) -> bool:
        found = self.known.get(id(x))
        return found is not None and found() is x

    def append(self, application: Application) -> None:
        if any(map(self.holds, application.inputs)):
            self.add(application.out)

    def refuse(self, x: Any, what: str) -> None:
        """Raise RuntimeError for a tensor of the batch, which in torch is the whole batch at once."""
        if not self.holds(x):
            return
        if what == "print":
            raise UnsupportedError(
                "printing a tensor inside of vmap, which torch prints as a BatchedTensor, is not supported",
                python=RuntimeError,
                help="print the result of vmap(f)(x), or f(x[0])",
            )
        raise RuntimeError(MESSAGES[what])

    def check_write(self, target: Tensor, result: Tensor) -> None:
        """Refuse to write what comes from the batch over a tensor from outside, where torch has words for each way."""
        if self.holds(result) and not self.holds(target):
            raise UnsupportedError(
                "writing a tensor of the batch over another tensor inside of vmap is not supported",
                python=RuntimeError,
                help="use the out-of-place form of the operation",
            )


class Refusing:
    """A generator that refuses to draw random numbers."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(RANDOM)


@contextmanager
def examples_of(given: list[Any], dims: list[Any]) -> Iterator[Examples]:
    """Know the tensors of the batch while its function runs for one example."""
    examples = Examples()
    for x, dim in zip(given, dims, strict=True):
        if dim is not None:
            examples.add(x)
    listen(examples)
    try:
        with switched(examples=examples):
            yield examples
    finally:
        leave(examples)


@contextmanager
def muted(again: bool) -> Iterator[None]:
    """Let the function print for the first example alone: torch calls it once."""
    machine = running.machine
    write = machine._write
    if again:
        machine._write = lambda text: None
    try:
        yield
    finally:
        machine._write = write


@contextmanager
def randomness_of(mode: str) -> Iterator[Callable[[], None]]:
    """Refuse random numbers, or make them the same or different for each example; yield a call for before each."""
    machine = running.machine
    generator: Any = machine.generator
    state = generator.get_state() if mode == "same" else None
    if mode == "error":
        machine.generator = Refusing()  # type: ignore[assignment]
    try:
        yield lambda: None if state is None else generator.set_state(state)
    finally:
        machine.generator = generator
