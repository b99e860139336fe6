"""The modules `torch.optim` and `torch.optim.lr_scheduler`."""

from __future__ import annotations

from typing import Any

from gradcli.script.python.attributes import Facade, Namespace
from gradcli.script.stdlib import containers  # noqa: F401  the texts of defaultdict and Counter
from gradcli.script.torch.optim import adaptive, cycle, descent, optimizer, plateau, schedules, squares

OPTIMIZERS: dict[str, type[Facade]] = {
    "Optimizer": optimizer.Optimizer,
    "SGD": descent.SGD,
    "Adam": adaptive.Adam,
    "AdamW": adaptive.AdamW,
    "Adamax": adaptive.Adamax,
    "RMSprop": squares.RMSprop,
    "Adagrad": squares.Adagrad,
    "Adadelta": squares.Adadelta,
}
SCHEDULERS: dict[str, type[Facade]] = {
    "LRScheduler": schedules.LRScheduler,
    "LambdaLR": schedules.LambdaLR,
    "MultiplicativeLR": schedules.MultiplicativeLR,
    "StepLR": schedules.StepLR,
    "MultiStepLR": schedules.MultiStepLR,
    "ConstantLR": schedules.ConstantLR,
    "LinearLR": schedules.LinearLR,
    "ExponentialLR": schedules.ExponentialLR,
    "CosineAnnealingLR": schedules.CosineAnnealingLR,
    "OneCycleLR": cycle.OneCycleLR,
    "ReduceLROnPlateau": plateau.ReduceLROnPlateau,
}


def namespace(name: str) -> Namespace:
    """`torch.optim`."""
    for kind in OPTIMIZERS.values():
        kind.__module__ = f"{name}.{kind.__name__.lower()}"  # as the text of the class has it
    for kind in SCHEDULERS.values():
        kind.__module__ = f"{name}.lr_scheduler"
    parts: dict[str, dict[str, Any]] = {kind.__module__: {kind.__name__: kind} for kind in OPTIMIZERS.values()}
    parts[f"{name}.optimizer"]["required"] = optimizer.REQUIRED
    parts[f"{name}.lr_scheduler"] = SCHEDULERS
    members: dict[str, Any] = {part.rpartition(".")[2]: Namespace(part, kinds) for part, kinds in parts.items()}
    return Namespace(name, OPTIMIZERS | members)
