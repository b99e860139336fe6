"""Operations that torch computes in a way of its own for some arguments, in front of the engine's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.indexing.entries import named
from gradcli.ops.pointwise.arithmetic import quotient
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.operations.demands import DEMANDS, quantile_shares
from gradcli.script.torch.operations.overloads import refusal
from gradcli.script.torch.operations.slices import SLICES, out_of_bounds

EXPECTED = "linalg.{}: Expected a floating point or complex tensor as input. Got "
NOT_IMPLEMENTED = "not implemented for '{}'"
SPREAD = "std and var only support floating point and complex dtypes"
KERNELS = {"frac": "frac_cpu"}


def _whole(name: str) -> Callable[..., Any]:
    """Rounding leaves integers as they are."""

    def call(input: Tensor, **options: Any) -> Any:
        if is_floating(input.value):
            return getattr(ops, name)(input, **options)
        if "decimals" in options:
            kernel = "round_cpu" if options["decimals"] else "round_vml_cpu"
            raise NotImplementedError(f'"{kernel}" {NOT_IMPLEMENTED}'.format(TYPE_NAMES[input.dtype]))
        return ops.clone(input)

    return call


def _along(name: str, kernel: str) -> Callable[..., Any]:
    """A softmax without `dim` is refused: torch.nn.functional guesses, and says so."""

    def along(input: Tensor, *arguments: Any, **options: Any) -> Any:
        if not arguments and options.get("dim") is None:
            raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
        is_last = (arguments[0] if arguments else options["dim"]) in (-1, max(input.ndim, 1) - 1)
        shown = kernel if is_last else kernel.replace("_lastdim", "")
        call = _of_reals(name, f'"{shown}" {NOT_IMPLEMENTED}', NotImplementedError)
        return call(input, *arguments, **options)

    return along


def _runtime(name: str) -> Callable[..., Any]:
    """Torch refuses the indices of these with a RuntimeError, where indexing raises an IndexError."""

    def call(input: Tensor, *arguments: Any, **options: Any) -> Any:
        indices = [x for x in arguments if isinstance(x, Tensor)][:1]
        if indices and is_floating(indices[0].value) and indices[0].value.size:
            raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
        if name == "scatter_add" and len(arguments) > 2 and arguments[2].dtype != input.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        with out_of_bounds():
            return getattr(ops, name)(input, *arguments, **options)

    return call


def _of_reals(
    name: str, text: str, error: type[Exception] = RuntimeError, least: Any = np.floating
) -> Callable[..., Any]:
    """Refuse other kinds of numbers, which the engine converts; `{}` in the text is the kind of number."""

    def call(input: Tensor, *arguments: Any, **options: Any) -> Any:
        if not np.issubdtype(input.dtype, least) and options.get("dtype") is None:
            raise error(text.format(TYPE_NAMES[input.dtype]))
        return getattr(ops, name)(input, *arguments, **options)

    return call


def _norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, **options: Any) -> Any:
    """A word other than 'fro' asks for a norm of matrices."""
    if isinstance(p, str) and p != "fro":
        if p != "nuc":
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
        axes = (-2, -1) if dim is None else dim
        return ops.matrix_norm(input, p, axes, keepdim, **options)
    return _of_reals("norm", EXPECTED.format("vector_norm") + "{}")(input, p, dim, keepdim, **options)


def _scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, reduce: str | None = None, **options: Any
) -> Any:
    """Refuse `reduce=`, for which torch has no derivative."""
    if reduce is not None:
        raise UnsupportedError("scatter(reduce=...) is not supported here", help="write scatter_add")
    return _runtime("scatter")(input, dim, index, src, **options)


def _repeated(input: Tensor, repeats: Any = None, dim: Any = None, output_size: Any = None) -> Any:
    counts = input if repeats is None else repeats
    if isinstance(counts, Tensor) and counts.dtype not in (np.int64, np.int32):
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{TYPE_NAMES[counts.dtype]}'")
    return ops.repeat_interleave(input, repeats, dim)


def check_share(q: Any) -> None:
    """Refuse a share of which the gradient would be asked."""
    if isinstance(q, Tensor) and q.requires_grad:
        raise UnsupportedError("the gradient of quantile by q is not supported here", help="give q as a number")


def _quantile(input: Tensor, q: Any, *arguments: Any, **options: Any) -> Any:
    check_share(q)
    call = _of_reals("quantile", "quantile() input tensor must be either float or double dtype")
    quantile_shares(input, q)
    return call(input, q, *arguments, **options)


def _held(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return ops.hardtanh(input, min_val, max_val)


def _with_tensor(name: str, shown: str = "") -> Callable[..., Any]:
    """Two numbers are refused: torch has no way to call the function with them."""

    def call(input: Any, other: Any) -> Any:
        if not (isinstance(input, Tensor) or isinstance(other, Tensor)):
            raise TypeError(refusal(shown or name, (input, other), {}, "", method=False))
        return getattr(ops, name)(input, other)

    return call


def _divided(input: Any, other: Any, **options: Any) -> Any:
    """Divide by the node of rounded quotients where `rounding_mode=None` is written."""
    found = ops.div(input, other, **options)
    if options and options["rounding_mode"] is None and isinstance(input, Tensor) and isinstance(found.node, Node):
        found.node.primitive = named(found.node.primitive, "DivBackward2")
    return found


def _cdist(x1: Tensor, x2: Tensor, *arguments: Any, **options: Any) -> Any:
    for name, x in (("X1", x1), ("X2", x2)):
        if not is_floating(x.value):
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {TYPE_NAMES[x.dtype]}")
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"expected scalar type {TYPE_NAMES[x1.dtype]} but found {TYPE_NAMES[x2.dtype]}")
    return ops.cdist(x1, x2, *arguments, **options)


LOWERED: dict[str, Callable[..., Any]] = {
    **{name: _of_reals(name, EXPECTED.format(name) + "{}") for name in ("det", "slogdet")},
    **{name: _of_reals("inverse", EXPECTED.format("inv") + "{}") for name in ("inverse", "inv")},
    "norm": _norm,
    **dict.fromkeys(("div", "divide", "true_divide"), _divided),
    "quantile": _quantile,
    **{name: _with_tensor(name) for name in ("pow", "remainder", "xlogy")},
    "hardtanh": _held,
    "cdist": _cdist,
    **{name: _of_reals(name, f'"{kernel}" {NOT_IMPLEMENTED}', NotImplementedError) for name, kernel in KERNELS.items()},
    "abs": _of_reals("abs", f'"abs_cpu" {NOT_IMPLEMENTED}', NotImplementedError, np.number),
    **{
        name: _of_reals(name, f"{name}(): does not support bool input", least=np.number)
        for name in ("argmax", "argmin")
    },
    **{name: _whole(name) for name in ("floor", "ceil", "round", "trunc", "fix")},
    "softmax": _along("softmax", "softmax_lastdim_kernel_impl"),
    "log_softmax": _along("log_softmax", "log_softmax_lastdim_kernel_impl"),
    **{name: _of_reals(name, SPREAD) for name in ("std", "var")},
    "floor_divide": quotient,
    **{name: _runtime(name) for name in ("gather", "scatter_add")},
    **DEMANDS,
    **SLICES,
    "scatter": _scatter,
    "repeat_interleave": _repeated,
}
