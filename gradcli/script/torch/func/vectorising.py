"""`torch.vmap`: a function of one example applied to a batch; here it runs once for each example."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from gradcli.engine.graph import Node
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.func.examples import Examples, examples_of, muted, randomness_of
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
        return build(
            column[0] if dim is None else stacked(list(column), dim) for column, dim in zip(columns, dims, strict=True)
        )

    return call


def stacked(examples: list[Tensor], dim: int) -> Tensor:
    """Stack the results for the examples; in torch the operation for the whole batch made the last node."""
    found: Tensor = ops.stack(examples, dim)
    if mode.examples is None and isinstance(found.node, Node):
        UNTOLD.add(found.node)
    return found


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
