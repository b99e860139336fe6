"""The examples of a batch under `vmap`: their tensors are known while the function runs for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple
from weakref import ref

from gradcli.engine.modes import mode, switched
from gradcli.engine.recorder import Application, leave, listen, replay
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.func.effects import Effects
from gradcli.script.torch.func.trees import flattened
from gradcli.script.torch.func.words import INSIDE, MESSAGES, SAME, SAME_WORDS, UNBATCHED, written


class Source(NamedTuple):
    """Where an argument of one example is from: the batch, and the dimension along which the examples lie."""

    example: Tensor
    batch: Tensor
    dim: int


class Examples:
    """Listens to operations: knows the tensors that come from the examples, and refuses to make numbers of them."""

    kind = "vmap"

    def __init__(
        self,
        sources: list[Source],
        size: int,
        randomness: str,
        number: int,
        first: Examples | None,
        effects: Effects,
    ) -> None:
        self.around = (mode.tape, mode.examples)
        self.level = len(mode.transforms) + 1
        self.known: dict[int, Any] = {}  # weak references by identity, for tensors are compared entry by entry
        self.sources: dict[int, Source] = {}  # by the identity of the example's part
        self.size = size
        self.randomness = randomness
        self.number = number  # of the example that runs
        self.tape: list[Application] = []  # of the first example, as the others compute the same
        self.effects = effects
        self.first = first or self  # of the first example, for which the function does what torch does once
        self.ruled: list[Any] = []  # for each call of a Function with a rule for batches: outputs and their dimensions
        self.calls = 0
        self.texts: list[str] = []  # of the tensors that the function has shown
        self.looks = 0
        self.changed = False  # whether the function has written over one of its tensors
        for source in sources:
            self.add_part(source)

    def add(self, x: Any) -> None:
        if isinstance(x, Tensor):
            self.known[id(x)] = ref(x)

    def add_part(self, source: Source) -> None:
        """Know the part of a batch that belongs to the example that runs."""
        self.add(source.example)
        self.sources[id(source.example)] = source

    def holds(self, x: Any) -> bool:
        found = self.known.get(id(x))
        return found is not None and found() is x

    def append(self, application: Application) -> None:
        if any(map(self.holds, application.inputs)):
            self.add(application.out)
            if self.first is self:
                self.tape.append(application)

    def follow(self, inputs: Sequence[Any], out: Tensor, again: Callable[..., Any]) -> None:
        """Know what was made of the inputs outside of the operations of the engine; `again` makes it of others."""
        if self.around[1] is not None:
            self.around[1].follow(inputs, out, again)
        self.append(Application(again, tuple(inputs), {}, out))  # type: ignore[arg-type]

    def complete(self, function: Callable[..., Any], given: Any, result: Any) -> None:
        """Know the results of a function of the arguments that the engine knows as no operation, such as integers."""
        leaves, build = flattened(given)
        if any(map(self.holds, leaves)):
            for place, out in enumerate(flattened(result)[0]):
                if isinstance(out, Tensor) and not self.holds(out):
                    self.follow(leaves, out, lambda *new, n=place: flattened(function(*build(iter(new))))[0][n])

    def whole(self, x: Tensor) -> tuple[Tensor, int]:
        """Return a tensor of the batch for all examples, and the dimension along which they lie.

        The operations that led to it are carried out again for the examples after the first: a function under vmap
        does the same for each.
        """
        source = self.sources.get(id(x))
        if source is not None and source.example is x:
            return source.batch, source.dim % source.batch.ndim
        if self.changed or any(each.dim % each.batch.ndim for each in self.sources.values()):
            raise UnsupportedError(
                "all of a batch that was changed in place, or that lies along another dimension than the first, is not "
                "supported inside of vmap",
                python=RuntimeError,
                help="print the result of vmap(f)(x), or f(x[0])",
            )
        with self.outside():
            found = [x]
            for n in range(1, self.size):
                tensors = {key: ops.select(each.batch, each.dim, n) for key, each in self.sources.items()}
                replay(self.tape, tensors)
                found.append(tensors[id(x)])
            return ops.stack(found, 0), 0

    def outside(self) -> AbstractContextManager[None]:
        """Go out of this vmap."""
        tape, examples = self.around
        return switched(tape=tape, examples=examples, transforms=mode.transforms[: self.level - 1])

    def node_of(self, x: Tensor) -> Any:
        """Return the node that torch shows of a tensor: none of the batch, which the levels around this one know."""
        return None if self.holds(x) else x.node

    def inner(self, x: Tensor) -> tuple[str, Tensor] | None:
        if not self.holds(x):
            return None
        batch, dim = self.whole(x)
        return f"BatchedTensor(lvl={{}}, bdim={dim}", batch

    def refuse(self, x: Any, what: str) -> None:
        """Raise RuntimeError for a tensor of the batch, which in torch is the whole batch at once."""
        if self.around[1] is not None:
            self.around[1].refuse(x, what)
        if self.holds(x):
            inside = mode.transforms[-1].kind != "vmap"
            message = INSIDE[what] if inside and what in INSIDE else MESSAGES[what]
            if message:
                raise RuntimeError(message)

    def check_error(self, name: str, error: AutogradError, given: Any) -> None:
        """Refuse an error of a tensor of the batch that names sizes, to which torch adds that of the batch."""
        known = error.code == "E401" or error.message.startswith(SAME_WORDS) or "singleton dimension" in error.message
        if not known and any(map(str.isdigit, error.message)) and any(map(self.holds, flattened(given)[0])):
            raise UnsupportedError(f"the error of {name} inside of vmap is not supported here", python=RuntimeError)

    def check_random(self, inputs: Sequence[Any], target: Tensor | None = None) -> None:
        """Refuse to draw the same numbers by tensors of the batch, or different ones into a tensor that is not."""
        if self.randomness == "same" and any(map(self.holds, inputs)):
            raise RuntimeError(SAME)
        if self.randomness == "different" and target is not None and not self.holds(target):
            raise RuntimeError(UNBATCHED)

    def check_write(self, target: Tensor, result: Tensor, name: str, arguments: Sequence[Any]) -> None:
        """Refuse to write what comes from the batch over a tensor from outside, in torch's words for the operation."""
        if not self.number and not self.holds(target):
            self.effects.write(target)
        if not self.holds(result):
            return
        self.changed = True
        if self.holds(target):
            return
        several = len(mode.transforms) > 1
        message = written(name, self.level, several=several, shapes=(target.shape, (self.size, *result.shape)))
        if not message:
            raise UnsupportedError(
                "writing a tensor of the batch over another tensor inside of vmap is not supported",
                python=RuntimeError,
                help="use the out-of-place form of the operation",
            )
        raise RuntimeError(message)


@contextmanager
def running_on(examples: Examples) -> Iterator[None]:
    """Know the tensors of the batch while its function runs for one example."""
    listen(examples)
    try:
        with switched(examples=examples, transforms=(*mode.transforms, examples)):
            yield
    finally:
        leave(examples)
