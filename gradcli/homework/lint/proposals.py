"""Other values for a question: numbers that one can work with by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from gradcli.homework.assignment.assignments import Question
from gradcli.homework.assignment.numbers import literals
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.solution import Solution

EDGE = 0.02  # a sigmoid or a tanh that comes closer to its limits is saturated
RANGES = {"sigmoid": (0, 1), "tanh": (-1, 1)}
GATES = ("relu",)


def zeros(graph: Graph) -> Iterator[str]:
    """Yield sentences about the named numbers that are 0."""
    for index in sorted(graph.named):
        if not np.any(graph.vertices[index].value):
            yield f"{graph.label(index)} is 0"


def shut(graph: Graph) -> Iterator[str]:
    """Yield sentences about the activations that are saturated or let nothing through."""
    for index, vertex in enumerate(graph.vertices):
        if vertex.op in GATES and not np.any(vertex.value):
            yield f"{graph.label(index)} lets nothing through"
        elif vertex.op in RANGES and is_saturated(vertex.value, *RANGES[vertex.op]):
            yield f"{graph.label(index)} is saturated"


def is_saturated(value: Any, low: float, high: float) -> bool:
    """Return whether an entry of an activation is at a limit, where its slope is nearly 0."""
    return bool(np.any(np.minimum(value - low, high - value) < EDGE * (high - low)))


NICE = (3, 2, 5, 4, -2, -3, 0.5, 1.5, -1.5, 2.5)  # values that one can work with by hand, the first to try first
FINER = (1.3, 0.7, 1.7, 2.3, -0.6, 3.1, -1.4, 0.9, -2.7, 4.2)  # the same, with fewer coincidences
SMALL = (1, 2, 3, -1, -2, 0.5, -0.5, 4, -3, 1.5)  # entries of a tensor
FACTORS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0)  # to numbers of about the same size
TRIED = 100  # points, before nothing is proposed
RUNS = 12  # of a snippet with other values
LARGEST = 64  # entries of a tensor for which others are proposed


def proposals(question: Question, solution: Solution) -> Iterator[Mapping[str, Value]]:
    """Yield points to try: first those where few variables have other values, then those where all have.

    Every choice of nice numbers is tried where there are few variables, else random ones.
    """
    free = solution.point
    if not free or any(np.size(value) > LARGEST for value in free.values()):
        return
    if len(free) > 1:
        yield from with_one_other(free)
    generator = random.Random(question.id)
    if len(free) <= 2 and all(np.ndim(value) == 0 for value in free.values()):
        for choice in (*product(NICE, repeat=len(free)), *product(FINER, repeat=len(free))):
            if len(set(choice)) == len(choice):
                yield dict(zip(free, map(np.float64, choice), strict=True))
        return
    for number in range(TRIED):
        moved = generator.sample(sorted(free), 1 + number % min(3, len(free)))
        yield {**free, **{name: near(free[name], generator) for name in moved}}
    for number in range(TRIED):
        yield {name: nice(value, generator, is_fine=number >= TRIED // 2) for name, value in free.items()}


def with_one_other(free: Mapping[str, Value]) -> Iterator[Mapping[str, Value]]:
    """Yield points at which one number alone is another."""
    for name, value in free.items():
        for other in others(float(value)) if np.ndim(value) == 0 else ():
            yield {**free, name: np.float64(other)}


def near(value: Value, generator: random.Random) -> Value:
    """Return numbers of about the size of others, and 0 where there was one."""
    entries = [generator.choice(others(entry)) for entry in np.ravel(value).tolist()]
    return np.reshape(np.array(entries, np.float64), np.shape(value))[()]


def others(value: float) -> list[float]:
    """Return numbers near to one, the nearest first: whole ones, unless it is 1, and numbers with two digits."""
    whole = [value + np.sign(value) * step for step in (1, 2, 3)] if value % 1 == 0 and abs(value) > 1 else []
    return whole + [rounded(value * factor) for factor in sorted(FACTORS, key=lambda factor: abs(factor - 1))]


def rounded(value: float) -> float:
    return float(f"{value:.2g}")


def nice(like: Value, generator: random.Random, *, is_fine: bool = False) -> Value:
    if np.ndim(like) == 0:
        return np.float64(generator.choice(FINER if is_fine else NICE))
    entries: Sequence[float] = [generator.choice(FINER if is_fine else SMALL) for _ in range(np.size(like))]
    return np.reshape(np.array(entries, np.float64), np.shape(like))


def other_snippets(question: Question) -> Iterator[tuple[Question, str]]:
    """Yield a snippet with other numbers in its tensors, and those as they are written there; labels stay."""
    text = question.source.text
    tensors = {
        name: one.value
        for name, one in (literals(text) or {}).items()
        if one.is_tensor and one.value.dtype.kind == "f" and one.value.size <= LARGEST
    }
    generator = random.Random(question.id)
    for _ in range(RUNS if tensors else 0):
        at = {name: nice(value, generator, is_fine=True) for name, value in tensors.items()}
        told = ", ".join(f"{name} = {np.asarray(value).tolist()}" for name, value in at.items())
        yield question.moved(at), told
