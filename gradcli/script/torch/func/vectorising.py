"""`torch.vmap`: a function of one example applied to a batch; here it runs once for each example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from weakref import ref

from gradcli.engine.modes import switched
from gradcli.engine.recorder import Application, leave, listen
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.func.trees import flattened, spread, structure

Func = Callable[..., Any]
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
    "masked_select": "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this "
    "because for each batch this would return a differently shaped Tensor. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
    "equal": "Batching rule not implemented for aten::equal. We could not generate a fallback.",
    "memory": "Cannot access data pointer of Tensor that doesn't have storage",
}
EACH = 512  # bytes that the results of one example take at least


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


class Batch:
    """The arguments of one call, and the dimension of each along which its examples lie."""

    def __init__(self, name: str, in_dims: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        if not isinstance(in_dims, int | tuple):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially "
                f"nested) tuple matching the structure of inputs, got: {represent(type_of(in_dims))}."
            )
        if not args:
            raise ValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
                "over a function with no inputs. The latter is unsupported."
            )
        self.called = f"vmap({name}, in_dims={text(in_dims)}, ...)(<inputs>)"
        self.leaves, self.build = flattened(args)
        dims = spread(in_dims, args)
        if dims is None:
            raise ValueError(
                f"{self.called}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{structure(in_dims)} but inputs has structure {structure(args)}."
            )
        self.named, self.build_named = flattened(keywords)
        self.dims = dims + [0 if isinstance(x, Tensor) else None for x in self.named]
        self.size = self._measured(name)

    def _measured(self, name: str) -> int:
        sizes = []
        for x, dim in zip((*self.leaves, *self.named), self.dims, strict=True):
            if dim is None:
                continue
            if not isinstance(dim, int):
                raise ValueError(
                    f"{self.called}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or "
                    "None."
                )
            if not isinstance(x, Tensor):
                raise ValueError(
                    f"{self.called}: Got in_dim={dim} for an input but the input is of type {represent(type_of(x))}. "
                    "We cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
                )
            if not -x.ndim <= dim < x.ndim:
                raise ValueError(
                    f"{self.called}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
                    f"{x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}."
                )
            sizes.append(x.shape[dim])
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if len(set(sizes)) > 1:
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension"
            )
        return sizes[0]

    def example(self, n: int) -> tuple[Any, dict[str, Any]]:
        """Return the arguments of one example."""
        chosen = [
            x if dim is None else ops.select(x, dim, n)
            for x, dim in zip((*self.leaves, *self.named), self.dims, strict=True)
        ]
        count = len(self.leaves)
        return self.build(iter(chosen[:count])), self.build_named(iter(chosen[count:]))


def check_out_dims(name: str, out_dims: Any) -> None:
    """Refuse what is no number, None or tree of these."""
    if not all(dim is None or isinstance(dim, int) for dim in flattened(out_dims)[0]):
        raise ValueError(
            f"vmap({name}, ..., out_dims={text(out_dims)}): `out_dims` must be an int, None or a python collection of "
            "ints representing where in the outputs the vmapped dimension should appear."
        )


def dims_of_outputs(name: str, out_dims: Any, made: Any) -> list[Any]:
    """Return where in each output the dimension of the batch goes."""
    if isinstance(made, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        out_dims = out_dims[0]
    dims = spread(out_dims, made)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={represent(out_dims)})(<inputs>): out_dims is not compatible with the "
            f"structure of `outputs`. out_dims has structure {structure(out_dims)} but outputs has structure "
            f"{structure(made)}."
        )
    return dims


def vmap(
    func: Func, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Func:
    """Make a function of batches, which stacks the results of `func` along `out_dims`."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    name = getattr(func, "__name__", None) or represent(func)

    @wraps(func, assigned=("__name__",), updated=())
    def call(*args: Any, **keywords: Any) -> Any:
        check_out_dims(name, out_dims)
        batch = Batch(name, in_dims, args, keywords)
        running.machine.budget.fits(batch.size, "the batch", each=EACH)
        results: list[list[Any]] = []
        build, dims = flattened(())[1], [0]
        with randomness_of(randomness) as begin:
            for n in range(batch.size):
                begin()
                given, named = batch.example(n)
                with muted(n > 0), examples_of([*flattened(given)[0], *flattened(named)[0]], batch.dims) as examples:
                    made = func(*given, **named)
                leaves, build = flattened(made)
                dims = dims_of_outputs(name, out_dims, made) if not n else dims
                results.append([checked(name, x, dim, examples) for x, dim in zip(leaves, dims, strict=True)])
        if not results:
            raise UnsupportedError("vmap over a batch of size 0 is not supported here")
        columns = zip(*results, strict=True)
        stack = ops.stack
        return build(
            column[0] if dim is None else stack(list(column), dim) for column, dim in zip(columns, dims, strict=True)
        )

    return call


def checked(name: str, x: Any, dim: int | None, examples: Examples) -> Any:
    """Refuse an output that has no place for the dimension of the batch."""
    if dim is None and examples.holds(x):
        raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    if dim is not None and not isinstance(x, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {represent(type_of(x))}. Did you mean to "
            "set out_dims= to None for output?"
        )
    return x
