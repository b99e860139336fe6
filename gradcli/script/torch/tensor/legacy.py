"""The tensor types from before dtypes: `torch.FloatTensor` and the others, and the tensors that they make."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.torch.tensor.creation import CREATION
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, OfDtype, Size


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


MEMBERS = {kind.name: kind for kind in map(legacy, BY_NUMPY)}
