"""Programs of all styles that `verify` is asked about."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.fuzz.case import Case
from tests.fuzz.generators import nested, quotients, tensors


def case(random: Random) -> Case:
    return replace(random.choice([nested, quotients, tensors]).case(random), area="verified")
