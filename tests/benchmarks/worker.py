"""A process that does tasks with one library: `python -m tests.benchmarks.worker LIBRARY THREADS QUICK`.

Each library has a process of its own, for their pools of threads would get into each other's way, and memory too. It
reads the name of a task, runs it, and writes the seconds that it took.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from importlib import import_module
from typing import Any

import numpy as np

from tests.benchmarks.table import ROOT
from tests.benchmarks.tasks import FULL, QUICK, Step

BUDGET = 0.05  # seconds that a task is repeated for, at most
REPEATS = 20


class Worker:
    """The other end: starts the process and asks it."""

    def __init__(self, library: str, threads: int, quick: bool, environment: dict[str, str]) -> None:
        command = [sys.executable, "-m", "tests.benchmarks.worker", library, str(threads), str(int(quick))]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
        )
        self.tasks: list[str] = self._answer()

    def ask(self, task: str) -> tuple[float, float]:
        """The seconds of a task, and the sum of the sizes of its gradients."""
        assert self.process.stdin is not None
        self.process.stdin.write(task + "\n")
        self.process.stdin.flush()
        seconds, check = self._answer()
        return seconds, check

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args!r} ended")
        return json.loads(line)


def magnitude(gradients: Any) -> float:
    """One number for all gradients, by which libraries are compared."""
    arrays = [np.abs(np.asarray(g, np.float64)).sum() for g in gradients] if not isinstance(gradients, str) else []
    return float(sum(arrays))


def measure(step: Step) -> float:
    """The shortest time of a few runs."""
    shortest, spent = float("inf"), 0.0
    for _ in range(REPEATS):
        start = time.perf_counter()
        step()
        taken = time.perf_counter() - start
        shortest, spent = min(shortest, taken), spent + taken
        if spent > BUDGET:
            break
    return shortest


def main() -> None:
    library, threads, quick = sys.argv[1], int(sys.argv[2]), bool(int(sys.argv[3]))
    if library.startswith("torch"):
        import torch

        if threads:
            torch.set_num_threads(threads)
    module: Any = import_module(f"tests.benchmarks.libraries.{library}")
    shares = getattr(module, "SHARES", {})
    print(json.dumps(list(module.MAKERS)), flush=True)
    steps: dict[str, tuple[Step, float]] = {}
    gc.disable()  # as timeit does, and as gradcli's commands do
    for line in sys.stdin:
        task = line.strip()
        if task not in steps:
            step = module.MAKERS[task](QUICK if quick else FULL)
            steps[task] = step, magnitude(step())
        gc.collect()
        step, check = steps[task]
        print(json.dumps([measure(step) * shares.get(task, 1), check]), flush=True)


if __name__ == "__main__":
    main()
