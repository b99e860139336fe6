"""Checks of an assignment before it is handed out: questions that wrong methods answer rightly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Ask, Assignment
from gradcli.homework.assignment.idle import shut
from gradcli.homework.assignment.proposals import other_snippets, proposals
from gradcli.homework.assignment.worked import answer
from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.diagnose.shelves import Suspect
from gradcli.homework.mistakes.broadcasting import BROADCAST_UNSUMMED
from gradcli.homework.mistakes.catalogue import KIN, LATE, TITLES
from gradcli.homework.mistakes.habits import STALE_GRAD
from gradcli.homework.mistakes.rules import POWER_RULE
from gradcli.homework.mistakes.tensors import BATCH_N, MEAN_N
from gradcli.homework.model import Value
from gradcli.homework.solve.key import Key
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.solution import Solution
from gradcli.homework.wording import listed, shown
from gradcli.source import Span

PAIRS = 2  # of mistakes that give the same number, that are told
SIZED = {MEAN_N.code, BATCH_N.code, BROADCAST_UNSUMMED.code}  # mistakes that depend on the number of entries
FACTORS = {POWER_RULE.code, STALE_GRAD.code}  # mistakes by a factor such as 2
ELSEWHERE = 2  # random points at which a mistake that is no mistake gives the right number too
KINDS = {
    "program": "it does not evaluate",
    "collision": "a mistake gives the right number",
    "alike": "two mistakes give the same number",
    "zero": "the right number is 0",
    "not-finite": "the right number is not finite",
    "one-digit": "one digit decides",
    "saturated": "an activation has no slope",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend: `code` is a key of `KINDS`, `span` its place in the file, `help` what to write instead."""

    code: str
    question: str
    quantity: str
    message: str
    help: str
    span: Span


def findings(assignment: Assignment) -> Iterator[Finding]:
    """Yield the findings, question by question."""
    for question in assignment.questions:
        try:
            key = Key(question, assignment)
        except UsageError as error:
            message = error.message.removeprefix(f"question {question.id}: ")
            yield Finding("program", question.id, "", message, error.help, error.span or question.span)
            continue
        found = list(of_question(key))
        help = better_point(key) if any(not one.help for one in found) else ""
        yield from (replace(one, help=one.help or help) for one in found)


def of_question(key: Key) -> Iterator[Finding]:
    for ask in key.question.asks:
        problem = key.problems[ask.quantity]
        truth = key.expected[ask.quantity] if problem is None else problem.truth
        with np.errstate(all="ignore"):
            for code, message, help in troubles(ask, truth, problem):
                yield Finding(code, key.question.id, ask.written, message, help, ask.span)
    for message in shut(key.solution.graph) if isinstance(key.solution, Solution) else ():
        place = key.question.places.key(*key.question.path)
        yield Finding("saturated", key.question.id, "", message, "", place)


def troubles(
    ask: Ask,
    truth: Value,
    problem: Problem | None,
    always: Coincidences | None = None,
    suspects: Suspects | None = None,
) -> Iterator[tuple[str, str, str]]:
    """Yield the faults of one quantity at one point: a key of `KINDS`, a sentence, and help of its own.

    Coincidences that are `always` there are no faults of the values. Problems of one output may share `suspects`.
    """
    if ask.form == "expression" or truth is None or isinstance(truth, bool | str):
        return
    number = np.asarray(truth)
    if number.dtype.kind == "b" or not number.size:
        return
    if not np.all(np.isfinite(number)):
        yield "not-finite", f"{ask.written} is {shown(truth)}, which nobody can give", ""
        return
    if not np.any(number):
        yield "zero", f"{ask.written} is 0: many mistakes give 0, and nothing is carried forward from it", ""
    elif number.ndim == 0 and number == np.rint(number) and abs(number) < 10:
        yield "one-digit", f"{ask.written} is {shown(truth)}: one digit is easily guessed, and explains no mistake", ""
    if problem is None or not np.any(number):
        return
    found = same_numbers(problem, suspects)
    if always is None:
        always = coincidences(problem) if found.any() else found
        always = replace(always, pairs=frozenset(pair for pair in always.pairs if not is_sized(pair)))
    if codes := sorted({one.code for one in found.right - always.right}, key=list(TITLES).index):
        yield (
            "collision",
            f"{ask.written} = {shown(truth)} also comes out if you {listed([TITLES[c] for c in codes])} "
            f"({', '.join(codes)})",
            "",
        )
    for one, other in sorted(found.pairs - always.pairs)[:PAIRS]:
        first, second = f"{TITLES[one.code]} at {one.node}", f"{TITLES[other.code]} at {other.node}"
        help = "another number of entries would do" if is_sized((one, other)) else ""
        yield "alike", f"{ask.written} is the same if you {first} and if you {second} ({one.code}, {other.code})", help


def is_sized(pair: tuple[Named, Named]) -> bool:
    """Whether a pair is alike by the number of entries, as 2 and 1/n are for two: no other values help."""
    codes = {pair[0].code, pair[1].code}
    return bool(codes & SIZED) and bool(codes & FACTORS)


