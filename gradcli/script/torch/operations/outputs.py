"""`out=`: the result of an operation, written into a tensor that is there already."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.checks.promotion import CATEGORIES
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.memory.in_place import check_apart, check_in_place, check_overlap
from gradcli.engine.memory.views import writable
from gradcli.engine.modes import mode
from gradcli.engine.recorder import before_writing
from gradcli.engine.tangents import tangents_of
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.pairs import ReturnType
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.operations.exact import check_exact
from gradcli.script.torch.operations.readers import kind_name

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)

BATCHED = "Batching rule not implemented for aten::{}.out; the fallback path doesn't work on out= or view ops."
ONE_OVERLOAD = """
abs acos add addmm asin atan atan2 bmm ceil cos cosh div dot erf exp expm1 floor log log1p maximum minimum mm mul mv neg
reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan tanh trunc
"""

# Functions that read all of an operand before they write, or while they do: torch does not look where that is.
WHOLE = """
addbmm addmm addmv amax amin argmax argmin avg_pool2d avg_pool3d baddbmm bmm cummax cummin diag dot einsum inv inverse
kthvalue log_softmax logsumexp matmul matrix_norm matrix_power mean median mm multi_dot mv nanmean nanquantile nansum
norm prod quantile renorm softmax solve std sum tensordot tril triu var vector_norm
"""
# Functions that may not write into what they read, and not only into another part of its memory.
SEPARATE = """
addr cat concat concatenate cross gather hstack index_add index_copy index_select kron masked_select outer scatter
scatter_add stack take take_along_dim vstack
"""


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
    if tangents_of(*operands, *outputs):
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )
    if name == "multinomial" and outputs[0].dtype != np.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {TYPE_NAMES[outputs[0].dtype]}")
    if name in ("all", "any") and outputs[0].dtype not in (np.bool_, np.uint8):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {TYPE_NAMES[outputs[0].dtype]}")
    if mode.examples is not None:
        raise UnsupportedError(f"out= of {name} inside of vmap is not supported here", help="leave it out")
    result = call(*arguments, **keywords)
    results = list(result) if isinstance(result, tuple) else [result]
    if len(results) != len(outputs):
        from gradcli.script.torch.operations.overloads import refusal

        raise TypeError(refusal(name, arguments, {**keywords, "out": out}, "", method=False))
    if name in ("cat", "concat", "concatenate") and CATEGORIES[result.dtype.kind] > CATEGORIES[out.dtype.kind]:
        kind = TYPE_NAMES[out.dtype]
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {kind}")
    for output, value in zip(outputs, results, strict=True):
        check_exact(name, value.dtype, output.dtype, several=len(results) > 1)
    check_part(name, outputs, results, operands)
    for output, value in zip(outputs, results, strict=True):
        fill(output, value)
    if isinstance(result, ReturnType):
        return ReturnType(f"{result.name}_out", **dict(zip(result._fields, outputs, strict=True)))
    return out


def check_part(name: str, outputs: list[Tensor], results: list[Any], operands: list[Any]) -> None:
    """Refuse to write into memory of which an operand has another part."""
    read = [part for x in operands for part in (x if isinstance(x, tuple | list) else (x,))]
    for output, value in zip(outputs, results, strict=True):
        if output.shape != value.shape:  # it will have other memory
            continue
        if name not in WHOLE.split():
            check_apart(output, read, wholly=name in SEPARATE.split())
        elif any(isinstance(x, Tensor) and _shared(name, output.array, x.array) for x in read):
            words = f"{name} into the memory of its operand is not supported here"
            raise UnsupportedError(words, help="give out= a tensor of its own")


def _shared(name: str, output: Any, operand: Any) -> bool:
    """Whether both have memory in common, unless each entry is read where the entry in its place is written."""
    one, other = (x.__array_interface__ for x in (output, operand))
    same = all(one[key] == other[key] for key in ("data", "shape", "strides"))
    if same and name in ("log_softmax", "softmax", "tril", "triu"):
        return False
    return bool(np.may_share_memory(output, operand))


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
