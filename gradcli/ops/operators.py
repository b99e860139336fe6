"""The operations behind Python's operators, methods and attributes, registered for the engine's carriers to call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.engine.backward import backward
from gradcli.engine.forward import apply
from gradcli.engine.operators import FUNCTIONS
from gradcli.engine.tensor import Tensor
from gradcli.ops.pointwise import arithmetic, comparisons
from gradcli.ops.support.arguments import as_tensor
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import OPERATIONS

ATTRIBUTES = ("T", "mT")


def _named(name: str) -> Callable[..., Any]:
    """Return the operation of that name, whose family is imported when it is first used."""
    return lambda *arguments: getattr(ops, name)(*arguments)


def _change(target: Tensor, function: Callable[..., Tensor], other: Any) -> Tensor:
    from gradcli.engine.memory.in_place import change

    return change(target, function, other)


def _assign(target: Tensor, items: Any, value: Any) -> None:
    from gradcli.ops.indexing.subscript import assign

    assign(target, items, value)


def _entries(x: Tensor, items: Any) -> Any:
    from gradcli.ops.indexing.subscript import torch_items

    return ops.index(x, torch_items(items))


def _attribute(x: Tensor, name: str) -> Any:
    """Return `x.sum` or `x.T`, the operation of that name on this tensor; `x.add_` writes its result over `x`."""
    if name.endswith("_"):
        from gradcli.ops.indexing.subscript import in_place_method

        in_place = in_place_method(name)
        if in_place is not None:
            return partial(in_place, x)
    if name in ATTRIBUTES:
        return getattr(ops, name)(x)
    if name not in OPERATIONS or not OPERATIONS[name].method:
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")
    return partial(getattr(ops, name), x)


def register() -> None:
    """Give the engine the functions behind its operators."""
    FUNCTIONS.update(
        apply=apply,
        backward=backward,
        change=_change,
        setitem=_assign,
        getattr=_attribute,
        getitem=_entries,
        matmul=lambda a, b: ops.matmul(as_tensor(a), as_tensor(b)),
        add=arithmetic.apply_add,
        sub=arithmetic.apply_sub,
        mul=arithmetic.apply_mul,
        truediv=ops.div,
        floordiv=arithmetic.quotient,
        pow=ops.pow,
        mod=ops.remainder,
        neg=arithmetic.neg,
        lt=comparisons.less,
        le=comparisons.at_most,
        gt=comparisons.greater,
        ge=comparisons.at_least,
        invert=_named("bitwise_not"),
        lshift=_named("bitwise_left_shift"),
        rshift=_named("bitwise_right_shift"),
        **{name: _named(f"bitwise_{name}") for name in ("and", "or", "xor")},
        **{name: _named(name) for name in ("abs", "eq", "flip", "unbind")},
    )
