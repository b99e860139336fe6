"""The modules `torch.optim` and `torch.optim.lr_scheduler`: what they hold, and where each of it is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.stdlib import containers  # noqa: F401  the texts of defaultdict and Counter

PACKAGE = "gradcli.script.torch.optim"


class Kinds(Mapping[str, type[Facade]]):
    """Classes by name, each imported when it is asked for."""

    def __init__(self, places: dict[str, str]) -> None:
        self._place_of = {name: place for place, names in places.items() for name in names.split()}

    def __getitem__(self, name: str) -> type[Facade]:
        found = import_module(f"{PACKAGE}.{self._place_of[name]}")
        return getattr(found, name)  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(self._place_of)

    def __len__(self) -> int:
        return len(self._place_of)


OPTIMIZERS = Kinds(
    {
        "optimizer": "Optimizer",
        "descent": "SGD",
        "adaptive": "Adam AdamW Adamax",
        "squares": "RMSprop Adagrad Adadelta",
        "rectified": "NAdam RAdam",
        "resilient": "ASGD Rprop",
        "curvature": "LBFGS",
    }
)
SCHEDULERS = Kinds(
    {
        "lr_scheduler.scheduler": "LRScheduler _LRScheduler",
        "lr_scheduler.schedules": "LambdaLR MultiplicativeLR StepLR MultiStepLR ExponentialLR",
        "lr_scheduler.curves": "ConstantLR LinearLR PolynomialLR CosineAnnealingLR",
        "lr_scheduler.cycle": "OneCycleLR",
        "lr_scheduler.cycles": "CyclicLR CosineAnnealingWarmRestarts",
        "lr_scheduler.sequences": "ChainedScheduler SequentialLR",
        "lr_scheduler.plateau": "ReduceLROnPlateau",
    }
)


FILES = {name.lower(): name for name in OPTIMIZERS}


@cache
def namespace(name: str) -> Namespace:
    """`torch.optim` or one of its submodules."""
    part = name.removeprefix("torch.optim").removeprefix(".")
    if part == "lr_scheduler":
        return Namespace(name, find=lambda kind: _named(SCHEDULERS, kind, name), known=SCHEDULERS)
    if part:
        members = {"required": import_module(f"{PACKAGE}.optimizer").REQUIRED} if part == "optimizer" else {}
        own = [FILES[part]]
        return Namespace(
            name, members, find=lambda kind: _named(OPTIMIZERS, kind, name) if kind in own else None, known=own
        )
    submodules = ("lr_scheduler", *FILES)

    def find(kind: str) -> Any:
        return namespace(f"{name}.{kind}") if kind in submodules else _named(OPTIMIZERS, kind, f"{name}.{kind.lower()}")

    return Namespace(name, find=find, known=[*OPTIMIZERS, *submodules])


def _named(kinds: Kinds, name: str, module: str) -> Any:
    """A class with the module that its text shows; None when there is none of the name."""
    if name not in kinds:
        return None
    found = kinds[name]
    found.__module__ = module
    return found
