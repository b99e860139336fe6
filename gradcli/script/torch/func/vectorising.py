"""`torch.vmap`: a function of one example applied to a batch; here it runs once for each example."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.memory.layout import owner
from gradcli.engine.memory.views import first_entry, is_view
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.ops.shaping.strides import strided
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.func.effects import Effects, muted
from gradcli.script.torch.func.examples import Examples, Source, running_on
from gradcli.script.torch.func.randomness import randomness_of
from gradcli.script.torch.func.trees import flattened, spread, structure
from gradcli.script.torch.tensor.printing import UNTOLD

Func = Callable[..., Any]
EACH = 512  # bytes that the results of one example take at least


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
        self.dims = dims + [None for _ in self.named]  # which torch maps over no dimension
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

    def example(self, n: int) -> tuple[Any, dict[str, Any], list[Source]]:
        """Return the arguments of one example, and where those that are of the batch are from."""
        given = list(zip((*self.leaves, *self.named), self.dims, strict=True))
        chosen = [x if dim is None else self._part(x, dim, n) for x, dim in given]
        sources = [Source(one, x, dim) for one, (x, dim) in zip(chosen, given, strict=True) if dim is not None]
        count = len(self.leaves)
        arguments, named = self.build(iter(chosen[:count])), self.build_named(iter(chosen[count:]))
        return arguments, named, sources

    def _part(self, x: Tensor, dim: int, n: int) -> Tensor:
        if self.size:
            return ops.select(x, dim, n)  # type: ignore[no-any-return]
        shape = [size for place, size in enumerate(x.shape) if place != dim % x.ndim]  # the function sees no numbers
        return Tensor(np.ones(shape, x.dtype)[()])

    def joined(self, results: list[Tensor], dim: int, examples: Examples) -> Tensor:
        """Join the results for the examples along a dimension: views of the batch are a view of it together."""
        if not self.size:
            return untold(ops.narrow(stacked(results, dim), dim, 0, 0))
        if not examples.holds(results[-1]) and all(x is results[-1] for x in results):
            expanded: Tensor = ops.expand(ops.unsqueeze(results[0], 0), (self.size, *results[0].shape))
            return untold(ops.movedim(expanded, 0, dim))
        whole = id(results[-1]) in examples.sources
        for x, given in zip((*self.leaves, *self.named), self.dims, strict=True):
            if given is not None and (found := viewed(results, x, given, dim, whole=whole)) is not None:
                return found
        return stacked(results, dim)


def viewed(results: list[Tensor], batch: Tensor, given: int, dim: int, *, whole: bool) -> Tensor | None:
    """Return the view of the batch of which each example's result is the part of that example; None if there is none.

    It is the batch itself where each result is the `whole` example.
    """
    arrays = [x.array for x in results]
    step, one = batch.array.strides[given], arrays[0]
    alike = all(owner(x) is owner(batch.array) and x.strides == one.strides and x.shape == one.shape for x in arrays)
    starts = [x.__array_interface__["data"][0] for x in arrays]
    if not alike or starts != [starts[0] + n * step for n in range(len(starts))]:
        return None
    place = dim if dim >= 0 else dim + one.ndim + 1
    if not 0 <= place <= one.ndim or not all(followed(x, batch) for x in results):
        return None
    shape = (*one.shape[:place], len(results), *one.shape[place:])
    strides = (*one.strides[:place], step, *one.strides[place:])
    source = batch if all(is_view(x) for x in results) else batch.detach()
    if whole and (shape, strides) == (batch.shape, batch.strides):
        return source
    steps = tuple(each // one.itemsize for each in strides)
    return untold(strided(source, size=shape, stride=steps, offset=first_entry(one)))


def followed(x: Tensor, batch: Tensor) -> bool:
    """Whether a tensor on the memory of the batch has its gradient through views alone, or none."""
    return not x.requires_grad or (batch.requires_grad and is_view(x) and not x.origin)


def stacked(examples: list[Tensor], dim: int) -> Tensor:
    """Stack the results for the examples."""
    return untold(ops.stack(examples, dim))


def untold(x: Any) -> Tensor:
    """Return the tensor, whose last node is in torch that of the operation for the whole batch."""
    if mode.examples is None and isinstance(x.node, Node):
        UNTOLD.add(x.node)
    return x  # type: ignore[no-any-return]


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
        examples: Examples | None = None
        effects = Effects(func)
        with randomness_of(randomness, batch.size) as drawing:
            for n in range(batch.size or 1):
                drawing.begin(n)
                given, named, sources = batch.example(n)
                examples = Examples(sources, batch.size, randomness, n, examples and examples.first, effects)
                with effects.of(n), muted(n > 0), running_on(examples):
                    made = func(*given, **named)
                leaves, build = flattened(made)
                dims = dims_of_outputs(name, out_dims, made) if not n else dims
                results.append([checked(name, x, dim, examples) for x, dim in zip(leaves, dims, strict=True)])
        assert examples is not None
        columns = zip(*results, strict=True)
        return build(
            column[0] if dim is None else batch.joined(list(column), dim, examples)
            for column, dim in zip(columns, dims, strict=True)
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
