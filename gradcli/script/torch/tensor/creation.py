"""Functions that make tensors: of one number, of a range, or like another tensor."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.torch.operations.facade import plain
from gradcli.script.torch.operations.readers import kind_name
from gradcli.script.torch.random.sampling import CREATION as RANDOM
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, OfDtype, Size
from gradcli.script.torch.tensor.literals import as_tensor as as_tensor
from gradcli.script.torch.tensor.literals import from_numpy
from gradcli.script.torch.tensor.literals import tensor_ as tensor_
from gradcli.script.torch.tensor.options import new_leaf, read_options, sizes


def filled(name: str, value: Any) -> Callable[..., Tensor]:
    """`torch.zeros` and `torch.ones`; `torch.empty` has entries of 0 here."""

    def make(*size: Any, **keywords: Any) -> Tensor:
        shape, options = sizes(name, size, keywords), read_options(name, keywords)
        return new_leaf(np.full(shape, value, options.real)[()], options)

    return make


def computed(name: str) -> Callable[..., Tensor]:
    """Return `torch.arange` or another that computes its entries: the operation, with torch's options beside."""

    def make(*arguments: Any, **keywords: Any) -> Tensor:
        parameters = OPERATIONS[name].parameters.keys() - {"dtype"}
        own = {keyword: keywords.pop(keyword) for keyword in list(keywords) if keyword in parameters}
        options = read_options(name, keywords)
        if options.dtype is not None:
            own["dtype"] = options.dtype
        if name == "arange" and not arguments and "start" not in own and "end" in own:
            arguments = (own.pop("end"),)
        try:
            return new_leaf(_operation(name)(*arguments, **own).value, options)
        except EvaluationError as error:
            if error.code == "E210":  # a limit, which a snippet may not catch
                running.machine.budget.refuse(error.message, "try it at a smaller size")
            raise

    return make


@cache
def _operation(name: str) -> Callable[..., Tensor]:
    return plain(name, method=False)


def like(name: str) -> Callable[..., Tensor]:
    """`torch.zeros_like(x)`: the shape and, unless another is given, the dtype of a tensor."""

    def make(input: Any, *arguments: Any, **keywords: Any) -> Tensor:
        shape, dtype = _model(f"{name}_like", input)
        keywords["dtype"] = keywords.get("dtype") or dtype
        if name == "randint":
            return CREATION[name](*arguments, size=shape, **keywords)  # type: ignore[no-any-return]
        return CREATION[name](shape, *arguments, **keywords)  # type: ignore[no-any-return]

    return make


def _model(name: str, x: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {kind_name(x)}")
    return x.shape, x.dtype


CREATION: dict[str, Callable[..., Any]] = {
    **RANDOM,
    "tensor": tensor_,
    "as_tensor": as_tensor,
    "from_numpy": from_numpy,
    "scalar_tensor": lambda value, **keywords: tensor_(value, **{"dtype": mode.default_dtype, **keywords}),
    "zeros": filled("zeros", 0),
    "ones": filled("ones", 1),
    "empty": filled("empty", 0),
    **{name: computed(name) for name in ("full", "full_like", "arange", "linspace", "logspace", "eye")},
}


CREATION |= {f"{name}_like": like(name) for name in ("zeros", "ones", "empty", "rand", "randn", "randint")}


def construct(data: tuple[Any, ...], kind: Any, **keywords: Any) -> Tensor:
    """The tensor `torch.FloatTensor(...)`: of numbers in a list; or of a size, with arbitrary entries."""
    if len(data) == 1 and isinstance(data[0], Tensor) and data[0].dtype == kind.numpy:
        return data[0].detach()
    if keywords or (len(data) == 1 and isinstance(data[0], Tensor | str)):
        raise UnsupportedError("such a call of a tensor type is not supported here", help="write torch.tensor(...)")
    if len(data) == 1 and not isinstance(data[0], int | Size):
        if np.isscalar(data[0]):
            raise TypeError(f"new(): data must be a sequence (got {type(data[0]).__name__})")
        return CREATION["tensor"](data[0], dtype=kind)  # type: ignore[no-any-return]
    return CREATION["empty"](*(data or (0,)), dtype=kind)  # type: ignore[no-any-return]


def legacy(dtype: np.dtype[Any]) -> BuiltinType:
    """The type of the tensors of one dtype: it may be called, compared, and given to `x.type(...)`."""
    name = f"{TYPE_NAMES[dtype]}Tensor"
    python = OfDtype(name, (), {"dtype": dtype})
    facts = {"dtype": BY_NUMPY[dtype], "is_cuda": False, "is_sparse": False}
    return BuiltinType(name, python, lambda *data, **named: construct(data, BY_NUMPY[dtype], **named), facts, "torch")


LEGACY = {kind.name: kind for kind in map(legacy, BY_NUMPY)}
