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
GRADIENT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not "
    "allowed in strict mode."
)
INDEPENDENT = "{} is independent of {}. This is not allowed in strict mode."
CONSTANT = (
    "The {} of the user-provided function is independent of input {}. This is not allowed in strict mode when "
    "create_graph=True."
)
UNUSED = {  # by the pass that the gradients come from, in torch's names
    "back": INDEPENDENT.format("The output of the user-provided function", "input {}"),
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using "
    "the double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": INDEPENDENT.format("The jacobian of the user-provided function", "input {}"),
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. "
    "This is not allowed in strict mode as it prevents from using the double backward trick to replace forward mode "
    "AD.",
}
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


def check_vectorised(vectorize: bool, strict: bool) -> None:
    """Refuse two options together, which torch does after it has called the function."""
    if strict and vectorize:
        raise RuntimeError(
            TOGETHER.format("`strict=True`", "`vectorized=True`", "", "`strict=False`", "`vectorize=False`")
        )


def check_used(found: Sequence[Tensor | None], stage: str, strict: bool, create_graph: bool = False) -> None:
    """Refuse gradients that do not exist, as the result is independent; in a graph also constant ones."""
    for position, x in enumerate(found):
        if strict and x is None:
            raise RuntimeError(UNUSED[stage].format(position))
        if strict and create_graph and x is not None and not x.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(CONSTANT.format(what, position))


def check_slopes(found: Sequence[Tensor | None], message: str, strict: bool) -> None:
    """Refuse gradients inside of a computation that do not exist, or that no gradient can flow through."""
    for position, x in enumerate(found):
        if strict and x is None:
            raise RuntimeError(UNUSED["back"].format(position))
        if strict and x is not None and not x.requires_grad:
            raise RuntimeError(message.format(position))


def check_row(found: Sequence[Tensor | None], output: int, strict: bool, create_graph: bool) -> None:
    """Refuse a row of a Jacobian that does not exist, or in a graph is constant; torch gives the output's number."""
    for position, x in enumerate(found):
        if strict and x is None:
            raise RuntimeError(
                INDEPENDENT.format(f"Output {output} of the user-provided function", f"input {position}")
            )
        if strict and create_graph and x is not None and not x.requires_grad:
            raise RuntimeError(CONSTANT.format("jacobian", output))
