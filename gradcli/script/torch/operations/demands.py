"""Demands of torch on the numbers that an operation is given, where the engine takes more: kinds and bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.broadcast import to_copy
from gradcli.engine.checks.promotion import fitting
from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.modes import mode, warn_once
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.pointwise.rounding import NOT_IMPLEMENTED, underived
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import one_way
from gradcli.script.torch import formats
from gradcli.script.torch.operations import scales
from gradcli.script.torch.operations.overloads import refusal
from gradcli.script.torch.operations.slices import out_of_bounds

BYTES = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead."
)
ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
    "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
    "* tensor1 / tensor2), for all dtypes."
)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
    if not is_floating(tensor1.value) and not is_floating(tensor2.value):
        raise RuntimeError(ADDCDIV)
    found = ops.addcdiv(input, tensor1, tensor2, value=value)
    if is_floating(tensor2.value) or not tensor1.requires_grad:
        return found
    words = "result type {} can't be cast to the desired output type {}"
    return one_way(found, words.format(TYPE_NAMES[found.dtype], TYPE_NAMES[tensor2.dtype]))


def lerp(input: Tensor, end: Tensor, weight: Any) -> Any:
    for name, given in (("end", end), ("weight", weight)):
        number = name == "weight" and isinstance(given, Tensor) and not given.ndim  # which counts as one
        if isinstance(given, Tensor) and given.dtype != input.dtype and not number:
            wanted, found = (C_NAMES[TYPE_NAMES[dtype]] for dtype in (input.dtype, given.dtype))
            raise RuntimeError(f"expected dtype {wanted} for `{name}` but got dtype {found}")
    if not is_floating(input.value):
        raise NotImplementedError(f"\"lerp_kernel_scalar\" not implemented for '{TYPE_NAMES[input.dtype]}'")
    if isinstance(weight, Tensor) and weight.dtype != input.dtype:
        weight = to_copy(weight, dtype=input.dtype)
    return ops.lerp(input, end, weight)


def where(condition: Tensor, *given: Any, **named: Any) -> Any:
    """Refuse one of the two tensors without the other."""
    if len(given) + len(named) == 1:
        raise TypeError(refusal("where", (condition, *given), named, "", method=False))
    if condition.dtype == np.uint8:
        warn_once(BYTES)
        condition = Tensor(condition.value.astype(np.bool_))
    tensor = next((x for x in given if isinstance(x, Tensor)), condition)
    return ops.where(condition, *(_fitted(x, tensor) for x in given), **named)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Any:
    return ops.masked_fill(input, mask, _fitted(value, input))


def _fitted(number: Any, x: Tensor) -> Any:
    """Return a whole number in the dtype of a tensor of whole numbers."""
    return int(fitting(number, x.dtype)) if type(number) is int and x.dtype.kind in "iu" else number


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Any:
    """Refuse truth values alone, which have no order."""
    bounds = {name: bound for name, bound in (("min", min), ("max", max)) if bound is not None}
    types = {bound.dtype if isinstance(bound, Tensor) else np.dtype(type(bound)) for bound in bounds.values()}
    is_number = any(not isinstance(bound, Tensor) for bound in bounds.values())
    if types == {np.dtype(np.bool_)} and input.dtype == np.bool_ and (is_number or len(bounds) == 2):
        name = "clamp" if len(bounds) == 2 else f"clamp_{next(iter(bounds))}"
        raise NotImplementedError(f"\"{name}{'_scalar' * is_number}_cpu\" not implemented for 'Bool'")
    if is_number:  # and then a tensor of one number is read as it
        min, max = (bound.value.item() if isinstance(bound, Tensor) else bound for bound in (min, max))
    return ops.clamp(input, _fitted(min, input), _fitted(max, input))


def _bounded(name: str) -> Callable[..., Any]:
    """Make `clamp_max` or `clamp_min`, for which truth values have no order."""

    def call(input: Tensor, bound: Any) -> Any:
        if isinstance(bound, bool) and input.dtype == np.bool_:
            raise NotImplementedError(f"\"{name}_scalar_cpu\" not implemented for 'Bool'")
        return getattr(ops, name)(input, bound)

    return call


def check_fraction(name: str, dtype: Any) -> None:
    """Refuse a dtype in which there is no mean."""
    if dtype is not None and np.dtype(dtype).kind != "f":
        words = "could not infer output dtype. Optional dtype must be either a floating point or complex dtype"
        raise RuntimeError(f"{name}(): {words}. Got: {TYPE_NAMES[np.dtype(dtype)]}")


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Any:
    if is_floating(input.value) or input.dtype == np.bool_:
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{TYPE_NAMES[input.dtype]}'")
    return ops.bincount(input, weights, minlength)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Any:
    if indices.dtype != np.int64:
        kind = TYPE_NAMES[indices.dtype]
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {kind}")
    with out_of_bounds():
        return ops.take_along_dim(input, indices, dim)


def alike(name: str) -> Callable[..., Any]:
    """Make a comparison within a tolerance, which asks for one dtype."""

    def call(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
        if input.dtype != other.dtype:
            raise RuntimeError(f"{TYPE_NAMES[input.dtype]} did not match {TYPE_NAMES[other.dtype]}")
        for bound, value in (("rtol", rtol), ("atol", atol)):
            if value < 0:
                raise RuntimeError(f"{bound} must be greater than or equal to zero, but got {value:g}")
        return getattr(ops, name)(input, other, rtol, atol, equal_nan)

    return call


def apart(name: str) -> Callable[..., Any]:
    """Make an operation of any number of tensors, which takes no list of them."""

    def call(*tensors: Any) -> Any:
        for place, x in enumerate(tensors):
            if not isinstance(x, Tensor):
                raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(x).__name__}")
        return getattr(ops, name)(*tensors)

    return call


def judged(name: str) -> Callable[..., Any]:
    """Make `all` or `any`, whose answer about bytes is a byte."""

    def call(input: Tensor, *arguments: Any, **options: Any) -> Any:
        found = getattr(ops, name)(input, *arguments, **options)
        return to_copy(found, dtype=input.dtype) if input.dtype == np.uint8 else found

    return call


def narrowed(name: str) -> Callable[..., Any]:
    """Make a sum or product whose `dtype=` may be a narrow kind of whole number; `dim=None` names all dimensions."""

    def call(input: Tensor, *arguments: Any, **options: Any) -> Any:
        dtype = options.get("dtype")
        if arguments[:1] == (None,) and name != "prod":
            arguments = ((), *arguments[1:])
        if "dim" in options and options["dim"] is None and name != "prod":
            options["dim"] = ()
        if name == "mean":
            check_fraction(name, dtype)
        if (
            dtype is not None
            and input.dtype != dtype
            and input.requires_grad
            and mode.grad_enabled
            and np.dtype(dtype).kind != "f"
        ):
            getattr(ops, name)(input.detach(), *arguments, **options)  # for the arguments are looked at first
            raise RuntimeError(f"Autograd not support dtype: {TYPE_NAMES[np.dtype(dtype)]}")
        found = getattr(ops, name)(input, *arguments, **options)
        return found if dtype is None or found.dtype == dtype else to_copy(found, dtype=dtype)

    return call


def heaviside(input: Tensor, values: Tensor) -> Any:
    step = REGISTRY["heaviside"]
    return replace(step, node=NOT_IMPLEMENTED, rules=(underived("heaviside"),) * 2)(input, values)


def quantile_shares(input: Tensor, q: Any) -> None:
    """Refuse a tensor of shares in another dtype than the entries."""
    if isinstance(q, Tensor) and q.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if isinstance(q, Tensor) and q.dtype != input.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")


DEMANDS: dict[str, Callable[..., Any]] = {
    "addcdiv": addcdiv,
    "lerp": lerp,
    **dict.fromkeys(("cat", "concat", "concatenate"), formats.cat),
    "clone": formats.clone,
    "contiguous": formats.contiguous,
    "heaviside": heaviside,
    "where": where,
    "masked_fill": masked_fill,
    "clamp": clamp,
    "clip": clamp,
    **{name: _bounded(name) for name in ("clamp_max", "clamp_min")},
    "bincount": bincount,
    "take_along_dim": take_along_dim,
    **{name: alike(name) for name in ("allclose", "isclose")},
    **{name: apart(name) for name in ("broadcast_tensors",)},
    **{name: judged(name) for name in ("all", "any")},
    **{name: narrowed(name) for name in ("sum", "mean", "prod", "cumsum", "cumprod")},
    **scales.DEMANDS,
}
