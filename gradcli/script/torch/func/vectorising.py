"""`torch.vmap`: a function of one example applied to a batch; here it runs once for each example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

from gradcli.engine.graph import Node
from gradcli.engine.modes import mode, switched
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.members.absence import without
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.func.levels import inside, printing_once
from gradcli.script.torch.func.reverse import flatten_tree, pattern, spread
from gradcli.script.torch.tensor.printing import UNTOLD

Func = Callable[..., Any]
EACH = 512  # bytes that the results of one example take at least

RANDOM = "vmap: called random operation. Draw before, and give the numbers as an argument"
MESSAGES = {
    "item": "vmap: .item() on a Tensor is not supported, please try to rewrite what you're doing with other operations",
    "bool": "vmap: a Tensor in data-dependent control flow is not supported: write torch.where",
    "mask": "vmap: indexing with a boolean mask has no shape that is known before: write torch.where",
}


class Examples:
    """The examples of a batch: in torch a function sees all of them at once, so that none of them is a number."""

    def refuse(self, x: Any, what: str) -> None:
        """Refuse a use of a tensor that is impossible for a batch."""
        if isinstance(x, Tensor) and what in MESSAGES:
            raise RuntimeError(MESSAGES[what])
        if isinstance(x, Tensor):
            raise UnsupportedError(f"{what} inside of vmap is not supported here", python=RuntimeError)


class Undrawn:
    """The generator inside of a vmap, which allows no random numbers."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(RANDOM)


@contextmanager
def without_drawing() -> Iterator[None]:
    """Refuse to draw in the block."""
    machine, source = running.machine, running.machine.generator
    machine.generator = Undrawn()  # type: ignore[assignment]
    try:
        yield
    finally:
        machine.generator = source


class Batch:
    """The arguments of one call, and the dimension of each along which its examples lie."""

    def __init__(self, name: str, in_dims: Any, args: tuple[Any, ...]) -> None:
        self.called = f"vmap({name}, in_dims={text(in_dims)}, ...)(<inputs>)"
        self.leaves, self.build = flatten_tree(args)
        if not args:
            raise ValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
                "over a function with no inputs. The latter is unsupported."
            )
        dims = spread(in_dims, args) if isinstance(in_dims, int | tuple) else None
        if dims is None:
            raise ValueError(f"{self.called}: in_dims does not fit the structure of the inputs, {pattern(args)}")
        self.dims = dims
        sizes = [self._size(x, dim) for x, dim in zip(self.leaves, dims, strict=True) if dim is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if len(set(sizes)) > 1:
            raise ValueError(f"vmap: all tensors must have the same size in the mapped dimension, not {sizes}")
        self.size = sizes[0]
        if not self.size:
            raise UnsupportedError("vmap over an empty batch is not supported here", python=RuntimeError)

    def _size(self, x: Any, dim: Any) -> int:
        """Return the number of examples in an argument."""
        if not isinstance(dim, int) or not isinstance(x, Tensor):
            kind = represent(type_of(x))
            raise ValueError(f"{self.called}: Got in_dim={dim} for an input of type {kind}: write None for no tensor")
        if not -x.ndim <= dim < x.ndim:
            raise ValueError(
                f"{self.called}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
                f"{x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}."
            )
        return x.shape[dim]

    def example(self, n: int) -> Any:
        """Return the arguments of one example."""
        pairs = zip(self.leaves, self.dims, strict=True)
        return self.build(x if dim is None else ops.select(x, dim, n) for x, dim in pairs)


def stack_results(name: str, examples: Sequence[Any], dim: int | None) -> Any:
    """Stack the results for the examples; in torch the last node is that of the operation for the whole batch."""
    if dim is not None:
        stack: Tensor = ops.stack(list(examples), dim)
        if mode.examples is None and isinstance(stack.node, Node):
            UNTOLD.add(stack.node)
        return stack
    if isinstance(examples[0], Tensor) and any(x is not examples[0] for x in examples):
        raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    return examples[0]


def dims_of_outputs(name: str, out_dims: Any, result: Any) -> list[Any]:
    """Return the position of the batch dimension in each output."""
    if isinstance(result, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        out_dims = out_dims[0]
    dims = spread(out_dims, result)
    if dims is None:
        raise ValueError(f"vmap({name}): out_dims={represent(out_dims)} does not fit the outputs, {pattern(result)}")
    for x, dim in zip(flatten_tree(result)[0], dims, strict=True):
        if dim is not None and not isinstance(x, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {represent(type_of(x))}. Did you mean "
                "to set out_dims= to None for output?"
            )
    return dims


@without("chunk_size randomness")
def vmap(func: Func, in_dims: Any = 0, out_dims: Any = 0) -> Func:
    """Make a function of batches, which stacks the results of `func` along `out_dims`."""
    name = getattr(func, "__name__", None) or represent(func)

    @wraps(func, assigned=("__name__",), updated=())
    def call(*args: Any, **keywords: Any) -> Any:
        batch = Batch(name, in_dims, args)
        running.machine.budget.fits(batch.size, "the batch", each=EACH)
        results = []
        for n in range(batch.size):
            with switched(examples=Examples()), inside("vmap"), without_drawing(), printing_once(n):
                results.append(func(*batch.example(n), **keywords))
        dims = dims_of_outputs(name, out_dims, results[0])
        columns = zip(*(flatten_tree(result)[0] for result in results), strict=True)
        build = flatten_tree(results[0])[1]
        return build(stack_results(name, column, dim) for column, dim in zip(columns, dims, strict=True))

    return call
