"""What torch draws, for machines without it: `python -m tests.script.record_random` writes goldens/random.json."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gradcli.script.torch.random.generator import Generator

RECORD = Path(__file__).parent / "goldens" / "random.json"
SEEDS = [0, 1, 42, 1234, -1, 2**40 + 7]

Draw = tuple[str, int, str]  # what, how many numbers, of which dtype

# In one row from one seed: the numbers that are left over from a draw belong to the next one.
ROW: list[Draw] = [
    ("rand", 3, "float32"),
    ("randn", 1, "float32"),
    ("randn", 2, "float64"),
    ("uniform", 5, "float32"),
    ("randn", 17, "float32"),
    ("randperm", 10, "int64"),
    ("normal", 3, "float32"),
    ("randn", 20, "float64"),
    ("randint", 5, "int64"),
    ("wide randint", 3, "int64"),
    ("normal", 16, "float32"),
    ("rand", 2, "float64"),
    ("bernoulli", 8, "bool"),
    ("chances", 8, "bool"),
    ("exponential", 2, "float32"),
    ("random64", 1, "int64"),
]

OURS: dict[str, Callable[[Generator, int, np.dtype[Any]], Any]] = {
    "rand": lambda g, n, dtype: g.uniform((n,), dtype),
    "uniform": lambda g, n, dtype: g.uniform((n,), dtype, -0.3, 0.9),
    "randn": lambda g, n, dtype: g.normal((n,), dtype),
    "normal": lambda g, n, dtype: g.normal((n,), dtype, 0.7, 1.3),
    "randint": lambda g, n, dtype: g.integers(-3, 7, (n,)),
    "wide randint": lambda g, n, dtype: g.integers(-(2**40), 2**60, (n,)),
    "randperm": lambda g, n, dtype: g.permutation(n),
    "bernoulli": lambda g, n, dtype: g.bernoulli(0.3, (n,)),
    "chances": lambda g, n, dtype: g.bernoulli(g.uniform((n,), np.dtype(np.float32)), (n,)),
    "exponential": lambda g, n, dtype: g.exponential((n,), dtype, 1.7),
    "random64": lambda g, n, dtype: np.array([g.random64() for _ in range(n)], np.int64),
}


def draw_from_torch(torch: Any, what: str, n: int, dtype_name: str) -> Any:
    """The same draw from torch's default generator, as an array.

    `bernoulli` gets its probability as a tensor, for with a number torch draws otherwise on processors of Intel.
    """
    dtype = getattr(torch, dtype_name)
    theirs: dict[str, Callable[[], Any]] = {
        "rand": lambda: torch.rand(n, dtype=dtype),
        "uniform": lambda: torch.empty(n, dtype=dtype).uniform_(-0.3, 0.9),
        "randn": lambda: torch.randn(n, dtype=dtype),
        "normal": lambda: torch.empty(n, dtype=dtype).normal_(0.7, 1.3),
        "randint": lambda: torch.randint(-3, 7, (n,)),
        "wide randint": lambda: torch.randint(-(2**40), 2**60, (n,)),
        "randperm": lambda: torch.randperm(n),
        "bernoulli": lambda: torch.bernoulli(torch.full((n,), 0.3, dtype=torch.float64)).bool(),
        "chances": lambda: torch.bernoulli(torch.rand(n)).bool(),
        "exponential": lambda: torch.empty(n, dtype=dtype).exponential_(1.7),
        "random64": lambda: torch.stack([torch.empty((), dtype=torch.int64).random_() for _ in range(n)]),
    }
    return theirs[what]().numpy()


def _record() -> None:
    import torch

    recorded = {}
    for seed in SEEDS:
        torch.manual_seed(seed)
        # The shortest decimals that read back as the same number of that dtype.
        recorded[seed] = [[json.loads(str(x).lower()) for x in draw_from_torch(torch, *draw)] for draw in ROW]
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(recorded, separators=(",", ":")).replace("]],", "]],\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    _record()
