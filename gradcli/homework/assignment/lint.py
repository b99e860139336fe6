"""Checks of an assignment before it is handed out: questions that wrong methods answer rightly."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.assignment.worked import answer
from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.mistakes.catalogue import TITLES
from gradcli.homework.model import Value
from gradcli.homework.solve.key import Key
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.solution import Solution
from gradcli.homework.wording import listed, shown
from gradcli.source import Span

NICE = (3, 2, 5, 4, -2, -3, 0.5, 1.5, -1.5, 2.5)  # values that one can work with by hand, the first to try first
SMALL = (1, 2, 3, -1, -2, 0.5, -0.5, 4, -3, 1.5)  # entries of a tensor
TRIED = 200  # points, before nothing is proposed
LARGEST = 64  # entries of a tensor for which others are proposed
ELSEWHERE = 2  # random points at which a mistake that is no mistake gives the right number too
KINDS = {
    "program": "it does not evaluate",
    "collision": "a mistake gives the right number",
    "zero": "the right number is 0",
    "not-finite": "the right number is not finite",
    "one-digit": "one digit decides",
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
        help = better_point(key) if found and isinstance(key.solution, Solution) else ""
        yield from (replace(one, help=one.help or help) for one in found)


def of_question(key: Key) -> Iterator[Finding]:
    for ask in key.question.asks:
        problem = key.problems[ask.quantity]
        truth = key.expected[ask.quantity] if problem is None else problem.truth
        with np.errstate(all="ignore"):
            for code, message in troubles(ask, truth, problem):
                yield Finding(code, key.question.id, ask.written, message, "", ask.span)


def troubles(ask: Ask, truth: Value, problem: Problem | None) -> Iterator[tuple[str, str]]:
    """Yield the faults of one quantity at one point: a key of `KINDS` and a sentence."""
    if ask.form == "expression" or truth is None or isinstance(truth, bool | str):
        return
    number = np.asarray(truth)
    if number.dtype.kind == "b" or not number.size:
        return
    if not np.all(np.isfinite(number)):
        yield "not-finite", f"{ask.written} is {shown(truth)}, which nobody can give"
        return
    if not np.any(number):
        yield "zero", f"{ask.written} is 0: many mistakes give 0, and nothing is carried forward from it"
    elif number.ndim == 0 and number == np.rint(number) and abs(number) < 10:
        yield "one-digit", f"{ask.written} is {shown(truth)}: one digit is easily guessed, and explains no mistake"
    codes = [] if problem is None or not np.any(number) else collisions(problem)
    if codes:
        yield (
            "collision",
            f"{ask.written} = {shown(truth)} also comes out if you {listed([TITLES[c] for c in codes])} "
            f"({', '.join(codes)})",
        )


def collisions(problem: Problem) -> list[str]:
    """Return the codes of mistakes that give the right number here, and not at other points."""
    same = equal_to_truth(problem)
    if not same:
        return []
    generator = random.Random(0)
    for _ in range(ELSEWHERE):
        moved = problem.graph.moved(
            {leaf: drawn(problem.graph.vertices[leaf].value, generator) for leaf in problem.graph.leaves}
        )
        other = replace(problem, graph=moved, cache={}, before=None if problem.before is None else problem.before * 0.7)
        if np.all(np.isfinite(other.truth)):
            same -= equal_to_truth(other)
    return sorted({code for code, _, _ in same}, key=list(TITLES).index)


def equal_to_truth(problem: Problem) -> set[tuple[str, int, str]]:
    """Return the single mistakes that give the right number, as code, node and rule."""
    truth = problem.truth
    return {
        (suspect.code, suspect.parts[0].node, suspect.parts[0].rule)
        for suspect, value in Suspects(problem).given(problem, SINGLE)
        if value is not None and np.shape(value) == np.shape(truth) and np.allclose(value, truth, rtol=1e-6)
    }


def drawn(value: Value, generator: random.Random) -> Value:
    """Draw another value of the same shape and sign."""
    factors = [generator.uniform(0.55, 0.95) for _ in range(max(np.size(value), 1))]
    moved = np.reshape(factors, np.shape(value)) * np.where(value == 0, 1.0, value)
    return moved.astype(np.asarray(value).dtype)[()]


def better_point(key: Key) -> str:
    """Return values without any finding, written as in the file; "" where none were found."""
    question, solution = key.question, key.solution
    assert isinstance(solution, Solution)
    problems = {ask: problem for ask in question.asks if (problem := key.problems[ask.quantity]) is not None}
    for at in proposals(question, solution):
        moved = solution.graph.moved({solution.graph.names[name]: value for name, value in at.items()})
        if all(is_clean(ask, replace(problem, graph=moved, cache={})) for ask, problem in problems.items()):
            values = ", ".join(f"{name} = {answer(value)}" for name, value in at.items())
            where = "at = " if question.at else "values such as "
            return f"{where}{{ {values} }} would do"
    return ""


def is_clean(ask: Ask, problem: Problem) -> bool:
    with np.errstate(all="ignore"):
        return problem.truth is not None and next(troubles(ask, problem.truth, problem), None) is None


def proposals(question: Question, solution: Solution) -> Iterator[Mapping[str, Value]]:
    """Yield points to try: every choice of nice numbers where there are few variables, else random ones."""
    free = question.at or {name: solution.evaluation.scope[name].value for name in solution.variables.places}
    if not free or any(np.size(value) > LARGEST for value in free.values()):
        return
    generator = random.Random(question.id)
    if len(free) <= 2 and all(np.ndim(value) == 0 for value in free.values()):
        for choice in product(NICE, repeat=len(free)):
            if len(set(choice)) == len(choice):
                yield dict(zip(free, map(np.float64, choice), strict=True))
        return
    for _ in range(TRIED):
        yield {name: nice(value, generator) for name, value in free.items()}


def nice(like: Value, generator: random.Random) -> Value:
    if np.ndim(like) == 0:
        return np.float64(generator.choice(NICE))
    entries: Sequence[float] = [generator.choice(SMALL) for _ in range(np.size(like))]
    return np.reshape(np.array(entries, np.float64), np.shape(like))
