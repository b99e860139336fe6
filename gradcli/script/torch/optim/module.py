"""The modules `torch.optim` and `torch.optim.lr_scheduler`."""

from __future__ import annotations

from functools import cache
from typing import Any

from gradcli.script.python.values.attributes import Namespace
from gradcli.script.stdlib.data import containers  # noqa: F401  the texts of defaultdict and Counter
from gradcli.script.torch.places import Places

OPTIMIZERS = Places(
    "gradcli.script.torch.optim",
    {
        "kinds": "Adagrad Adam AdamW RMSprop SGD",
        "lbfgs": "LBFGS",
        "optimizer": "Optimizer",
    },
)
SCHEDULERS = Places(
    "gradcli.script.torch.optim",
    {
        "lr_scheduler": (
            "CosineAnnealingLR ExponentialLR LRScheduler "
            "LambdaLR LinearLR MultiStepLR OneCycleLR ReduceLROnPlateau SequentialLR "
            "StepLR _LRScheduler"
        )
    },
)


@cache
def namespace(name: str) -> Namespace:
    """Return `torch.optim` or `torch.optim.lr_scheduler`."""
    if name.endswith(".lr_scheduler"):
        return Namespace(name, find=SCHEDULERS.get, known=SCHEDULERS)

    def find(member: str) -> Any:
        return namespace(f"{name}.{member}") if member == "lr_scheduler" else OPTIMIZERS.get(member)

    return Namespace(name, find=find, known=[*OPTIMIZERS, "lr_scheduler"])
