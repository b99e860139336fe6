"""From a wrong answer to diagnoses: the known mistakes first, then slips of the pen, and the ledger of paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np

from gradcli.homework.diagnose.detection import MOST, Suspect, Suspects
from gradcli.homework.mistakes.catalogue import OF_RULES
from gradcli.homework.mistakes.pen import decimal_point, rounding
from gradcli.homework.model import Branch, Diagnosis, Value
from gradcli.homework.solve.graph import Edge
from gradcli.homework.solve.problem import Problem
from gradcli.homework.submission.numerals import Tolerance, Typed


class Detective:
    """Diagnoses wrong answers about one quantity. A formula has several problems, one a random point."""

    def __init__(self, problems: Sequence[Problem], suspects: Sequence[Suspects], tolerance: Tolerance) -> None:
        self.problems, self.suspects, self.tolerance = problems, suspects, tolerance

    def diagnoses(self, answers: Sequence[Typed]) -> tuple[Diagnosis, ...]:
        """Return the mistakes that give the answer (one answer a point), likely ones first."""
        problem, typed = self.problems[0], answers[0]
        found = [self.described(suspect, typed, value) for suspect, value in self.common(answers)]
        if len(answers) == 1:
            if not found or " + " in found[0].code:
                found = [*decimal_point(problem, typed, self.tolerance), *found]
            found.extend(rounding(problem, typed))
        return tuple(one_of_each(list(distinct(found)))[:MOST])

    def common(self, answers: Sequence[Typed]) -> list[tuple[Suspect, Value]]:
        """Return the suspects that give the answer at every point, with their numbers at the first."""
        matches = [
            suspects.matching(problem.by, typed, self.tolerance)
            for problem, suspects, typed in zip(self.problems, self.suspects, answers, strict=True)
        ]
        first, *others = matches
        told = [{identity(suspect) for suspect, _ in other} for other in others]
        return [(suspect, value) for suspect, value in first if all(identity(suspect) in other for other in told)]

    def described(self, suspect: Suspect, typed: Typed, value: Value) -> Diagnosis:
        first = suspect.parts[0]
        single = len(suspect.parts) == 1
        telling = typed.is_telling and (single or bool(np.min(typed.digits) >= 4))
        return Diagnosis(
            suspect.code,
            self.problems[0].label(first.node),
            "; ".join(part.rule for part in suspect.parts),
            ", and ".join(part.message for part in suspect.parts),
            ", ".join(part.detail for part in suspect.parts if part.detail),
            value,
            telling,
            self.rule_in_words(suspect),
            first.node,
            tuple(dict.fromkeys(edge for part in suspect.parts for edge in part.edges)),
        )

    def rule_in_words(self, suspect: Suspect) -> str:
        """Return the sentence about the rule in which the mistake was made; empty for other mistakes."""
        primitive = self.problems[0].graph.vertices[suspect.parts[0].node].primitive
        return primitive.says if primitive is not None and suspect.code in OF_RULES else ""

    def ledger(self, typed: Typed) -> tuple[Branch, ...]:
        """Return all paths, present or not, where the answer is the sum of some of them."""
        problem = self.problems[0]
        paths = problem.paths if problem.kind == "gradient" and problem.before is None else None
        if not paths or len(paths) < 2 or np.shape(typed.value) != np.shape(problem.truth):
            return ()
        chosen = subsets(len(paths))
        sums = np.tensordot(chosen, np.array(problem.flows), 1)
        found = np.flatnonzero(self.tolerance.matches(typed, sums))
        return self.branches(paths, chosen[found[0]]) if found.size else ()

    def branches(self, paths: Sequence[tuple[Edge, ...]], present: Sequence[int]) -> tuple[Branch, ...]:
        problem = self.problems[0]
        named = ([problem.of, *map(problem.graph.source, path)] for path in paths)
        return tuple(
            Branch(tuple(map(problem.label, vertices)), flow, bool(kept))
            for vertices, flow, kept in zip(named, problem.flows, present, strict=True)
        )


@cache
def subsets(count: int) -> Any:
    """Return every proper subset of `count` items as a row of 0 and 1, the largest first."""
    rows = np.array([row for row in product((0, 1), repeat=count) if 0 < sum(row) < count])
    return rows[np.argsort(-rows.sum(axis=1), kind="stable")]


def identity(suspect: Suspect) -> tuple[Any, ...]:
    """Return the key by which a mistake is known at another point."""
    return (suspect.code, *((part.node, part.rule) for part in suspect.parts))


def distinct(found: Sequence[Diagnosis]) -> Iterator[Diagnosis]:
    """Yield each mistake at each node once."""
    seen: set[tuple[str, str, str]] = set()
    for one in found:
        key = (one.code, one.node, one.message)
        if key not in seen:
            seen.add(key)
            yield one


def one_of_each(found: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Sort likely mistakes first, but the first of every code before the second of any."""
    seen: Counter[str] = Counter()
    ranked = []
    for place, one in enumerate(found):
        ranked.append((" + " in one.code, seen[one.code], place, one))
        seen[one.code] += 1
    return [one for *_, one in sorted(ranked, key=itemgetter(0, 1, 2))]
