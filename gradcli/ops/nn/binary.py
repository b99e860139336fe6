"""Binary cross entropy, of probabilities and of the numbers before the sigmoid (logits)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.numerics import precision
from gradcli.engine.primitive import primitive
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops import formulas as entries
from gradcli.ops.nn.activations import logsigmoid, sigmoid
from gradcli.ops.nn.losses import check_reduction, check_weight, reduced, shared, write
from gradcli.ops.pointwise.elementwise import log
from gradcli.ops.pointwise.selection import guarded
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.constant_nodes import number_of
from gradcli.ops.support.surface import operation

EPSILON = float(np.float32(1e-12))  # as in torch, rounded to single precision for every dtype


def _losses(x: Any, y: Any, w: Any, *, reduction: str) -> Any:
    """Clamp logarithms at -100, so that a certain but wrong answer costs 100 and not infinity."""
    losses = (y - 1) * np.maximum(precision.log1p(-x), -100) - y * np.maximum(precision.log(x), -100)
    return reduced(losses * w, reduction)


def _rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier, w: Any, *, reduction: str) -> Any:
    slope = x * (1 - x)
    return shared(g * (x - y) / guarded(slope < EPSILON, EPSILON, slope) * w, x, reduction)


cross_entropy = primitive(
    "binary_cross_entropy",
    _losses,
    _rule,
    lambda g, out, x, y, w, *, reduction: shared(g * (w * (log(1 - x) - log(x))), x, reduction),
    notation=write("binary_cross_entropy", "weight"),
    structured=True,
    kinks=lambda x, y, w, **_: x * (1 - x) < EPSILON,
    convention="logarithms end at -100 in the value, x*(1 - x) at 1e-12 in the gradient",
    traits=("average", "lenient"),
    inputs=("self", "target", "weight"),
    says="The prediction p gets (p - target)/(p*(1 - p)): steep where it is sure and wrong.",
)


def _with_logits(x: Any, y: Any, w: Any, p: Any, *, reduction: str) -> Any:
    """Compute `log(sigmoid(x))` from the logits, since a sigmoid near 0 or 1 has lost its digits to rounding."""
    log_sigmoid = np.minimum(x, 0) - precision.log1p(precision.exp(-np.abs(x)))
    weighted = log_sigmoid if number_of(p) == 1 else ((p - 1) * y + 1) * log_sigmoid
    losses = ((1 - y) * x - weighted) * w
    return reduced(np.asarray(losses, y.dtype)[()], reduction)  # torch computes in the place of `1 - y`


def _logits_rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier, w: Any, p: Any, *, reduction: str) -> Any:
    slope = sigmoid(x) - y if number_of(p) == 1 else (p * y + 1 - y) * sigmoid(x) - p * y
    return shared(g * (w * slope), x, reduction)


def _logits_target_rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier, w: Any, p: Any, *, reduction: str) -> Any:
    slope = -x if number_of(p) == 1 else logsigmoid(-x) - p * logsigmoid(x)
    return shared(g * (w * slope), x, reduction)


_ENTRIES = entries.loss(
    "-{w}·({y}·log(sigmoid({x})) + (1 - {y})·log(sigmoid(-{x})))",
    ("x", "{w}·(sigmoid({x}) - {y})"),
    ("y", "-{w}·{x}"),
)
with_logits = primitive(
    "binary_cross_entropy_with_logits",
    _with_logits,
    _logits_rule,
    _logits_target_rule,
    notation=write("binary_cross_entropy_with_logits", "weight", "pos_weight"),
    structured=True,
    traits=("average",),
    inputs=("self", "target", "weight", "pos_weight"),
    says="The score gets its sigmoid minus the target, times the weights if there are any.",
    index=lambda out, x, y, w, p, **options: _ENTRIES(out, x, y, w, **options) if number_of(p) == 1 else "",
)


@operation(
    "x = [0.2, 0.7]; y = [0.1, 0.9]; binary_cross_entropy(x, y)",
    "x = [0.2, 0.7]; y = [0.1, 0.8]; bce(x, y, weight=[1, 2], reduction='sum')",
    aliases=["bce"],
    method=False,
    kernel="binary_cross_entropy",
)
def binary_cross_entropy(input: Real, target: Real, weight: Real | None = None, reduction: str = "mean") -> Any:
    """`-(y*log(x) + (1 - y)*log(1 - x))` for probabilities x and targets y."""
    check_reduction(reduction)
    ShapeError.when(
        input.shape != target.shape,
        f"Using a target size (torch.Size({list(target.shape)})) that is different to the input size "
        f"(torch.Size({list(input.shape)})) is deprecated. Please ensure they have the same size.",
    )
    both = {"input": input.value, "target": target.value}
    outside = {name: np.flatnonzero(~((x >= 0) & (x <= 1))) for name, x in both.items()}
    wrong = [(places[0], name) for name, places in outside.items() if places.size]
    if wrong:  # torch goes through the entries, and asks for the input first
        name = min(wrong)[1]
        raise AutogradError(
            f"all elements of {name} should be between 0 and 1",
            help="binary_cross_entropy_with_logits takes numbers before the sigmoid" if name == "input" else "",
        )
    w = check_weight("binary_cross_entropy", "weight", weight, input.shape)
    return cross_entropy(input, target, w, reduction=reduction)


@operation(
    "x = [-2, 0.7]; y = [0, 1]; binary_cross_entropy_with_logits(x, y)",
    "x = [-2, 0.7]; y = [0.1, 1]; bce_with_logits(x, y, weight=[1, 2], reduction='sum', pos_weight=[3, 0.5])",
    aliases=["bce_with_logits"],
    method=False,
    only="nn.functional",
)
def binary_cross_entropy_with_logits(
    input: Real, target: Real, weight: Real | None = None, reduction: str = "mean", pos_weight: Real | None = None
) -> Any:
    """Binary cross entropy of `sigmoid(x)`, exact where the sigmoid rounds to 0 or 1."""
    check_reduction(reduction)
    ShapeError.when(
        input.shape != target.shape,
        f"Target size (torch.Size({list(target.shape)})) must be the same as input size "
        f"(torch.Size({list(input.shape)}))",
    )
    name = "binary_cross_entropy_with_logits"
    w = check_weight(name, "weight", weight, input.shape)
    p = check_weight(name, "pos_weight", pos_weight, input.shape)
    return with_logits(input, target, w, p, reduction=reduction)
