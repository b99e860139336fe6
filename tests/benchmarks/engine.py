"""The engine in this process: time an operation against torch and micrograd, scaling, memory a node."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

CHAIN = 20_000  # multiply-adds
REPEATS = 7

Leaf = Callable[[float], Any]


def chain(leaf: Leaf, steps: int = CHAIN) -> float:
    """Seconds an operation for a chain of multiply-adds, forward and backward."""
    x, w, b = leaf(1.0), leaf(0.9999), leaf(0.001)
    start = time.perf_counter()
    y = x
    for _ in range(steps):
        y = y * w + b
    y.backward()
    return (time.perf_counter() - start) / (2 * steps)


def own_leaf(value: float) -> Any:
    from gradcli.engine.tensor import tensor

    return tensor(value, requires_grad=True)


def torch_leaf(value: float) -> Any:
    import torch

    return torch.tensor(value, requires_grad=True)


def micrograd_leaf(value: float) -> Any:
    from micrograd.engine import Value

    return Value(value)


def scalar_chain() -> list[tuple[str, str, str]]:
    """The chain, in turn with each other library that is installed."""
    import gradcli.ops  # noqa: F401 - installs the operators

    leaves: dict[str, Leaf] = {"gradcli": own_leaf}
    if find_spec("torch"):
        leaves["torch"] = torch_leaf
    if find_spec("micrograd"):
        sys.setrecursionlimit(10 * CHAIN)  # its sort recurses
        leaves["micrograd"] = micrograd_leaf
    times = {name: [chain(leaf) for _ in range(REPEATS)] for name, leaf in leaves.items()}
    best = {name: min(values) for name, values in times.items()}
    own = best.pop("gradcli")
    ratios = ", ".join(f"{own / other:.2f} x {name} ({other * 1e6:.1f} us)" for name, other in best.items())
    return [("scalar operation, both passes", f"{own * 1e6:.1f} us", ratios or "torch and micrograd are not installed")]


def one_size(nodes: int) -> None:
    """Print the seconds and the bytes a node of one graph, without a collector as in commands."""
    import gradcli.ops  # noqa: F401

    gc.disable()
    chain(own_leaf, 1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = chain(own_leaf, nodes // 2) * nodes
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    sys.stdout.write(f"{seconds} {grown * 1024 / nodes}\n")


def scaling() -> list[tuple[str, str, str]]:
    """Graphs of 10**5 and 10**6 nodes: the time must grow as the nodes do."""
    script = "from tests.benchmarks.engine import one_size; one_size({})"
    measured = []
    for nodes in (10**5, 10**6):
        command = [sys.executable, "-c", script.format(nodes)]
        runs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(3)]
        measured.append(min(tuple(map(float, run.split())) for run in runs))
    (small, _), (large, bytes_a_node) = measured
    return [
        ("graph of 1,000,000 nodes", f"{large:.1f} s", f"{large / small:.1f} x a graph of 100,000 (bound 11)"),
        ("memory a node", f"{bytes_a_node:.0f} bytes", "bound 1024"),
    ]
