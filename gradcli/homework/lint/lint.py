"""Checks of an assignment before it is handed out: questions that wrong methods answer rightly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gradcli.errors import UsageError
from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Ask, Assignment
from gradcli.homework.code.cases import USUAL
from gradcli.homework.code.marking import CodeJudge, missed
from gradcli.homework.code.repairs import TITLES
from gradcli.homework.diagnose.coincidences import Coincidences, Named, Owned, coincidences, is_sized, same_numbers
from gradcli.homework.diagnose.detection import Suspects
from gradcli.homework.key import Key
from gradcli.homework.lint.proposals import other_snippets, proposals, shut
from gradcli.homework.model import Value
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.solution import Solution
from gradcli.homework.wording import listed, shown
from gradcli.source import Span

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
        found = list(of_question(key))
        help = better_point(key) if any(not one.help for one in found) else ""
        yield from (replace(one, help=one.help or help) for one in found)


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
            for code, message, help in troubles(ask, truth, problem, partial(key.investigation.own, ask)):
                yield Finding(code, key.question.id, ask.written, message, help, ask.span)
    for message in shut(key.solution.graph) if isinstance(key.solution, Solution) else ():
        place = key.question.places.key(*key.question.path)
        yield Finding("saturated", key.question.id, "", message, "", place)


def troubles(
    ask: Ask,
    truth: Value,
    problem: Problem | None,
    own: Owned,
    always: Coincidences | None = None,
    suspects: Suspects | None = None,
) -> Iterator[tuple[str, str, str]]:
    """Yield the faults of one quantity at one point: a key of `KINDS`, a sentence, and help of its own.

    A fault with help of its own is none of the values: it is there whatever they are. Coincidences that are `always`
    there are found if they are not given. Problems of one output may share `suspects`.
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
    found = same_numbers(problem, own, suspects)
    if always is None:
        always = coincidences(problem, own) if found.any() else found
    if right := sorted(found.right - always.right, key=Named.place):
        told = listed(list(dict.fromkeys(one.title for one in right)))
        codes = ", ".join(dict.fromkeys(one.code for one in right))
        yield "collision", f"{ask.written} = {shown(truth)} also comes out if you {told} ({codes})", ""
    for one in sorted(one for one in found.right & always.right if one.is_own):
        told = f"{one.rule} is no mistake: it gives the right {ask.written} whatever the values ({one.code})"
        yield "collision", told, "mend the formula of [[mistake]]"
    sized = {pair for pair in found.pairs & always.pairs if is_sized(pair)}
    for one, other in (*sorted(found.pairs - always.pairs), *sorted(sized))[:PAIRS]:
        told = f"{ask.written} is the same if you {one.at_node} and if you {other.at_node} ({one.code}, {other.code})"
        yield "alike", told, ENTRIES if (one, other) in sized else ""


def better_point(key: Key) -> str:
    """Return values without any finding, written as in the file; "" where none were found."""
    question, solution = key.question, key.solution
    if not isinstance(solution, Solution):
        return better_snippet(key)
    known = {ask: problem for ask in question.asks if (problem := key.problems[ask.quantity]) is not None}
    own = {ask: partial(key.investigation.own, ask) for ask in known}
    always = {ask: coincidences(problem, own[ask]) for ask, problem in known.items() if ask.form == "number"}
    for at in proposals(question, solution):
        moved = solution.moved(at)
        if any(shut(moved)):
            continue
        with np.errstate(all="ignore"):
            if all(is_clean(ask, replace(known[ask], graph=moved, cache={}), own[ask], always[ask]) for ask in always):
                values = ", ".join(f"{name} = {answer(value)}" for name, value in at.items())
                return f"{'values such as ' if question.varies or not question.at else 'at = '}{{ {values} }} would do"
    return ""


def better_snippet(key: Key) -> str:
    """Return tensors for a snippet with which there is no finding."""
    for question, told in other_snippets(key.question):
        question.computing()
        with suppress(UsageError):
            if all(one.help for one in of_question(Key(question, key.assignment))):
                return f"tensors such as {told} would do"
    return ""


def is_clean(ask: Ask, problem: Problem, own: Owned, always: Coincidences) -> bool:
    found = troubles(ask, problem.truth, problem, own, always)
    return problem.truth is not None and all(help for _, _, help in found)
