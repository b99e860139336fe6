"""Functions of several tensors that torch refuses if their dtypes, or a mask's shape, do not fit, with its words."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.shaping.shaping import expanded
from gradcli.script.errors import UnsupportedError

EXPECTED = "expected scalar type {0} but found {1}"
SYSTEM = "linalg.solve: Expected A and B to have the same dtype, but found A of type {0} and B of type {1} instead"
TRIANGLE = "Expected b and A to have the same dtype, but found b of type {0} and A of type {1} instead."
GRID = "meshgrid expects all tensors to have the same dtype"
# The message, with the first dtype and the one that is another: `Float`, or in C's words as `{c0}`.
WORDS = {
    "addbmm": "self and mat2 must have the same dtype, but got {0} and {1}",
    "cholesky_solve": TRIANGLE,
    "cross": EXPECTED,
    "heaviside": "heaviside is not yet implemented for tensors with different dtypes.",
    "lstsq": (
        "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {0} and other's "
        "dtype {1}"
    ),
    "masked_scatter": "masked_scatter: expected self and source to have same dtypes but got{0} and {1}",
    "meshgrid": GRID,
    "nll_loss": EXPECTED,
    "cartesian_prod": GRID,
    "prelu": "prelu: Type promoting not supported. Got {0} and {1}",
    "solve": SYSTEM,
    "tensorsolve": SYSTEM,
    "triangular_solve": TRIANGLE,
    "vecdot": (
        "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {0} and y of type {1} instead"
    ),
    **{f"conv_transpose{count}d": EXPECTED for count in (1, 2, 3)},
    **{f"conv{count}d": EXPECTED for count in (1, 2, 3)},
}
# Of which torch has ways of its own: it promotes, or takes the first dtype, or refuses the backward pass alone.
UNSUPPORTED = frozenset(("dist", "rms_norm", "soft_margin_loss", "solve_triangular"))
CONVERT = "convert one of them"
BIAS = "Input type ({c0}) and bias type ({c1}) should be the same"


def check_parameters(input: Tensor, *parameters: Tensor | None) -> None:
    """Refuse parameters of a normalization of another dtype than the input; those of halves may be of float32.

    The first that is there tells whether dtypes are mixed.
    """
    kinds = [x.dtype for x in parameters if x is not None]
    if kinds and kinds[0] != input.dtype:
        start = "mixed dtype (CPU):"
        if any(kind != np.float32 for kind in kinds):
            raise AutogradError(f"{start} expect parameter to have scalar type of Float")
        if input.dtype != np.float16:
            raise AutogradError(f"{start} all inputs must share same datatype.")
        raise UnsupportedError("a normalization of half precision by float32 is not supported here", help=CONVERT)
    other = next((kind for kind in kinds if kind != input.dtype), None)
    if other is not None and input.dtype.kind == "f":
        raise AutogradError(EXPECTED.format(TYPE_NAMES[input.dtype], TYPE_NAMES[other]))


def _layer_norm(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(
        input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, *rest: Any, **keywords: Any
    ) -> Any:
        check_parameters(input, weight, bias)
        return function(input, normalized_shape, weight, bias, *rest, **keywords)

    return call


def refusing_mixtures(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which refuses tensors of two dtypes where torch does; of some functions integers are indices."""
    if name == "layer_norm":
        return _layer_norm(function)
    if name not in WORDS and name not in UNSUPPORTED and name != "kl_div":
        return function
    slides = name.startswith("conv")
    own = "" if name in ("heaviside", "solve_triangular") else "out"  # what is written to is looked at elsewhere
    strict = name in WORDS and name != "nll_loss"

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        given = [*arguments, *(value for key, value in keywords.items() if key not in (own, "mask"))]
        if name == "masked_scatter" and len(arguments) > 1:
            given.pop(1)
        if name == "kl_div" and any(x.dtype.kind != "f" for x in given if isinstance(x, Tensor)):
            raise AutogradError("kl_div: Integral inputs not supported.")
        flat = [*given[0], *given[1:]] if given and isinstance(given[0], list | tuple) else given
        tensors = [x for x in flat if isinstance(x, Tensor) and (strict or x.dtype.kind == "f")]
        other = next((x for x in tensors if x.dtype != tensors[0].dtype), None)
        if other is None or name == "kl_div":
            return function(*arguments, **keywords)
        if name in UNSUPPORTED:
            raise UnsupportedError(f"{name} of tensors of two dtypes is not supported here", help=CONVERT)
        words = WORDS[name]
        if slides and "transpose" not in name and len(tensors) > 2 and tensors[2].dtype != tensors[0].dtype:
            words, other = BIAS, tensors[2]
        names = [TYPE_NAMES[x.dtype] for x in (tensors[0], other)]
        raise AutogradError(words.format(*names, **{f"c{at}": C_NAMES[kind] for at, kind in enumerate(names)}))

    return call


def of_one_kind(function: Callable[..., Any]) -> Callable[..., Any]:
    """The huber loss, whose result torch casts to the dtype of the input."""

    @wraps(function)
    def call(input: Any, target: Any, *arguments: Any, **keywords: Any) -> Any:
        kinds = [x.dtype for x in (input, target) if isinstance(x, Tensor)]
        if kinds[1:] and np.result_type(*kinds) != kinds[0] and kinds[1].kind == "f":
            if kinds[0].kind == "f":
                raise UnsupportedError("huber_loss of a target of more digits is not supported here", help=CONVERT)
            names = (TYPE_NAMES[kind] for kind in reversed(kinds))
            raise AutogradError("result type {} can't be cast to the desired output type {}".format(*names))
        return function(input, target, *arguments, **keywords)

    return call


def masked(operation: Callable[..., Any]) -> Callable[..., Any]:
    """The operation, whose mask must expand to its first tensor, in torch's words for it."""

    def call(x: Tensor, mask: Any, *arguments: Any, **keywords: Any) -> Tensor:
        if isinstance(mask, Tensor):
            try:
                expanded(mask, x.shape)
            except AutogradError as error:
                raise RuntimeError(error.message.replace("torch.BoolTensor", "CPUBoolType")) from None
        found: Tensor = operation(x, mask, *arguments, **keywords)
        return found

    return call
