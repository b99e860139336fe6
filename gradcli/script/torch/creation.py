"""Making tensors: from data, of one number, in a row, at random."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor, is_floating, tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.torch.dtypes import Device, check_device, numpy_dtype

COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)


def made(value: Any, requires_grad: bool, device: Any = None) -> Tensor:
    """A new leaf."""
    check_device(device.type if isinstance(device, Device) else device)
    leaf = Tensor(value)
    if requires_grad:
        if not is_floating(value):
            raise AutogradError("Only Tensors of floating point and complex dtype can require gradients")
        leaf.node = AccumulateGrad(leaf)
    return leaf


def tensor_(data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any) -> Tensor:
    """`torch.tensor`: a copy of the data, in the default dtype for fractions."""
    check_device(device.type if isinstance(device, Device) else device)
    if isinstance(data, Tensor):
        warnings.warn(COPY_WARNING, UserWarning, stacklevel=2)
        data = data.detach().value
    plain = numbers(data)
    wanted = None if dtype is None else np.dtype(numpy_dtype(dtype))
    try:
        return tensor(plain, dtype=wanted, requires_grad=requires_grad)
    except ValueError:
        raise ValueError(uneven(plain)) from None
    except TypeError:
        raise TypeError(f"could not determine the shape of object type '{type(data).__name__}'") from None


def numbers(data: Any) -> Any:
    """Nested lists with numbers in place of the tensors of one element inside them."""
    if isinstance(data, list | tuple):
        _measured(data)
        return [numbers(item) for item in data]
    if isinstance(data, Tensor):
        return data.value.tolist()
    if isinstance(data, range):
        running.machine.budget.fits(len(data), "the tensor")
        return list(data)
    if isinstance(data, str) or data is None or not isinstance(data, int | float | np.ndarray | np.generic):
        name = type(data).__name__
        if isinstance(data, str):
            raise TypeError("new(): invalid data type 'str'")
        raise RuntimeError(f"Could not infer dtype of {name}")
    return data


def _measured(data: Any, depth: int = 0) -> None:
    running.machine.budget.fits(len(data), "the tensor")


def uneven(data: Any) -> str:
    """Where nested lists are not of one length."""
    row = data
    dim = 0
    while isinstance(row, list) and row and isinstance(row[0], list):
        lengths = [len(item) if isinstance(item, list) else None for item in row]
        odd = next((n for n in lengths if n != lengths[0]), lengths[0])
        dim += 1
        if odd != lengths[0]:
            if odd is None:
                return f"expected sequence of length {lengths[0]} at dim {dim} (got 0)"
            return f"expected sequence of length {lengths[0]} at dim {dim} (got {odd})"
        row = row[0]
    return "expected sequences of one length"


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """The tensor itself, the memory of an array, or a new tensor."""
    from gradcli.script.torch.tensors import cast

    if isinstance(data, Tensor):
        return data if dtype is None else cast(data, dtype)
    if isinstance(data, np.ndarray) and dtype is None:
        return Tensor(data)
    return tensor_(data, dtype, device)


def from_numpy(array: Any) -> Tensor:
    """A tensor on the memory of an array."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return Tensor(array)


