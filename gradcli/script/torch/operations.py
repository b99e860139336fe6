"""The engine's operations as `torch.name(...)`, `x.name(...)` and `x.name_(...)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gradcli.engine.in_place import check_in_place, write_over
from gradcli.engine.tensor import Tensor
from gradcli.ops.pairs import PAIRS
from gradcli.ops.surface import OPERATIONS
from gradcli.script.machine import running
from gradcli.script.torch.dtypes import DType, numpy_dtype

Function = Callable[..., Any]


@cache
def function(name: str) -> Function | None:
    """`torch.name`, or None when there is no such operation."""
    if name.endswith("_") and name[:-1] in OPERATIONS:
        return in_place(name[:-1])
    if name in PAIRS:
        return plain(name, PAIRS[name], takes_dtype=False)
    if name not in OPERATIONS:
        return None
    operation = OPERATIONS[name]
    return plain(name, operation, takes_dtype="dtype" in operation.parameters)


@cache
def method(name: str) -> Function | None:
    """`x.name`, which takes the tensor first; None when there is no such method."""
    stem = name.removesuffix("_")
    if stem not in PAIRS and (stem not in OPERATIONS or not OPERATIONS[stem].method):
        return None
    return function(name)


def plain(name: str, operation: Function, *, takes_dtype: bool) -> Function:
    """An operation that takes torch's dtypes and numpy's spellings of keywords."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        if keywords:
            keywords = torch_keywords(keywords, takes_dtype)
        if any(isinstance(x, DType) for x in arguments):
            arguments = tuple(numpy_dtype(x) for x in arguments)
        result = operation(*arguments, **keywords)
        if isinstance(result, Tensor) and result.value.size > LARGE:
            running.machine.budget.fits(result.value.size, "the result")
        return result

    call.__name__ = name
    return call


LARGE = 2**16  # entries of a result worth a look at the limit

SYNONYMS = {"axis": "dim", "keepdims": "keepdim"}


def torch_keywords(keywords: dict[str, Any], takes_dtype: bool) -> dict[str, Any]:
    """Keywords as operations take them: numpy's spellings, torch's dtypes."""
    found = {SYNONYMS.get(name, name): value for name, value in keywords.items()}
    if "dtype" in found:
        found["dtype"] = numpy_dtype(found["dtype"])
        if found["dtype"] is None and not takes_dtype:
            del found["dtype"]
    return found


def in_place(name: str) -> Function:
    """`x.name_(...)`: the result, written over the tensor."""
    operation = function(name)
    assert operation is not None

    def call(target: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        check_in_place(target)
        return write_over(target, operation(target, *arguments, **keywords))

    call.__name__ = f"{name}_"
    return call
