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
        "lbfgs": "LBFGS",
        "optimizer": "Adagrad Adam AdamW Optimizer RMSprop SGD",
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
FILES = {name.lower(): name for name in OPTIMIZERS}  # torch has a module for each


@cache
def namespace(name: str) -> Namespace:
    """Return `torch.optim` or one of its submodules."""
    if name.endswith(".lr_scheduler"):
        return Namespace(name, find=SCHEDULERS.get, known=SCHEDULERS)
    kind = FILES.get(name.rpartition(".")[2])
    if kind is not None:
        return Namespace(name, {kind: OPTIMIZERS[kind]})

    def find(member: str) -> Any:
        is_module = member == "lr_scheduler" or member in FILES
        return namespace(f"{name}.{member}") if is_module else OPTIMIZERS.get(member)

    return Namespace(name, find=find, known=[*OPTIMIZERS, *FILES, "lr_scheduler"])