class Named(NamedTuple):
    """A mistake, as it is known at other values."""

    code: str
    node: str
    rule: str


@dataclass(frozen=True)
class Coincidences:
    """The mistakes that give the right number, and the pairs of mistakes that give the same wrong one."""

    right: frozenset[Named] = frozenset()
    pairs: frozenset[tuple[Named, Named]] = frozenset()

    def any(self) -> bool:
        return bool(self.right or self.pairs)


def same_numbers(problem: Problem, suspects: Suspects | None = None) -> Coincidences:
    """Return the coincidences at the values of a problem; slips of the forward pass are left out."""
    truth = problem.truth
    given = (suspects or Suspects(problem)).given(problem, SINGLE)
    found = [(suspect, value) for suspect, value in given if value is not None and np.shape(value) == np.shape(truth)]
    numbers = np.array([value for _, value in found], np.float64).reshape(len(found), np.size(truth))
    is_number, is_some = np.all(np.isfinite(numbers), axis=1), np.any(numbers, axis=1)
    is_right = np.all(np.isclose(numbers, np.ravel(truth), rtol=1e-6), axis=1)
    right: set[Named] = set()
    alike: dict[tuple[float, ...], dict[str, Named]] = {}
    for place in np.flatnonzero(is_number & (is_right | is_some)).tolist():
        suspect = found[place][0]
        part = suspect.parts[0]
        if is_right[place]:
            right.add(named(problem, suspect))
        elif suspect.code not in LATE and part.rank <= 0:
            number = tuple(float(f"{entry:.6g}") for entry in numbers[place])
            alike.setdefault(number, {}).setdefault(KIN.get(suspect.code, suspect.code), named(problem, suspect))
    pairs = (pair for group in alike.values() for pair in combinations(sorted(group.values()), 2))
    return Coincidences(frozenset(right), frozenset(pairs))


def named(problem: Problem, suspect: Suspect) -> Named:
    part = suspect.parts[0]
    return Named(suspect.code, problem.label(part.node), part.rule)


def coincidences(problem: Problem) -> Coincidences:
    """Return the coincidences at other values, too: those of mistakes that are one, or are none."""
    generator = random.Random(0)
    right: set[Named] = set()
    pairs: set[tuple[Named, Named]] = set()
    for number in range(ELSEWHERE):
        other = elsewhere(problem, generator)
        if np.all(np.isfinite(other.truth)):
            found = same_numbers(other)
            right = set(found.right) if number == 0 else right & found.right
            pairs = set(found.pairs) if number == 0 else pairs & found.pairs
    return Coincidences(frozenset(right), frozenset(pairs))


def elsewhere(problem: Problem, generator: random.Random) -> Problem:
    """Return a problem at other values of the leaves, with the earlier passes that are in its `.grad`."""
    graph = problem.graph
    values = {leaf: drawn(graph.vertices[leaf].value, generator) for leaf in graph.leaves}
    named = {graph.label(leaf): value for leaf, value in values.items()}
    earlier = tuple(
        replace(one, graph=one.graph.moved({one.graph.names[n]: v for n, v in named.items() if n in one.graph.names}),
                cache={})
        for one in problem.earlier
    )  # fmt: skip
    before = sum(one.truth for one in earlier) if earlier else None
    if problem.before is not None and not earlier:
        before = problem.before * 0.7
    return replace(problem, graph=graph.moved(values), cache={}, before=before, earlier=earlier)


def drawn(value: Value, generator: random.Random) -> Value:
    """Draw another value of the same shape and sign."""
    factors = [generator.uniform(0.55, 0.95) for _ in range(max(np.size(value), 1))]
    moved = np.reshape(factors, np.shape(value)) * np.where(value == 0, 1.0, value)
    return moved.astype(np.asarray(value).dtype)[()]


def better_point(key: Key) -> str:
    """Return values without any finding, written as in the file; "" where none were found."""
    question, solution = key.question, key.solution
    if not isinstance(solution, Solution):
        return better_snippet(key)
    known = {ask: problem for ask in question.asks if (problem := key.problems[ask.quantity]) is not None}
    always = {ask: coincidences(problem) for ask, problem in known.items() if ask.form == "number"}
    for at in proposals(question, solution):
        moved = solution.graph.moved({solution.graph.names[name]: value for name, value in at.items()})
        if any(shut(moved)):
            continue
        with np.errstate(all="ignore"):
            if all(is_clean(ask, replace(known[ask], graph=moved, cache={}), always[ask]) for ask in always):
                values = ", ".join(f"{name} = {answer(value)}" for name, value in at.items())
                return f"{'at = ' if question.at else 'values such as '}{{ {values} }} would do"
    return ""


def better_snippet(key: Key) -> str:
    """Return tensors for a snippet with which there is no finding."""
    for question, told in other_snippets(key.question):
        with suppress(UsageError):
            if next(of_question(Key(question, key.assignment)), None) is None:
                return f"tensors such as {told} would do"
    return ""


def is_clean(ask: Ask, problem: Problem, always: Coincidences) -> bool:
    return problem.truth is not None and next(troubles(ask, problem.truth, problem, always), None) is None
