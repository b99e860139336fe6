"""The chain of scalars in micrograd, which has nothing else."""

from __future__ import annotations

import sys
from typing import Any

from micrograd.engine import Value

from tests.benchmarks import tasks
from tests.benchmarks.tasks import Sizes, Step


def chain(sizes: Sizes) -> Step:
    sys.setrecursionlimit(10 * sizes.operations)  # its sort recurses

    def step() -> Any:
        leaves, end = tasks.chain(Value, sizes.operations // SHARES["chain"])
        end.backward()
        return [x.grad for x in leaves]

    return step


SHARES = {"chain": 10}
MAKERS: dict[str, tasks.Maker] = {"chain": chain}
