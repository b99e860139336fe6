"""The modules `torch.optim` and `torch.optim.lr_scheduler`."""

from __future__ import annotations

from functools import cache
from typing import Any

from gradcli.script.python.values.attributes import Namespace
from gradcli.script.stdlib.data import containers  # noqa: F401  the texts of defaultdict and Counter
from gradcli.script.torch.optim.optimizer import (
    REQUIRED,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from gradcli.script.torch.places import Places

OPTIMIZERS = Places(
    "gradcli.script.torch.optim",
    {
        "adaptive": "Adam AdamW Adamax NAdam RAdam",
        "curvature": "LBFGS",
        "descent": "ASGD Rprop SGD",
        "optimizer": "Optimizer",
        "squares": "Adadelta Adagrad RMSprop",
    },
)
SCHEDULERS = Places(
    "gradcli.script.torch.optim.lr_scheduler",
    {
        "curves": "ConstantLR CosineAnnealingLR LinearLR PolynomialLR",
        "cycle": "OneCycleLR",
        "cycles": "CosineAnnealingWarmRestarts CyclicLR",
        "plateau": "ReduceLROnPlateau",
        "scheduler": "LRScheduler _LRScheduler",
        "schedules": "ExponentialLR LambdaLR MultiStepLR MultiplicativeLR StepLR",
        "sequences": "ChainedScheduler SequentialLR",
    },
)
FILES = {name.lower(): name for name in OPTIMIZERS}  # torch has a module for each
BESIDE: dict[str, Any] = {
    "required": REQUIRED,
    "register_optimizer_step_pre_hook": register_optimizer_step_pre_hook,
    "register_optimizer_step_post_hook": register_optimizer_step_post_hook,
}
PARTS = ("lr_scheduler", *FILES)


@cache
def namespace(name: str) -> Namespace:
    """Return `torch.optim` or one of its submodules."""
    part = name.removeprefix("torch.optim").removeprefix(".")
    if part == "lr_scheduler":
        return Namespace(name, find=SCHEDULERS.get, known=SCHEDULERS)
    if part:
        own = {FILES[part]: OPTIMIZERS[FILES[part]]}
        return Namespace(name, own | (BESIDE if part == "optimizer" else {}))

    def find(kind: str) -> Any:
        return namespace(f"{name}.{kind}") if kind in PARTS else OPTIMIZERS.get(kind)

    return Namespace(name, find=find, known=[*OPTIMIZERS, *PARTS])
