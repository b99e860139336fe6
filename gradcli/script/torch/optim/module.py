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
        "kinds": "Adadelta Adagrad Adam AdamW Adamax RMSprop SGD",
        "lbfgs": "LBFGS",
        "optimizer": "Optimizer",
    },
)
SCHEDULERS = Places(
    "gradcli.script.torch.optim",
    {
        "lr_scheduler": (
            "ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts ExponentialLR LRScheduler "
            "LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR "
            "StepLR _LRScheduler"
        )
    },
)
MODULES = ("lr_scheduler", "optimizer")


@cache
def namespace(name: str) -> Namespace:
    """Return `torch.optim` or one of its submodules."""
    if name.endswith(".lr_scheduler"):
        return Namespace(name, find=SCHEDULERS.get, known=SCHEDULERS)
    if name.endswith(".optimizer"):
        return Namespace(name, {"Optimizer": OPTIMIZERS["Optimizer"]})

    def find(kind: str) -> Any:
        return namespace(f"{name}.{kind}") if kind in MODULES else OPTIMIZERS.get(kind)

    return Namespace(name, find=find, known=[*OPTIMIZERS, *MODULES])
