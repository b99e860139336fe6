"""`out=`: the result of an operation, written into a tensor that is there already."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from gradcli.engine.checks.promotion import CATEGORIES
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.in_place import check_in_place, check_overlap
from gradcli.engine.memory.views import writable
from gradcli.engine.modes import mode
from gradcli.engine.recorder import before_writing
from gradcli.engine.tangents import tangents_of
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.return_types import ReturnType
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.operations.readers import kind_name

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)


def into(name: str, out: Any, call: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call an operation outside the graph and write what it gives; what was written to is the answer."""
    outputs = list(out) if isinstance(out, tuple | list) else [out]
    for output in outputs:
        if not isinstance(output, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {kind_name(output)}")
    operands = [*arguments, *keywords.values()]
    if mode.grad_enabled and any(isinstance(x, Tensor) and x.requires_grad for x in [*operands, *outputs]):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if mode.examples is not None or tangents_of(*operands, *outputs):
        raise UnsupportedError(f"out= of {name} in vmap or forward mode is not supported here", help="leave out= out")
    result = call(*arguments, **keywords)
    results = list(result) if isinstance(result, tuple) else [result]
    if len(results) != len(outputs):
        raise TypeError(f"{name}(): argument 'out' must hold {len(results)} tensors, not {len(outputs)}")
    for output, value in zip(outputs, results, strict=True):
        fill(output, value)
    if isinstance(result, ReturnType):
        return ReturnType(f"{result.name}_out", **dict(zip(result._fields, outputs, strict=True)))
    return out


def with_out(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which takes `out=` too."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        out = keywords.pop("out", None)
        return function(*arguments, **keywords) if out is None else into(name, out, function, arguments, keywords)

    return call


def fill(output: Tensor, result: Tensor) -> None:
    """Write a result over a tensor, which is resized where it has another shape."""
    if CATEGORIES[result.dtype.kind] > CATEGORIES[output.dtype.kind]:
        names = (TYPE_NAMES[x.dtype] for x in (result, output))
        raise RuntimeError("result type {} can't be cast to the desired output type {}".format(*names))
    if output.shape != result.shape:
        if output.value.size:
            warnings.warn(RESIZED.format(list(output.shape), list(result.shape)), UserWarning, stacklevel=2)
        output.data = Tensor(result.array.astype(output.dtype))
        return
    check_in_place(output, requires_grad=False)
    check_overlap(output)
    waiting = before_writing(output, result)
    writable(output.array)[...] = result.value
    output.changed()
    for follow in waiting:
        follow()
