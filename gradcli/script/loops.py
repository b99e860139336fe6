"""The progress of loops that train: the loss, the gradients and the dead units, epoch by epoch."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor
from gradcli.facts import dataclass
from gradcli.script.timeline.model import Epoch, Loop
from gradcli.source import Source

LEAST = {True: 2, False: 3}  # passes of one line that make a loop: whether one has a variable that counts them
MOST = 1000  # epochs of a loop that are kept


@dataclass
class Progress:
    """The epochs of one loop so far; of many every second, fourth, eighth and so on, and the latest."""

    by: str | None
    passes: int = 0
    count: int = 0
    kept: list[Epoch] = field(default_factory=list)
    latest: Epoch | None = None
    stride: int = 1

    def add(self, label: str | None, loss: float | None, norms: Mapping[str, float], dead: int, units: int) -> None:
        """Add a pass, to the latest epoch if that has the same label."""
        self.passes += 1
        last = self.latest
        if last is not None and label is not None and last.label == label:
            total = None if loss is None or last.loss is None else (last.loss * last.passes + loss) / (last.passes + 1)
            self.latest = Epoch(label, last.passes + 1, total, tuple(norms.items()), dead, units)
            return
        self._keep()
        self.count += 1
        self.latest = Epoch(label or str(self.count), 1, loss, tuple(norms.items()), dead, units)

    def _keep(self) -> None:
        if self.latest is not None and (self.count - 1) % self.stride == 0:
            self.kept.append(self.latest)
        if len(self.kept) > MOST:
            del self.kept[1::2]
            self.stride *= 2

    @property
    def epochs(self) -> tuple[Epoch, ...]:
        return (*self.kept, *([self.latest] if self.latest else []))


class Training:
    """Follows the backward passes of a run, by the line that starts them."""

    def __init__(self) -> None:
        self.env: Mapping[str, Any] = {}  # the variables of the statement that runs
        self._loops: defaultdict[Source, list[tuple[int, int, str]]] = defaultdict(list)
        self._progress: dict[tuple[Source, int], Progress] = {}

    def reads(self, node: ast.stmt, source: Source) -> None:
        """Note the variable of a loop, and its lines."""
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            self._loops[source].append((node.lineno, node.end_lineno or node.lineno, node.target.id))

    def passed(
        self, source: Source, line: int, output: Tensor, leaves: Iterable[tuple[str, Tensor]], values: Sequence[Any]
    ) -> None:
        """Add a pass from an output into named leaves; `values` are the results of relu below it."""
        around = [loop for loop in self._loops[source] if loop[0] <= line <= loop[1]]
        by = min(around)[2] if around else None
        here = self.env.get(by) if by else None
        label = str(here) if isinstance(here, int | float | str) else None
        progress = self._progress.setdefault((source, line), Progress(by if label is not None else None))
        dead, units = dead_units(values)
        is_number = np.size(output.value) == 1 and not np.iscomplexobj(output.value)
        loss = float(np.ravel(output.value)[0]) if is_number else None
        progress.add(label, loss, norms(leaves), dead, units)

    def loops(self) -> Iterator[Loop]:
        """Yield the lines that started several passes."""
        for (source, line), line_passes in self._progress.items():
            if line_passes.passes >= LEAST[line_passes.by is not None]:
                yield Loop(source, line, line_passes.by, line_passes.passes, line_passes.count, line_passes.epochs)


def norms(leaves: Iterable[tuple[str, Tensor]]) -> dict[str, float]:
    """Return the norm of the gradients of each layer: of the leaves whose names differ in the last part alone."""
    squares: defaultdict[str, float] = defaultdict(float)
    for name, leaf in leaves:
        if leaf._grad is not None:
            with np.errstate(all="ignore"):
                squares[name.rpartition(".")[0] or name] += float(np.sum(np.square(np.abs(leaf._grad.value))))
    return {name: float(np.sqrt(square)) for name, square in squares.items()}


def dead_units(values: Iterable[Any]) -> tuple[int, int]:
    """Return how many units of relu are 0 for every example, and how many there are."""
    dead = units = 0
    for value in values:
        rows = np.asarray(value)
        if rows.ndim:
            is_dead = ~np.any(rows, axis=tuple(range(rows.ndim - 1)))
            dead, units = dead + int(np.sum(is_dead)), units + is_dead.size
    return dead, units


def relu_results(order: Iterable[Node], values_of: Mapping[Node, Any]) -> list[Any]:
    """Return the results of relu among these nodes, as far as they are kept."""
    values = (values_of.get(node) for node in order if node.primitive.name == "relu")
    return [value for value in values if value is not None]
