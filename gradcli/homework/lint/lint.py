"""Checks of an assignment before it is handed out: questions that wrong methods answer rightly."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Ask, Assignment, Question
from gradcli.homework.assignment.numbers import literals
from gradcli.homework.code.cases import USUAL
from gradcli.homework.code.marking import CodeJudge, missed
from gradcli.homework.code.repairs import TITLES
from gradcli.homework.diagnose.coincidences import Named, Owned, coincidences, is_sized, same_numbers
from gradcli.homework.diagnose.detection import Suspects
from gradcli.homework.key import Key
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.solution import Solution
from gradcli.homework.wording import listed, shown
from gradcli.source import Span

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
        name: literal.value
        for name, literal in (literals(text) or {}).items()
        if literal.is_tensor and literal.value.dtype.kind == "f" and literal.value.size <= LARGEST
    }
    generator = random.Random(question.id)
    for _ in range(RUNS if tensors else 0):
        at = {name: nice(value, generator, is_fine=True) for name, value in tensors.items()}
        tensor_text = ", ".join(f"{name} = {np.asarray(value).tolist()}" for name, value in at.items())
        yield question.moved(at), tensor_text


PAIRS = 2  # of mistakes that give the same number, that are told
ENTRIES = "another number of entries would do"
KINDS = {
    "program": "it does not evaluate",
    "collision": "a mistake gives the right number",
    "alike": "two mistakes give the same number",
    "zero": "the right number is 0",
    "not-finite": "the right number is not finite",
    "one-digit": "one digit decides",
    "saturated": "an activation has no slope",
    "missed": "a mistake passes every case",
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
        question.computing()
        try:
            key = Key(question, assignment)
        except UsageError as error:
            message = error.message.removeprefix(f"question {question.id}: ")
            yield Finding("program", question.id, "", message, error.help, error.span or question.span)
            continue
        if key.code is not None:
            yield from of_code(key, key.code)
            continue
        question_findings = list(of_question(key))
        help = better_point(key) if any(not finding.help for finding in question_findings) else ""
        yield from (replace(finding, help=finding.help or help) for finding in question_findings)


def of_code(key: Key, code: CodeJudge) -> Iterator[Finding]:
    """Yield the mistakes in code that the cases of a question would miss."""
    others = [name for name in USUAL if name not in code.quantities]
    help = f"ask for {', '.join(others)}, too"
    for mistake in missed(code):
        message = f"nobody would see that somebody {TITLES[mistake]}"
        yield Finding("missed", key.question.id, "", message, help, key.question.places.key(*key.question.path))


def of_question(key: Key) -> Iterator[Finding]:
    for ask in key.question.asks:
        problem = key.problems[ask.quantity]
        truth = key.expected[ask.quantity] if problem is None else problem.truth
        with np.errstate(all="ignore"):
            for code, message, help in troubles(ask, truth, problem, partial(key.investigation.own_mistakes, ask)):
                yield Finding(code, key.question.id, ask.written, message, help, ask.span)
    for message in shut(key.solution.graph) if isinstance(key.solution, Solution) else ():
        place = key.question.places.key(*key.question.path)
        yield Finding("saturated", key.question.id, "", message, "", place)


def troubles(
    ask: Ask,
    truth: Value,
    problem: Problem | None,
    own_mistakes: Owned,
    suspects: Suspects | None = None,
) -> Iterator[tuple[str, str, str]]:
    """Yield the faults of one quantity at one point: a key of `KINDS`, a sentence, and help of its own.

    A fault with help of its own is none of the values: it is there whatever they are, where the same masks are open.
    Problems of one output may share `suspects`.
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
    coincident = same_numbers(problem, own_mistakes, suspects)
    always = coincidences(problem, own_mistakes) if coincident.any() else coincident
    if right := sorted(coincident.right - always.right, key=Named.place):
        wording = listed(list(dict.fromkeys(mistake.title for mistake in right)))
        codes = ", ".join(dict.fromkeys(mistake.code for mistake in right))
        yield "collision", f"{ask.written} = {shown(truth)} also comes out if you {wording} ({codes})", ""
    for mistake in sorted(mistake for mistake in coincident.right & always.right if mistake.is_own):
        wording = f"{mistake.rule} is no mistake: it gives the right {ask.written} whatever the values ({mistake.code})"
        yield "collision", wording, "mend the formula of [[mistake]]"
    sized = {pair for pair in coincident.pairs & always.pairs if is_sized(pair)}
    for slip, other in (*sorted(coincident.pairs - always.pairs), *sorted(sized))[:PAIRS]:
        wording = (
            f"{ask.written} is the same if you {slip.at_node} and if you {other.at_node} ({slip.code}, {other.code})"
        )
        yield "alike", wording, ENTRIES if (slip, other) in sized else ""


def better_point(key: Key) -> str:
    """Return values without any finding, written as in the file; "" where none were found."""
    question, solution = key.question, key.solution
    if not isinstance(solution, Solution):
        return better_snippet(key)
    known = {ask: problem for ask in question.asks if (problem := key.problems[ask.quantity]) is not None}
    added = {ask: partial(key.investigation.own_mistakes, ask) for ask in known}
    for at in proposals(question, solution):
        moved = solution.moved(at)
        if any(shut(moved)):
            continue
        with np.errstate(all="ignore"):
            if all(
                is_clean(ask, replace(problem, graph=moved, cache={}), added[ask]) for ask, problem in known.items()
            ):
                values = ", ".join(f"{name} = {answer(value)}" for name, value in at.items())
                return f"{'values such as ' if question.varies or not question.at else 'at = '}{{ {values} }} would do"
    return ""


def better_snippet(key: Key) -> str:
    """Return tensors for a snippet with which there is no finding."""
    for question, tensor_text in other_snippets(key.question):
        question.computing()
        with suppress(UsageError):
            if all(finding.help for finding in of_question(Key(question, key.assignment))):
                return f"tensors such as {tensor_text} would do"
    return ""


def is_clean(ask: Ask, problem: Problem, own_mistakes: Owned) -> bool:
    faults = troubles(ask, problem.truth, problem, own_mistakes)
    return problem.truth is not None and all(help for _, _, help in faults)
