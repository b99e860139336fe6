"""Functions of `torch` itself that share a name with one of `torch.nn.functional`, and take other arguments.

They are what those call: a reduction is a number, 0 for none by default, and the parts of layers come in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.functional import module as functional
from gradcli.script.torch.operations import facade
from gradcli.script.torch.operations.overloads import with_refusal
from gradcli.script.torch.operations.readers import kind_name

Function = Callable[..., Any]
REDUCTIONS = {1: "mean", 2: "sum"}


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Any = None, pos_weight: Any = None, reduction: int = 0
) -> Any:
    options = {"pos_weight": pos_weight, "reduction": _word(reduction)}
    return _found("binary_cross_entropy_with_logits")(input, target, weight, **options)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Any:
    return _found("cosine_embedding_loss")(input1, input2, target, margin, reduction=_word(reduction))


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Any:
    return _found("hinge_embedding_loss")(input, target, margin, reduction=_word(reduction))


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Any:
    found = _found("kl_div")(input, target, reduction="none", log_target=log_target)
    return {1: lambda: found.mean(), 2: lambda: found.sum()}.get(reduction, lambda: found)()


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Any:
    return _unchecked("margin_ranking_loss")(input1, input2, target, margin, reduction=_word(reduction))


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Any:
    options = {"log_input": log_input, "full": full, "eps": eps, "reduction": _word(reduction)}
    return _found("poisson_nll_loss")(input, target, **options)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Any:
    options = {"margin": margin, "p": p, "eps": eps, "swap": swap, "reduction": _word(reduction)}
    return _unchecked("triplet_margin_loss")(anchor, positive, negative, **options)


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    padding = None if padding_idx == -1 else padding_idx
    return _found("embedding")(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def dropout(input: Tensor, p: float, train: bool) -> Any:
    return _found("dropout")(input, p, train)


def batch_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    return _found("batch_norm")(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    return _found("instance_norm")(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Any:
    return _found("group_norm")(input, num_groups, weight, bias, eps)


def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:
    return _found("layer_norm")(input, normalized_shape, weight, bias, eps)


def _found(name: str) -> Function:
    function = functional.find(name)
    assert function is not None
    return function


def _unchecked(name: str) -> Function:
    """Return the operation without what torch.nn.functional looks at first."""
    function = facade.function(name)
    assert function is not None
    return function


def _word(reduction: int) -> str:
    return REDUCTIONS.get(reduction, "none")


@cache
def find(name: str) -> Function | None:
    """`torch.name`, where that is no operation; None where it is one, or there is none."""
    function = globals().get(name)
    if function is None or function.__module__ != __name__ or name.startswith("_") or name == "find":
        return None
    return with_refusal(name, _reading(name, function))


def _reading(name: str, function: Function) -> Function:
    """The function, which refuses a word for a reduction."""
    places = list(signature(function).parameters)

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        given = {**dict(zip(places, arguments, strict=False)), **keywords}
        if isinstance(given.get("reduction"), str):
            kind = kind_name(given["reduction"])
            place = "" if "reduction" in keywords else f" (position {places.index('reduction') + 1})"
            raise TypeError(f"{name}(): argument 'reduction'{place} must be int, not {kind}")
        return function(*arguments, **keywords)

    return call
