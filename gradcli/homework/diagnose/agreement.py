"""Diagnoses beside the rest of a student's sheet: a mistake that would have spoiled a right answer is unlikely."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.diagnose.ordering import UNLIKELY, settled, weight
from gradcli.homework.mistakes.catalogue import TURNS
from gradcli.homework.model import Diagnosis, Value
from gradcli.homework.solve.graph import reached
from gradcli.homework.solve.points import Verdict
from gradcli.homework.solve.problem import Problem
from gradcli.homework.submission.numerals import SLACK, Typed

Found = tuple[Diagnosis, ...]
LEAST = 2  # gradients that a factor tells of
PLAIN = (*range(1, 13), *(1 / n for n in range(2, 13)))  # factors that are likelier than any near them
NEAR = 0.01  # of such a factor, as far as rounding leads
EXACTLY = 1e-5  # a share of a number


def in_agreement(causes: Sequence[Diagnosis], problem: Problem | None, right: Collection[Problem]) -> Found:
    """Return diagnoses with the mistakes last, and not certain, that would have spoiled answers that are `right`."""
    if problem is None:
        return settled(causes)
    others = [other for other in right if other.graph is problem.graph]
    judged = [
        replace(cause, rank=cause.rank + UNLIKELY, certain=False)
        if any(spoils(cause, problem, other) for other in others)
        else cause
        for cause in causes
    ]
    return settled(sorted(judged, key=weight))


def spoils(diagnosis: Diagnosis, problem: Problem, other: Problem) -> bool:
    """Whether a mistake about one problem changes the answer to another.

    Every mistake in one value changes the same other values, so a change there does not tell mistakes apart.
    """
    if problem.kind == "value" and diagnosis.vertex == problem.by:
        return False
    if diagnosis.edges and other.kind == "gradient":
        return any(v in other.above and other.graph.vertices[v].sources[p] in other.above for v, p in diagnosis.edges)
    if diagnosis.kind not in TURNS or diagnosis.vertex is None:
        return False
    if other.kind == "value":
        return diagnosis.vertex in reached([other.by], lambda vertex: other.graph.vertices[vertex].sources)
    return problem.kind == "gradient" and diagnosis.vertex in other.above and diagnosis.vertex != other.by


def one_factor(
    verdicts: Mapping[Quantity, Verdict], problems: Mapping[Quantity, Problem | None]
) -> dict[Quantity, Verdict]:
    """Return the wrong gradients of a question with a remark, if all are off by one factor, and are two at least.

    A slipped decimal point is no such factor.
    """
    wrong = {
        quantity: (verdict.typed, np.asarray(problem.truth, float))
        for quantity, verdict in verdicts.items()
        if verdict.verdict == "wrong"
        and verdict.typed
        and (problem := problems[quantity])
        and problem.kind == "gradient"
    }
    if len(wrong) < LEAST or not all(np.any(truth) for _, truth in wrong.values()):
        return {}
    typed, truth = max(wrong.values(), key=lambda pair: int(np.max(pair[0].digits)))
    place = int(np.argmax(np.abs(truth)))
    ratio = float(np.ravel(typed.value)[place] / np.ravel(truth)[place])
    plain = (sign * k for k in PLAIN for sign in (1.0, -1.0) if abs(ratio - sign * k) <= NEAR * k)
    factor = next((k for k in (*plain, ratio) if k and all(map(partial(is_times, k), wrong.values()))), None)
    if factor is None or (factor > 0 and abs(np.log10(factor) - round(np.log10(factor))) < EXACTLY):
        return {}
    part = round(1 / factor) if abs(factor) < 1 and abs(1 / factor - round(1 / factor)) < EXACTLY else 0
    text = f"{'-' * (part < 0)}1/{abs(part)}" if part else f"{factor:.4g}"
    remark = f"all {len(wrong)} wrong gradients are {text} times the right ones: one mistake, before they part"
    return {
        quantity: replace(verdicts[quantity], remark="; ".join(filter(None, (verdicts[quantity].remark, remark))))
        for quantity in wrong
    }


def is_times(factor: float, answer: tuple[Typed, Value]) -> bool:
    """Whether an answer, to its last digit, is a factor times the right one."""
    typed, truth = answer
    off = np.asarray(typed.unit) / 2 * SLACK + EXACTLY * np.abs(factor * truth)
    return bool(np.all(np.abs(typed.value - factor * truth) <= off))
