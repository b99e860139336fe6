"""Losses as modules."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.base.configured import Configured
from gradcli.script.torch.nn.functional.losses import legacy
from gradcli.script.torch.nn.layers.similarity import PairwiseDistance

OLD: dict[str, Any] = {"size_average": None, "reduce": None}
REDUCED = {**OLD, "reduction": "mean"}
WEIGHTED: dict[str, Any] = {"weight": None, "size_average": None}

# The function of each, and its arguments in torch's order.
LOSSES: dict[str, tuple[str, dict[str, Any]]] = {
    "BCELoss": ("binary_cross_entropy", {"weight": None, **REDUCED}),
    "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", {"weight": None, **REDUCED, "pos_weight": None}),
    "CosineEmbeddingLoss": ("cosine_embedding_loss", {"margin": 0.0, **REDUCED}),
    "CrossEntropyLoss": (
        "cross_entropy",
        {**WEIGHTED, "ignore_index": -100, "reduce": None, "reduction": "mean", "label_smoothing": 0.0},
    ),
    "GaussianNLLLoss": ("gaussian_nll_loss", {"full": False, "eps": 1e-6, "reduction": "mean"}),
    "HingeEmbeddingLoss": ("hinge_embedding_loss", {"margin": 1.0, **REDUCED}),
    "HuberLoss": ("huber_loss", {"reduction": "mean", "delta": 1.0}),
    "KLDivLoss": ("kl_div", {**REDUCED, "log_target": False}),
    "L1Loss": ("l1_loss", REDUCED),
    "MSELoss": ("mse_loss", REDUCED),
    "MarginRankingLoss": ("margin_ranking_loss", {"margin": 0.0, **REDUCED}),
    "MultiLabelMarginLoss": ("multilabel_margin_loss", REDUCED),
    "MultiMarginLoss": ("multi_margin_loss", {"p": 1, "margin": 1.0, "weight": None, **REDUCED}),
    "MultiLabelSoftMarginLoss": ("multilabel_soft_margin_loss", {"weight": None, **REDUCED}),
    "NLLLoss": ("nll_loss", {**WEIGHTED, "ignore_index": -100, "reduce": None, "reduction": "mean"}),
    "PoissonNLLLoss": (
        "poisson_nll_loss",
        {"log_input": True, "full": False, "size_average": None, "eps": 1e-8, "reduce": None, "reduction": "mean"},
    ),
    "SmoothL1Loss": ("smooth_l1_loss", {**REDUCED, "beta": 1.0}),
    "SoftMarginLoss": ("soft_margin_loss", REDUCED),
    "TripletMarginLoss": (
        "triplet_margin_loss",
        {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False, **REDUCED},
    ),
    "TripletMarginWithDistanceLoss": (
        "triplet_margin_with_distance_loss",
        {"distance_function": None, "margin": 1.0, "swap": False, "reduction": "mean"},
    ),
}
OF_THREE = (
    "CosineEmbeddingLoss",
    "GaussianNLLLoss",
    "MarginRankingLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
)
BUFFERS = ("weight", "pos_weight")


class Loss(Configured):
    """How far predictions lie from targets."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        for name in BUFFERS:
            if name in self._defaults:
                value = vars(self).pop(name)
                self.register_buffer(name, value)
        if vars(self).get("distance_function", self) is None:
            self.distance_function = PairwiseDistance()
        old = [vars(self).pop(name, None) for name in OLD]
        if any(value is not None for value in old):
            self.reduction = legacy(*old)

    def _of(self, *inputs: Tensor) -> Any:
        own = {name: getattr(self, name) for name in self._defaults if name not in OLD}
        return self._called(*inputs, **own)


def made(name: str) -> type[Loss]:
    function, defaults = LOSSES[name]

    def of_two(self: Loss, input: Tensor, target: Tensor) -> Any:
        return self._of(input, target)

    def of_three(self: Loss, input1: Tensor, input2: Tensor, target: Tensor) -> Any:
        return self._of(input1, input2, target)

    forward = of_three if name in OF_THREE else of_two
    forward.__qualname__ = f"{name}.forward"
    facts = {"forward": forward, "__module__": "torch.nn.modules.loss", "_function": function, "_defaults": defaults}
    return type(name, (Loss,), facts)


def __getattr__(name: str) -> type[Loss]:
    if name not in LOSSES:
        raise AttributeError(name)
    globals()[name] = made(name)
    return globals()[name]  # type: ignore[no-any-return]
