"""`strict=True` of `torch.autograd.functional`: independence of an input is an error instead of zeros."""

from __future__ import annotations

from collections.abc import Sequence

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


def check_used(found: Sequence[Tensor | None], what: str, strict: bool, row: int | None = None) -> None:
    """Refuse a result that is independent of an input, or a row of a Jacobian in a graph that is constant."""
    for position, x in enumerate(found):
        if strict and x is None:
            raise RuntimeError(
                f"{what} of the user-provided function is independent of input {position}. This is not allowed in "
                "strict mode."
            )
        if strict and row is not None and x is not None and not x.requires_grad:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {row}. This is not allowed in "
                "strict mode when create_graph=True."
            )
