"""Functions that make tensors: of one number, of a range, or like another tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.promotion import fitting
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.operations.readers import kind_name
from gradcli.script.torch.random.sampling import CREATION as RANDOM
from gradcli.script.torch.tensor.literals import as_tensor as as_tensor
from gradcli.script.torch.tensor.literals import from_numpy
from gradcli.script.torch.tensor.literals import tensor_ as tensor_
from gradcli.script.torch.tensor.options import checked_shape, made, number, read_options, row, size_tuple, sizes, whole

LONG = np.dtype(np.int64)
LONGEST = 2**63 - 1  # entries of a row


def filled(name: str, value: Any) -> Callable[..., Tensor]:
    """`torch.zeros` and `torch.ones`; `torch.empty` has entries of 0 here."""

    def make(*size: Any, **keywords: Any) -> Tensor:
        shape, options = sizes(name, size, keywords), read_options(name, keywords)
        return made(np.full(shape, value, options.real)[()], options)

    return make


def full(size: Any, fill_value: Any, **keywords: Any) -> Tensor:
    shape, value = size_tuple("full", size), number("full", "fill_value", fill_value, 2)
    options = read_options("full", keywords)
    natural = mode.default_dtype if isinstance(value, float) else np.array(value).dtype
    return made(_entries(shape, value, np.dtype(options.dtype or natural)), options)


def full_like(input: Any, fill_value: Any, **keywords: Any) -> Tensor:
    value, options = number("full_like", "fill_value", fill_value, 2), read_options("full_like", keywords)
    shape, dtype = _model("full_like", input)
    return made(_entries(shape, value, np.dtype(options.dtype or dtype)), options)


def _entries(shape: Any, value: Any, dtype: np.dtype[Any]) -> Any:
    return np.full(shape, fitting(value, dtype) if type(value) is int and dtype.kind in "iu" else value).astype(dtype)[
        ()
    ]


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


def arange(*bounds: Any, **keywords: Any) -> Tensor:
    """`arange(end)`, `arange(start, end)`, `arange(start, end, step)`; integers unless a bound is a float."""
    names = ["end"] if len(bounds) == 1 and "end" not in keywords else ["start", "end", "step"]
    given = dict(zip(names, bounds, strict=False))
    given.update({name: keywords.pop(name) for name in ("start", "end", "step") if name in keywords})
    if "end" not in given or len(bounds) > 3 or ("step" in given and "start" not in given):
        raise TypeError("arange() takes an end, a start and an end, or a start, an end and a step")
    values = {name: number("arange", name, value, at + 1) for at, (name, value) in enumerate(given.items())}
    first, last, step = values.get("start", 0), values["end"], values.get("step", 1)
    options = read_options("arange", keywords)
    natural = mode.default_dtype if any(isinstance(x, float) for x in values.values()) else LONG
    dtype = np.dtype(options.dtype or natural)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (last - first) / step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first} -> {last}")
    check_kernel("arange", dtype)
    count = math.ceil((last - first) / step)
    if dtype.kind in "iu":  # the numbers are cut to whole ones first; of int64 the bounds are, too
        first, step = int(first), int(step)
        if dtype == LONG:
            if not step:
                raise ValueError("step must be nonzero")
            count = math.ceil((int(last) - first) / step)
    if count > LONGEST:
        raise RuntimeError("invalid size, possible overflow?")
    running.machine.budget.fits(count, "the tensor")
    return row((first + np.arange(count) * step).astype(dtype), options)


def check_kernel(name: str, dtype: np.dtype[Any]) -> None:
    """Refuse booleans, which lie at no equal distances."""
    if dtype.kind == "b":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")


def linspace(start: Any, end: Any, steps: Any, **keywords: Any) -> Tensor:
    options = read_options("linspace", keywords)
    return row(np.linspace(*_range("linspace", start, end, steps, options.real)).astype(options.real), options)


def logspace(start: Any, end: Any, steps: Any, base: Any = 10.0, **keywords: Any) -> Tensor:
    """Return powers of the base, from `base**start` to `base**end`."""
    options = read_options("logspace", keywords)
    exponents = np.linspace(*_range("logspace", start, end, steps, options.real))
    return row((float(base) ** exponents).astype(options.real), options)


def _range(name: str, start: Any, end: Any, steps: Any, dtype: np.dtype[Any]) -> tuple[Any, Any, int]:
    """Return the bounds and the number of steps."""
    if mode.examples is not None and any(isinstance(x, Tensor) for x in (start, end)):
        raise UnsupportedError(f"{name} between tensors inside of vmap is not supported here")
    dims = [(side, x.ndim) for side, x in (("start", start), ("end", end)) if isinstance(x, Tensor)]
    if any(ndim for _, ndim in dims):
        given = " and ".join(f"{side} with {ndim} dimension(s)" for side, ndim in dims)
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {given}.")
    start, end = (x.detach() if isinstance(x, Tensor) else x for x in (start, end))  # no gradient flows to them
    bounds = (number(name, "start", start, 1), number(name, "end", end, 2))
    count = whole(name, "steps", steps, 3)
    check_kernel(name, dtype)
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    running.machine.budget.fits(count, "the tensor")
    return *bounds, count


def eye(n: Any, m: Any = None, **keywords: Any) -> Tensor:
    rows = whole("eye", "n", n, 1)
    columns = rows if m is None else whole("eye", "m", m, 2)
    for name, size in (("n", rows), ("m", columns)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    shape, options = checked_shape("eye", (rows, columns)), read_options("eye", keywords)
    return made(np.eye(*shape, dtype=options.real), options)


CREATION: dict[str, Callable[..., Any]] = {
    **RANDOM,
    "tensor": tensor_,
    "as_tensor": as_tensor,
    "from_numpy": from_numpy,
    "scalar_tensor": lambda value, **keywords: tensor_(value, **{"dtype": mode.default_dtype, **keywords}),
    "zeros": filled("zeros", 0),
    "ones": filled("ones", 1),
    "empty": filled("empty", 0),
    "full": full,
    "full_like": full_like,
    "arange": arange,
    "linspace": linspace,
    "logspace": logspace,
    "eye": eye,
}


CREATION |= {f"{name}_like": like(name) for name in ("zeros", "ones", "empty", "rand", "randn", "randint")}
