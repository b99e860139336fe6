"""Levels of disclosure: a student may be shown less of a result than a teacher."""

from __future__ import annotations

from dataclasses import replace

from gradcli.homework.mistakes.catalogue import HINTS, TITLES
from gradcli.homework.model import Branch, Diagnosis, Marked, Result, Withheld

LEVELS = ("verdict", "node", "rule", "value")  # each shows more than the one before
TELLING = frozenset(("wrong", "shape", "precision", "carried"))  # verdicts whose remark may hold the right answer


WITHHELD = Withheld.WITHHELD


def revealed(result: Result, level: str) -> Result:
    """Return the part of a result that a level of `LEVELS` shows; verdicts and points are the same at every level.

    `verdict` shows nothing else; `node` also where to look again; `rule` the mistake, and the paths that an answer has
    and lacks, without numbers or anything else from which the answer follows; `value` everything. Raises ValueError for
    another level.
    """
    if level not in LEVELS:
        raise ValueError(f"{level!r} is none of {', '.join(LEVELS)}")
    if level == "value":
        return result
    return replace(result, answers=tuple(_answer(answer, level) for answer in result.answers))


def for_student(result: Result) -> Result:
    """Return a result as a student may read it.

    It says nothing about other students, and no wrong rule: with the code name, that is for teachers.
    """
    return replace(result, answers=tuple(map(_own, result.answers)))


def _own(answer: Marked) -> Marked:
    return replace(answer, elsewhere=(), diagnoses=tuple(replace(diagnosis, rule="") for diagnosis in answer.diagnoses))


def _answer(answer: Marked, level: str) -> Marked:
    return replace(
        answer,
        expected=WITHHELD,
        remark="" if answer.verdict in TELLING else answer.remark,
        diagnoses=_diagnoses(answer.diagnoses, level),
        elsewhere=(),
        ledger=tuple(Branch(branch.path, WITHHELD, branch.present) for branch in answer.ledger if level == "rule"),
    )


def hinted(cause: Diagnosis) -> str:
    """Return a message without a factor, a sign or a layout that gives the answer away."""
    codes = cause.code.split(" + ")
    if len(codes) > 1:
        return f"it may be two mistakes: you {', and you '.join(TITLES[code] for code in dict.fromkeys(codes))}"
    is_of_program = cause.node.startswith("line ")
    return (
        HINTS[cause.code].replace("{node}", cause.node) if cause.code in HINTS and not is_of_program else cause.message
    )


def _diagnoses(diagnoses: tuple[Diagnosis, ...], level: str) -> tuple[Diagnosis, ...]:
    """Drop the numbers, and then all but the first of equal diagnoses."""
    if level == "verdict":
        return ()
    if level == "node":
        named = [cause for cause in diagnoses if cause.node]
        again = ((f"look again at {d.node}", d) for d in named)
        kept = [Diagnosis("", d.node, "", message, "", WITHHELD, d.certain, vertex=d.vertex) for message, d in again]
    else:
        kept = [replace(cause, rule="", message=hinted(cause), detail="", value=WITHHELD) for cause in diagnoses]
    merged: dict[tuple[str, ...], Diagnosis] = {}
    for cause in kept:
        first = merged.setdefault((cause.code, cause.node, cause.rule, cause.message), cause)
        if cause.certain and not first.certain:
            merged[cause.code, cause.node, cause.rule, cause.message] = cause
    return tuple(merged.values())
