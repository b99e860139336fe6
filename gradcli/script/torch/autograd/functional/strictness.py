"""`strict=True` of `torch.autograd.functional`: independence of an input is an error instead of zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.engine.tensor import Tensor

OUTPUT = (
    "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode."
)
SLOPE = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example)."
)
TOGETHER = "torch.autograd.functional.jacobian: {} and {} are not supported together{}. Please either set {} or {}."


def check_depends(tensors: Sequence[Tensor], message: str, strict: bool) -> None:
    """Refuse tensors that no gradient can flow through."""
    for position, x in enumerate(tensors):
        if strict and not x.requires_grad:
            raise RuntimeError(message.format(position))


def check_row(found: Sequence[Tensor | None], output: int, strict: bool, create_graph: bool) -> None:
    """Refuse a row of a Jacobian that is independent of an input, or constant where a graph is asked for."""
    for position, x in enumerate(found):
        if strict and x is None:
            raise RuntimeError(
                f"Output {output} of the user-provided function is independent of input {position}. This is not "
                "allowed in strict mode."
            )
        if strict and create_graph and x is not None and not x.requires_grad:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {output}. This is not allowed in "
                "strict mode when create_graph=True."
            )


def check_strategy(strategy: str, vectorize: bool, strict: bool, create_graph: bool) -> None:
    """Refuse options that torch does not support together, though here the numbers are the same."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    forward, reverse = '`strategy="forward-mode"`', '`strategy="reverse-mode"`'
    if strategy == "forward-mode":
        if create_graph:
            refused = TOGETHER.format("`create_graph=True`", forward, " (yet)", "`create_graph=False`", reverse)
            raise NotImplementedError(refused)
        if strict:
            raise RuntimeError(TOGETHER.format("`strict=True`", forward, " (yet)", "`strict=False`", reverse))
        if not vectorize:
            raise NotImplementedError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
                "`vectorize=True`."
            )
    elif strict and vectorize:
        raise RuntimeError(
            TOGETHER.format("`strict=True`", "`vectorized=True`", "", "`strict=False`", "`vectorize=False`")
        )


def check_given(found: Sequence[Any], what: str, strict: bool) -> None:
    """Refuse a product with a vector that is independent of an input."""
    for position, x in enumerate(found):
        if strict and x is None:
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {position}. This is not allowed in "
                "strict mode."
            )
