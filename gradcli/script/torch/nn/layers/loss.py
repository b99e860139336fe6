"""Losses: layers that compare predictions with targets."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.base.configured import Configured, Rows, declared
from gradcli.script.torch.nn.functional.losses import legacy
from gradcli.script.torch.nn.layers.similarity import PairwiseDistance
from gradcli.script.torch.signature import names

OLD = ("size_average", "reduce")  # arguments that one called reduction has replaced
REDUCED = "size_average=None, reduce=None, reduction='mean'"
LABELLED = "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'"

# The function of each, and its signature.
LOSSES = {
    "BCELoss": ("binary_cross_entropy", f"weight=None, {REDUCED}"),
    "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", f"weight=None, {REDUCED}, pos_weight=None"),
    "CTCLoss": ("ctc_loss", "blank=0, reduction='mean', zero_infinity=False"),
    "CosineEmbeddingLoss": ("cosine_embedding_loss", f"margin=0.0, {REDUCED}"),
    "CrossEntropyLoss": ("cross_entropy", f"{LABELLED}, label_smoothing=0.0"),
    "GaussianNLLLoss": ("gaussian_nll_loss", "*, full=False, eps=1e-06, reduction='mean'"),
    "HingeEmbeddingLoss": ("hinge_embedding_loss", f"margin=1.0, {REDUCED}"),
    "HuberLoss": ("huber_loss", "reduction='mean', delta=1.0"),
    "KLDivLoss": ("kl_div", f"{REDUCED}, log_target=False"),
    "L1Loss": ("l1_loss", REDUCED),
    "MSELoss": ("mse_loss", REDUCED),
    "MarginRankingLoss": ("margin_ranking_loss", f"margin=0.0, {REDUCED}"),
    "MultiLabelMarginLoss": ("multilabel_margin_loss", REDUCED),
    "MultiMarginLoss": ("multi_margin_loss", f"p=1, margin=1.0, weight=None, {REDUCED}"),
    "NLLLoss": ("nll_loss", LABELLED),
    "PoissonNLLLoss": (
        "poisson_nll_loss",
        "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
    ),
    "SmoothL1Loss": ("smooth_l1_loss", f"{REDUCED}, beta=1.0"),
    "TripletMarginLoss": ("triplet_margin_loss", f"margin=1.0, p=2.0, eps=1e-06, swap=False, {REDUCED}"),
    "TripletMarginWithDistanceLoss": (
        "triplet_margin_with_distance_loss",
        "*, distance_function=None, margin=1.0, swap=False, reduction='mean'",
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
POSITIVE = ("TripletMarginLoss", "TripletMarginWithDistanceLoss")  # what the margin of these is


class Loss(Configured):
    """A distance of predictions from targets."""

    def _settle(self) -> None:
        own, kind = vars(self), type(self).__name__
        if kind in POSITIVE and own["margin"] <= 0:
            raise ValueError(f"{kind}: expected margin to be greater than 0, got {own['margin']} instead")
        if kind == "MultiMarginLoss":
            self._check_classes(own["p"], own["weight"])
        for name in BUFFERS:
            if name in own:
                self.register_buffer(name, own.pop(name))
        if own.get("distance_function", self) is None:
            self.distance_function = PairwiseDistance()
        old = [own.pop(name, None) for name in OLD]
        if any(value is not None for value in old):
            self.reduction = legacy(*old)

    def _check_classes(self, p: Any, weight: Tensor | None) -> None:
        """Raise ValueError if the power or the weights of classes are none for this loss."""
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.ndim != 1:
            words = f"expected weight to be None or 1D tensor, got {weight.ndim}D instead"
            raise ValueError(f"MultiMarginLoss: {words}")

    def _of(self, *inputs: Tensor) -> Any:
        return self._called(
            *inputs, **{name: getattr(self, name) for name in names(self._signature) if name not in OLD}
        )

    def forward(self, input: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        return self._of(input, target)


class LossOfThree(Loss):
    """A loss of two predictions and a target."""

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        return self._of(input1, input2, target)


class LossOfLengths(Loss):
    """A loss of rows of different lengths and rows of labels."""

    def forward(  # type: ignore[override]
        self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any
    ) -> Any:
        return self._of(log_probs, targets, input_lengths, target_lengths)


BASES = {**dict.fromkeys(OF_THREE, LossOfThree), "CTCLoss": LossOfLengths}
LAYERS: Rows = {
    name: (BASES.get(name, Loss), {"_function": function, "_signature": signature})
    for name, (function, signature) in LOSSES.items()
}
__getattr__ = declared(LAYERS, "torch.nn.modules.loss")
