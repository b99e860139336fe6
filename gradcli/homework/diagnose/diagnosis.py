"""From a wrong answer to diagnoses: the known mistakes first, then slips of the pen, and the ledger of paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np

from gradcli.homework.diagnose.detection import MOST, PAIR, SINGLE, Suspects
from gradcli.homework.diagnose.ordering import kin, weight
from gradcli.homework.diagnose.suspect_index import Suspect, by_rank, matching, shelved
from gradcli.homework.mistakes.catalogue import GUESSED, LATE, OF_RULES
from gradcli.homework.mistakes.declaration import Guess, Turn
from gradcli.homework.mistakes.pen import decimal_point, digit_slip, rounding
from gradcli.homework.model import Branch, Diagnosis, Value
from gradcli.homework.solve.graph import Edge
from gradcli.homework.solve.problem import Problem
from gradcli.homework.submission.numerals import TOLD, Tolerance, Typed, largest

ENOUGH = 4  # digits of an answer that can be certain of its mistake
LIKELY = 2  # the rank of a mistake that can be certain
UNFELT = 2  # the rank of a mistake with more changed rules than the number shows
CHANCE = 0.001  # known mistakes that a certain number may be expected to meet by accident
COARSE = 2e-3  # the share of it that the last digit may be, with what was rounded away before


class Detective:
    """Diagnoses wrong answers about one quantity. A formula has several problems, one a random point."""

    def __init__(
        self,
        problems: Sequence[Problem],
        suspects: Sequence[Suspects],
        tolerance: Tolerance,
        beside: Sequence[Sequence[tuple[Suspect, Value]]] = (),
    ) -> None:
        self.problems, self.suspects, self.tolerance = problems, suspects, tolerance
        self.beside = [shelved(iter(pairs), problem.truth) for pairs, problem in zip(beside, problems, strict=False)]

    def diagnoses(
        self,
        answers: Sequence[Typed],
        base: Suspects | None = None,
        share: float = 0.0,
        extra: Sequence[tuple[Suspect, Value]] = (),
    ) -> tuple[Diagnosis, ...]:
        """Return the mistakes that give the answer (one answer a point), likely ones first.

        They are certain as far as the number goes: it has enough digits, and no pair of other mistakes and no slip of
        the pen gives it; `settled` compares them with each other. `base` are the suspects at the student's own earlier
        numbers, which are the likelier start, and `extra` are more; up to a `share` of what was used may have been
        rounded away.
        """
        problem, typed = base.problem if base is not None else self.problems[0], answers[0]
        if len(answers) == 1 and self.is_short(typed):
            answers = [replace(typed, unit=np.zeros_like(typed.unit)[()])]
        wide = [widened(answer, share) for answer in answers]
        single = self.common(wide, SINGLE)
        hits = [*(base.matching(problem.by, wide[0], self.tolerance, SINGLE) if base is not None else []), *single]
        if extra:
            hits.extend(matching(shelved(iter(extra), problem.truth), wide[0], self.tolerance))
        slips = self.slips_of_the_pen(problem, typed, wide[0]) if len(answers) == 1 else []
        clear = bool(hits) and not slips and telling(wide[0]) and self.chance(wide, base) <= CHANCE
        pairs = self.common(answers, PAIR) if clear or not hits else []
        codes = {kin(suspect.code) for suspect, _ in hits}
        clear = clear and all(codes.intersection(map(kin, suspect.codes)) for suspect, _ in pairs)
        causes = [self.described(suspect, value, certain=clear, problem=problem) for suspect, value in hits or pairs]
        if len(answers) == 1:
            causes = (
                [*causes, *slips, *rounding(problem, typed)] if hits else [*slips, *causes, *rounding(problem, typed)]
            )
        return tuple(one_of_each(list(distinct(causes)))[:MOST])

    def is_short(self, typed: Typed) -> bool:
        """Whether a number is right as far as it goes, with digits too few to show a mistake but by all of them."""
        truth = self.problems[0].truth
        is_alike = np.shape(typed.value) == np.shape(truth) and np.max(typed.digits, initial=0) <= TOLD
        return is_alike and bool(np.all(self.tolerance.judge(typed, truth)[1]))

    def chance(self, answers: Sequence[Typed], base: Suspects | None) -> float:
        """Return how many known mistakes a number is to meet that came about in any other way.

        It is the more of them, the fewer digits it has and the closer their numbers are to each other around it.
        """
        if len(answers) > 1:  # a formula, known at several points
            return 0.0
        base_crowd = base.crowd(base.problem.by, answers[0]) if base is not None else 0.0
        return base_crowd + self.suspects[0].crowd(self.problems[0].by, answers[0])

    def slips_of_the_pen(self, problem: Problem, typed: Typed, wide: Typed) -> list[Diagnosis]:
        return [*decimal_point(problem, wide, self.tolerance), *digit_slip(problem, typed)]

    def common(self, answers: Sequence[Typed], level: int) -> list[tuple[Suspect, Value]]:
        """Return the suspects that give the answer at every point, with their numbers at the first."""
        matches = [
            suspects.matching(problem.by, typed, self.tolerance, level)
            for problem, suspects, typed in zip(self.problems, self.suspects, answers, strict=True)
        ]
        for place, shelves in enumerate(self.beside if level == SINGLE else ()):
            known = {suspect.code for suspect, _ in matches[place]}  # said there with the step in which it was made
            more = [match for match in matching(shelves, answers[place], self.tolerance) if match[0].code not in known]
            matches[place] = sorted([*matches[place], *more], key=by_rank) if more else matches[place]
        first, *others = matches
        identities = [{identity(suspect) for suspect, _ in other} for other in others]
        return [(suspect, value) for suspect, value in first if all(identity(suspect) in other for other in identities)]

    def described(self, suspect: Suspect, value: Value, *, certain: bool, problem: Problem) -> Diagnosis:
        first = suspect.parts[0]
        felt, rank = is_felt(problem, suspect), sum(part.rank for part in suspect.parts)
        known = suspect.code not in GUESSED and suspect.code not in LATE and rank <= LIKELY  # any slip may be another
        return Diagnosis(
            suspect.code,
            self.problems[0].label(first.node),
            "; ".join(part.rule for part in suspect.parts),
            ", and ".join(part.message for part in suspect.parts),
            ", ".join(part.detail for part in suspect.parts if part.detail),
            value,
            certain and felt and known,
            self.rule_in_words(suspect),
            first.node,
            tuple(dict.fromkeys((vertex, place) for part in suspect.parts for vertex, place in part.edges)),
            suspect.kind,
            rank + UNFELT * (not felt),
        )

    def rule_in_words(self, suspect: Suspect) -> str:
        """Return the sentence about the rule in which the mistake was made; empty for other mistakes."""
        first = suspect.parts[0]
        primitive = self.problems[0].graph.vertices[first.node].primitive
        of_rule = suspect.code in OF_RULES and not isinstance(first, Turn) and self.problems[0].kind == "gradient"
        if isinstance(first, Guess) and not first.edges:
            return ""  # of a whole gradient, in which the rule of its own node has no part
        return primitive.says if primitive is not None and of_rule else ""

    def ledger(self, typed: Typed) -> tuple[Branch, ...]:
        """Return all paths, present or not, where the answer is the sum of some of them."""
        problem = self.problems[0]
        paths = problem.paths if problem.kind == "gradient" and problem.before is None else None
        if not paths or len(paths) < 2 or np.shape(typed.value) != np.shape(problem.truth):
            return ()
        chosen = subsets(len(paths))
        sums = np.tensordot(chosen, np.array(problem.flows), 1)
        places = np.flatnonzero(self.tolerance.matches(typed, sums))
        return self.branches(paths, chosen[places[0]]) if places.size else ()

    def branches(self, paths: Sequence[tuple[Edge, ...]], present: Sequence[int]) -> tuple[Branch, ...]:
        problem = self.problems[0]
        named = ([problem.of, *map(problem.graph.source, path)] for path in paths)
        return tuple(
            Branch(tuple(map(problem.label, vertices)), flow, bool(kept))
            for vertices, flow, kept in zip(named, problem.flows, present, strict=True)
        )


def is_felt(problem: Problem, suspect: Suspect) -> bool:
    """Whether all rules that were changed are on the way to the quantity: fewer would give the same number."""
    return all(problem.graph.source(edge) in problem.above for part in suspect.parts for edge in part.edges)


def widened(typed: Typed, share: float) -> Typed:
    """Return a number with room for a share that may have been rounded away on the way to it."""
    room = 2 * share * largest(typed.value)
    return replace(typed, unit=np.where(np.asarray(typed.unit) > 0, typed.unit + room, 0.0)[()])


def telling(typed: Typed) -> bool:
    """Whether a number has enough digits for one mistake to be told from hundreds of others."""
    known = np.max(typed.unit) <= COARSE * largest(typed.value)
    return typed.is_telling and bool(np.max(typed.digits) >= ENOUGH and known)


@cache
def subsets(count: int) -> Any:
    """Return every proper subset of `count` items as a row of 0 and 1, the largest first."""
    rows = np.array([row for row in product((0, 1), repeat=count) if 0 < sum(row) < count])
    return rows[np.argsort(-rows.sum(axis=1), kind="stable")]


def identity(suspect: Suspect) -> tuple[Any, ...]:
    """Return the key by which a mistake is known at another point."""
    return (suspect.code, *((part.node, part.rule) for part in suspect.parts))


def distinct(diagnoses: Sequence[Diagnosis]) -> Iterator[Diagnosis]:
    """Yield each mistake at each node once, also where it is said in other words."""
    seen: set[tuple[str, str, str]] = set()
    for diagnosis in diagnoses:
        keys = {(diagnosis.code, diagnosis.node, diagnosis.message), (diagnosis.code, diagnosis.node, diagnosis.rule)}
        if seen.isdisjoint(keys):
            yield diagnosis
        seen |= keys


def one_of_each(diagnoses: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Sort likely mistakes first, but the first of every code before the second of any."""
    seen: Counter[str] = Counter()
    ranked = []
    for place, diagnosis in enumerate(diagnoses):
        ranked.append(((*weight(diagnosis), seen[diagnosis.code], place), diagnosis))
        seen[diagnosis.code] += 1
    return [diagnosis for _, diagnosis in sorted(ranked, key=itemgetter(0))]
