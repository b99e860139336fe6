"""Losses: layers that compare predictions with targets."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.base.configured import Configured, Rows, declared
from gradcli.script.torch.signature import names

OLD = ("size_average", "reduce")  # arguments that one called reduction has replaced
REDUCED = "size_average=None, reduce=None, reduction='mean'"
LABELLED = "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'"

# The function of each, and its signature.
LOSSES = {
    "BCELoss": ("binary_cross_entropy", f"weight=None, {REDUCED}"),
    "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", f"weight=None, {REDUCED}, pos_weight=None"),
    "CrossEntropyLoss": ("cross_entropy", f"{LABELLED}, label_smoothing=0.0"),
    "HuberLoss": ("huber_loss", "reduction='mean', delta=1.0"),
    "KLDivLoss": ("kl_div", f"{REDUCED}, log_target=False"),
    "L1Loss": ("l1_loss", REDUCED),
    "MSELoss": ("mse_loss", REDUCED),
    "NLLLoss": ("nll_loss", LABELLED),
    "PoissonNLLLoss": (
        "poisson_nll_loss",
        "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
    ),
    "SmoothL1Loss": ("smooth_l1_loss", f"{REDUCED}, beta=1.0"),
}
BUFFERS = ("weight", "pos_weight")


class Loss(Configured):
    """A distance of predictions from targets."""

    _absent = "size_average reduce"

    def _settle(self) -> None:
        for name in BUFFERS:
            if name in vars(self):
                self.register_buffer(name, vars(self).pop(name))
        for name in OLD:
            vars(self).pop(name, None)

    def forward(self, input: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        options = {name: getattr(self, name) for name in names(self._signature) if name not in OLD}
        return self._called(input, target, **options)


LAYERS: Rows = {
    name: (Loss, {"_function": function, "_signature": signature}) for name, (function, signature) in LOSSES.items()
}
__getattr__ = declared(LAYERS, "torch.nn.modules.loss")
