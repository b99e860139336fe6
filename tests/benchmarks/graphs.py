"""Graphs of growing size: time a node, which must not grow with them, and memory."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from tests.benchmarks.table import ROOT, Bound, Row, is_installed
from tests.benchmarks.tasks import chain

ROUNDS = 3
DECADES = (10**3, 10**4, 10**5, 10**6)
QUICK = (10**2, 10**3)
BYTES = 1024 if sys.platform != "darwin" else 1  # the unit of what the system tells
SCRIPT = "from tests.benchmarks.graphs import one_size; one_size({!r}, {})"


def one_size(library: str, nodes: int) -> None:
    """Print the seconds and the bytes a node of one graph, without a collector as in commands."""
    if library == "torch":
        from tests.benchmarks.libraries.torch_eager import leaf
    else:
        from tests.benchmarks.libraries.own import leaf
    gc.disable()
    seconds(leaf, 1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = seconds(leaf, nodes)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * BYTES
    sys.stdout.write(f"{taken / nodes} {max(grown, 1) / nodes}\n")


def seconds(leaf: Any, nodes: int) -> float:
    start = time.perf_counter()
    _, end = chain(leaf, nodes)
    end.backward()
    return time.perf_counter() - start


def sizes(quick: bool = False) -> Iterator[Row]:
    """A row a decade, and the memory of the largest graph."""
    decades, libraries = (QUICK, ["gradcli"]) if quick else (DECADES, ["gradcli", *filter(is_installed, ["torch"])])
    before = 0.0
    for nodes in decades:
        runs = [{library: one(library, nodes) for library in libraries} for _ in range(1 if quick else ROUNDS)]
        best = {library: min(run[library] for run in runs) for library in libraries}
        own, memory = best["gradcli"]
        ratios = {library: own / best[library][0] for library in libraries[1:]}
        if before:
            ratios["baseline"] = own / before
        bound = Bound(1.1, "baseline", "1.1 x a tenth of the size") if nodes == decades[-1] else None
        yield Row(f"graph of {nodes:,} nodes, a node", own, ratios=ratios, bound=bound)
        before = own
    ratios = {library: memory / best[library][1] for library in libraries[1:]}
    yield Row("memory a node", memory, "bytes", ratios, Bound(1024, "gradcli", "1,024 bytes"))


def one(library: str, nodes: int) -> tuple[float, float]:
    command = [sys.executable, "-c", SCRIPT.format(library, nodes)]
    taken, memory = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
    return float(taken), float(memory)
