"""Methods of tensors that read sizes, strides and memory, or leave the graph."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from gradcli.engine.checks.shapes import check_extents, dimension
from gradcli.engine.memory.views import first_entry, is_view
from gradcli.engine.modes import mode, refuse_examples
from gradcli.engine.recorder import listening
from gradcli.engine.tangents import Level
from gradcli.engine.tensor import DETACHED_VIEW, Tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.torch.func.levels import RETAINED
from gradcli.script.torch.operations.readers import kind_name
from gradcli.script.torch.tensor.dtypes import Size


def size(x: Tensor, dim: Any = None) -> Any:
    """`x.size()`, and `x.size(dim)` of one dimension."""
    if dim is None:
        return Size(x.shape)
    return x.shape[_dimension("size", dim, x)]


def stride(x: Tensor, dim: Any = None) -> Any:
    """Return the number of entries between neighbours, by dimension."""
    steps = tuple(step // x.value.itemsize for step in x.array.strides)
    if x.shape == (1,) and x.base is None:  # numpy leaves those of the array that a sum reads
        steps = (1,)
    return steps if dim is None else steps[_dimension("stride", dim, x)]


def _dimension(name: str, dim: Any, x: Tensor) -> int:
    if not isinstance(dim, int):
        raise TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {kind_name(dim)}")
    check_extents(x.shape, dim)
    return dimension(dim, x.ndim)


def storage_offset(x: Tensor) -> int:
    return first_entry(x.array)


def data_ptr(x: Tensor) -> int:
    return int(x.array.ctypes.data) if x.array.size else 0


def base(x: Tensor) -> Tensor | None:
    """`x._base`: the tensor whose memory this view shares; None if it is none."""
    return x.base if is_view(x) else None


def is_contiguous(x: Tensor) -> bool:
    return bool(x.array.flags.c_contiguous)


def to_list(x: Tensor) -> Any:
    refuse_examples("memory", x)
    return x.value.tolist()


def numpy_of(x: Tensor, *, force: bool = False) -> Any:
    """Return the memory as an array, whose attributes are those of the numpy facade."""
    import_module("gradcli.script.numpy.methods")
    array = (x.detach() if force else x).numpy().view()  # another array on every call
    if running.machine.timeline is not None:
        running.machine.timeline.cut(x, array, "numpy()")
    return array


def gradient_of(x: Tensor) -> Tensor | None:
    """`x.grad`; the timeline hears when it is read, to explain one that is None."""
    gradient = x.grad
    if running.machine.timeline is not None:
        running.machine.timeline.asked(x, gradient)
    return gradient


def retain_grad(x: Tensor) -> None:
    """Keep the gradient of a tensor that is no leaf; a function that torch.func transforms cannot ask for that."""
    if mode.transforms:
        raise RuntimeError(RETAINED)
    x.retain_grad()


def detach_(x: Tensor) -> Tensor:
    """Take the tensor out of the graph, and of forward passes."""
    if base(x) is not None:
        raise AutogradError(DETACHED_VIEW)
    for level in listening(Level):
        level.forget(x)
    return x.detach_()


def cutting(how: str, function: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """Make a method that leaves the graph, of which the timeline hears."""

    def call(x: Tensor) -> Any:
        result = function(x)
        if running.machine.timeline is not None:
            running.machine.timeline.cut(x, result, how)
        return result

    return call


def alone(name: str, function: Callable[[Tensor], Any]) -> Callable[..., Any]:
    """Make a method that takes no arguments; TypeError in torch's words when it gets some."""

    def call(x: Tensor, *extra: Any, **named: Any) -> Any:
        if extra or named:
            many = f"arguments ({len(extra)} given)" if extra else "keyword arguments"
            raise TypeError(f"TensorBase.{name}() takes no {many}")
        return function(x)

    call.__name__ = name
    return call


METHODS: dict[str, Any] = {
    "size": size,
    "stride": stride,
    "is_contiguous": is_contiguous,
    "numpy": numpy_of,
}
