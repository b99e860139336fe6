"""Random tensors: new ones, and tensors filled with random numbers in place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcastable, mismatch
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.in_place import check_in_place, write_over
from gradcli.engine.memory.views import blank
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.formula import call
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.constant_nodes import constant_node
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.operations.arguments import kind_name
from gradcli.script.torch.random.generator import Generator, in_memory_order
from gradcli.script.torch.tensor.options import checked_shape, new_leaf, read_options, size_tuple, sizes, whole_number


def generator_of(generator: Any) -> Any:
    """Return the generator that was given, or that of the run."""
    if not isinstance(generator, Generator | None):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {kind_name(generator)}")
    return running.machine.generator if generator is None else generator


def bernoulli(x: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Draw ones with the probabilities in `x`, or with `p` each."""
    if p is None and x.dtype.kind != "f":
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_p_\" not implemented for '{TYPE_NAMES[x.dtype]}'")
    chances = x.value if p is None else p
    if p is None and not ((x.value >= 0) & (x.value <= 1)).all():
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    node = "BernoulliBackward0" if p is None else "NotImplemented"
    return constant_node(node, generator_of(generator).bernoulli(chances, x.shape).astype(x.dtype)[()], x)


def multinomial(x: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Draw indices by weight."""
    if x.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    drawn = Tensor(generator_of(generator).multinomial(x.value, num_samples, replacement))
    if running.machine.timeline is not None:
        running.machine.timeline.cut(x, drawn, "multinomial")
    return drawn


KERNELS = {
    "uniform": "check_uniform_bounds",
    "normal": "normal_kernel_cpu",
}


def check_kind(draw: str, dtype: np.dtype[Any]) -> None:
    """Refuse whole numbers."""
    if dtype.kind != "f":
        raise NotImplementedError(f"\"{KERNELS[draw]}\" not implemented for '{TYPE_NAMES[dtype]}'")


def drawn(name: str, draw: str) -> Callable[..., Tensor]:
    """`torch.rand` and `torch.randn`."""

    def make(*size: Any, **keywords: Any) -> Tensor:
        shape, options = sizes(name, size, keywords), read_options(name, keywords)
        check_kind(draw, options.real)
        return new_leaf(getattr(generator_of(options.generator), draw)(shape, options.real)[()], options)

    return make


def randint(*bounds: Any, **keywords: Any) -> Tensor:
    """`randint(high, size)` and `randint(low, high, size)`."""
    several = len(bounds) + sum(name in keywords for name in ("low", "high", "size")) > 2
    names = ("low", "high", "size") if several else ("high", "size")
    values = dict(zip([name for name in names if name not in keywords], bounds, strict=False))
    values.update({name: keywords.pop(name) for name in ("low", "high", "size") if name in keywords})
    if "high" not in values or "size" not in values:
        raise TypeError("randint() takes a high bound and a size, or a low bound, a high bound and a size")
    low, high = (whole_number("randint", name, values.get(name, 0), 1) for name in ("low", "high"))
    shape, options = size_tuple("randint", values["size"], 2), read_options("randint", keywords)
    numbers = generator_of(options.generator).integers(low, high, shape, np.dtype(options.dtype or np.int64))
    return new_leaf(numbers[()], options)


def randperm(n: Any, **keywords: Any) -> Tensor:
    options = read_options("randperm", keywords)
    (count,) = checked_shape("randperm", (n,))
    numbers = generator_of(options.generator).permutation(count)
    return new_leaf(numbers.astype(options.dtype or np.int64), options)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **keywords: Any) -> Tensor:
    """`torch.normal` of numbers and a size, or of tensors entry by entry."""
    options = read_options("normal", keywords)
    source = generator_of(options.generator)
    if size is not None:
        return new_leaf(source.normal(size_tuple("normal", size, 3), options.real, mean, std)[()], options)
    means, spreads = (np.asarray(x.value if isinstance(x, Tensor) else x) for x in (mean, std))
    if not isinstance(std, Tensor) and spreads < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {float(spreads):g}")
    if (spreads < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if not broadcastable([means, spreads]):
        raise mismatch([means, spreads])
    shape = np.broadcast_shapes(means.shape, spreads.shape)
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    dtype = next((x.dtype for x in tensors), mode.default_dtype)
    if isinstance(std, Tensor):
        unit = (source.normal(shape, dtype) * spreads).astype(dtype)
    else:
        unit = source.normal(shape, dtype, 0.0, std)
    value = (unit + means).astype(dtype)[()]
    number = 3 if len(tensors) == 2 else 1 if tensors and tensors[0] is mean else 2
    return constant_node(f"NormalBackward{number}", value, *tensors) if tensors else Tensor(value)


def filling(draw: str) -> Callable[..., Tensor]:
    """`x.uniform_()`, `x.normal_()`: new numbers in the memory."""

    def fill(x: Tensor, *arguments: Any, generator: Any = None, **keywords: Any) -> Tensor:
        check_kind(draw, x.dtype)
        numbers = (argument.item() if isinstance(argument, Tensor) else argument for argument in arguments)
        keywords = {PARAMETERS.get(name, name): value for name, value in keywords.items()}
        source = generator_of(generator)
        node = f"{draw.capitalize()}Backward0"
        return written(x, lambda: numbers_for(x, draw, source, *numbers, **keywords), node)

    return fill


def numbers_for(x: Tensor, draw: str, source: Generator, *numbers: Any, **keywords: Any) -> Any:
    """Return numbers of a distribution for the entries of a tensor."""

    def make(shape: Any, **apart: bool) -> Any:
        return getattr(source, draw)(shape, x.dtype, *numbers, **keywords, **apart)

    return in_memory_order(x.array, make, **({"apart": True} if draw == "normal" else {}))


PARAMETERS = {"from": "low", "to": "high"}  # torch's names of our generator's parameters


def _drawn(x: Any, numbers: Any) -> Any:
    return np.asarray(numbers).astype(x.dtype)[()]


def written(x: Tensor, draw: Callable[[], Any], node: str) -> Tensor:
    """Write numbers into the memory of `x`; the operations that made `x` get zero gradients."""
    check_in_place(x)
    numbers = draw()
    if x.requires_grad and mode.grad_enabled:
        forgetting = (lambda g, out, x, numbers: blank(g),)
        over = Primitive("drawn_over", _drawn, forgetting, node, call("drawn", _drawn), structured=True)
        return write_over(x, over(x, Tensor(np.asarray(numbers)[()])))
    x.array[...] = numbers
    x.changed()
    return x


def bernoulli_(x: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    if isinstance(p, Tensor):
        raise UnsupportedError("bernoulli_ with a tensor is not supported here", help="write torch.bernoulli(p)")
    chances, source = p, generator_of(generator)
    return written(x, lambda: in_memory_order(x.array, partial(source.bernoulli, chances)), "BernoulliBackward2")


METHODS: dict[str, Callable[..., Any]] = {
    "uniform_": filling("uniform"),
    "normal_": filling("normal"),
    "bernoulli_": bernoulli_,
    "bernoulli": bernoulli,
    "multinomial": multinomial,
}
CREATION: dict[str, Callable[..., Any]] = {
    "rand": drawn("rand", "uniform"),
    "randn": drawn("randn", "normal"),
    "randint": randint,
    "randperm": randperm,
    "normal": normal,
}
