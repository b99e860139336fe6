"""Generators of cases, a module an area; case `number` of a seed is the same on every run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from random import Random

from tests.fuzz.case import Case

AREAS = ("run", "eval", "ops", "check", "batch", "render", "hurdle")
OF_LAWS = ("nested", "quotients", "tensors")  # styles of programs that are held up to the laws


@dataclass(frozen=True)
class Place:
    """A case by its number."""

    seed: int
    area: str
    number: int

    def case(self) -> Case:
        generator = import_module(f"tests.fuzz.generators.{self.area}")
        case: Case = generator.case(Random(f"{self.seed}/{self.area}/{self.number}"))
        return case

    def __str__(self) -> str:
        return f"{self.area} {self.number} of seed {self.seed}"
