"""The engine against other libraries: each in a process of its own, asked in turn."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace

from tests.benchmarks.table import ALL_CORES, Bound, Row, is_installed
from tests.benchmarks.tasks import ELEMENTWISE, FULL, QUICK
from tests.benchmarks.worker import Worker

ROUNDS = 9
PAUSE = 0.02  # seconds, in which the threads of the last one go to sleep
ONE, ALL = 1, 0  # threads
Process = tuple[str, int]  # the library and its threads
# Columns by library and threads; gradcli's process for each has as many threads.
LIBRARIES = {
    "torch": ("torch_eager", ONE),
    ALL_CORES: ("torch_eager", ALL),
    "micrograd": ("scalar_micrograd", ONE),
}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
SLOW = {"relu(x)": 1.2, "sigmoid(x)": 1.2, "tanh(x*y + z)*x - y": 1.2}  # bounds beside torch, of others 3
ROWS = {
    "chain": Row("scalar operation, both passes", 0, bound=Bound(0.35, "torch")),
    "network": Row("MLP step 256x784x256x10, float32", 0, bound=Bound(1, "torch")),
    **{name: Row(f"{name}, a million float32", 0, bound=Bound(SLOW.get(name, 3), "torch")) for name in ELEMENTWISE},
    "convolution": Row("conv2d 8x3x50x100, 16 of 3x3, float32", 0, bound=Bound(1.2, "torch")),
    "training": Row("snippet: 1,000 training steps, 2-16-1", 0, bound=Bound(1.2, "torch")),
    "statements": Row("snippet: a statement", 0, bound=Bound(3e-6, "gradcli", "3 µs")),
}


@contextmanager
def workers(quick: bool) -> Iterator[dict[Process, Worker]]:
    """The processes of all libraries that are installed, and gradcli's."""
    wanted = {("own", ONE), ("own", ALL), *(LIBRARIES[column] for column in LIBRARIES if is_installed(column))}
    with ExitStack() as stack:
        yield {key: stack.enter_context(closing(started(*key, quick))) for key in sorted(wanted)}


def started(library: str, threads: int, quick: bool) -> Worker:
    environment = {**os.environ, **(dict.fromkeys(THREADS, str(threads)) if threads else {})}
    return Worker(library, threads, quick, environment)


def tasks(quick: bool = False) -> Iterator[Row]:
    """A row a task: the shortest times of rounds in which everybody did it in turn."""
    with workers(quick) as processes:
        for task, row in ROWS.items():
            able = [key for key, worker in processes.items() if task in worker.tasks]
            rounds = [asked(processes, able, task) for _ in range(1 if quick else ROUNDS)]
            best = {key: min(times[key] for times in rounds) for key in able}
            ratios = {
                column: best["own", threads] / best[library, threads]
                for column, (library, threads) in LIBRARIES.items()
                if (library, threads) in able
            }
            yield (row := replace(row, own=best["own", ONE] / per(task, quick), ratios=ratios))
            if task == "chain":
                yield replace(row, what=f"{row.what}, beside micrograd", bound=Bound(2, "micrograd"))


def asked(processes: dict[Process, Worker], able: list[Process], task: str) -> dict[Process, float]:
    """One round; all have to find the same gradients."""
    times, magnitudes = {}, {}
    for key in able:
        times[key], magnitudes[key] = processes[key].ask(task)
        time.sleep(PAUSE)
    if task != "chain":  # of which some do a part
        expected = magnitudes["own", ONE]
        assert all(abs(found - expected) <= 1e-4 * expected for found in magnitudes.values()), (task, magnitudes)
    return times


def per(task: str, quick: bool) -> int:
    """By how much the time of a task is divided."""
    sizes = QUICK if quick else FULL
    return {"chain": sizes.operations, "statements": sizes.statements}.get(task, 1)