def shape_of(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """`(2, 3)` or `2, 3`; measured."""
    given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
    shape = tuple(int(size) if not isinstance(size, float) else _no_size(size) for size in given)
    for size in shape:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {list(shape)}")
    running.machine.budget.fits(math.prod(shape), "the tensor")
    return shape


def _no_size(size: Any) -> int:
    raise TypeError(f"argument 'size' must be tuple of ints, not {type(size).__name__}")


def filled(value: float) -> Callable[..., Tensor]:
    """`torch.zeros` and `torch.ones`."""

    def make(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **keywords: Any) -> Tensor:
        shape = shape_of(size or (keywords.get("size", ()),))
        wanted = mode.default_dtype if dtype is None else numpy_dtype(dtype)
        return made(np.full(shape, value, wanted)[()], requires_grad, device)

    return make


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    number = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    natural = np.int64 if isinstance(number, int) and not isinstance(number, bool) else np.bool_
    wanted = mode.default_dtype if isinstance(number, float) else natural
    shape = shape_of((size,))
    return made(np.full(shape, number, wanted if dtype is None else numpy_dtype(dtype))[()], requires_grad, device)


def like(maker: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`torch.zeros_like(x)`: the shape and the dtype of another tensor."""

    def make(x: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        keywords.pop("memory_format", None)
        given = {"dtype": x.dtype, **keywords} if keywords.get("dtype") is None else keywords
        return maker(
            x.shape, *arguments, **{**given, "dtype": given["dtype"] if given["dtype"] is not None else x.dtype}
        )

    return make


def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if end is None:
        start, end = 0, start
    first, last, by = (x.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    if by == 0:
        raise RuntimeError("step must be nonzero")
    if (last - first) / by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = math.ceil((last - first) / by)
    running.machine.budget.fits(count, "the tensor")
    whole = all(isinstance(x, int) for x in (first, last, by))
    wanted = numpy_dtype(dtype) if dtype is not None else np.dtype(np.int64) if whole else mode.default_dtype
    values = first + np.arange(count) * by
    return made(values.astype(wanted), requires_grad, device)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Torch counts from both ends, so that the last number is exact."""
    running.machine.budget.fits(steps, "the tensor")
    wanted = mode.default_dtype if dtype is None else np.dtype(numpy_dtype(dtype))
    first, last = (wanted.type(x.item() if isinstance(x, Tensor) else x) for x in (start, end))
    step = (last - first) / wanted.type(max(steps - 1, 1))
    count = np.arange(steps).astype(wanted)
    values = np.where(count < steps // 2, first + step * count, last - step * (steps - 1 - count).astype(wanted))
    return made(values.astype(wanted) if steps != 1 else np.array([first], wanted), requires_grad, device)


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    shape = shape_of((n, n if m is None else m))
    return made(
        np.eye(*shape, dtype=mode.default_dtype if dtype is None else numpy_dtype(dtype)), requires_grad, device
    )


def drawn(draw: str) -> Callable[..., Tensor]:
    """`torch.rand` and `torch.randn`."""

    def make(
        *size: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        generator: Any = None,
        **keywords: Any,
    ) -> Tensor:
        shape = shape_of(size or (keywords.get("size", ()),))
        wanted = mode.default_dtype if dtype is None else np.dtype(numpy_dtype(dtype))
        source = generator or running.machine.generator
        return made(getattr(source, draw)(shape, wanted)[()], requires_grad, device)

    return make


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    generator: Any = None,
) -> Tensor:
    if size is None:  # randint(high, size)
        low, high, size = 0, low, high
    shape = shape_of((size,))
    source = generator or running.machine.generator
    wanted = np.dtype(np.int64 if dtype is None else numpy_dtype(dtype))
    return made(source.integers(int(low), int(high), shape, wanted)[()], requires_grad, device)


def randperm(n: int, *, generator: Any = None, dtype: Any = None, device: Any = None, **_: Any) -> Tensor:
    running.machine.budget.fits(n, "the tensor")
    source = generator or running.machine.generator
    return made(source.permutation(n).astype(np.int64 if dtype is None else numpy_dtype(dtype)), False, device)


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, **keywords: Any) -> Tensor:
    """`torch.normal`: of numbers and a size, or of tensors entry by entry."""
    if size is not None:
        source = generator or running.machine.generator
        return made(
            source.normal(shape_of((size,)), mode.default_dtype, mean, std)[()], bool(keywords.get("requires_grad"))
        )
    shape = np.broadcast_shapes(np.shape(_value(mean)), np.shape(_value(std)))
    unit = (generator or running.machine.generator).normal(shape, mode.default_dtype)
    return Tensor((unit * _value(std) + _value(mean)).astype(mode.default_dtype)[()])


def _value(x: Any) -> Any:
    return x.value if isinstance(x, Tensor) else x


CREATION: dict[str, Callable[..., Any]] = {
    "tensor": tensor_,
    "as_tensor": as_tensor,
    "asarray": as_tensor,
    "from_numpy": from_numpy,
    "zeros": filled(0),
    "ones": filled(1),
    "empty": filled(0),
    "full": full,
    "arange": arange,
    "linspace": linspace,
    "eye": eye,
    "rand": drawn("uniform"),
    "randn": drawn("normal"),
    "randint": randint,
    "randperm": randperm,
    "normal": normal,
}
CREATION |= {f"{name}_like": like(CREATION[name]) for name in ("zeros", "ones", "empty", "full", "rand", "randn")}
