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
    return replace(answer, elsewhere=(), diagnoses=tuple(replace(one, rule="") for one in answer.diagnoses))


def _answer(answer: Marked, level: str) -> Marked:
    return replace(
        answer,
        expected=WITHHELD,
        remark="" if answer.verdict in TELLING else answer.remark,
        diagnoses=_diagnoses(answer.diagnoses, level),
        elsewhere=(),
        ledger=tuple(Branch(branch.path, WITHHELD, branch.present) for branch in answer.ledger if level == "rule"),
    )


def hinted(one: Diagnosis) -> str:
    """Return a message without a factor, a sign or a layout that gives the answer away."""
    codes = one.code.split(" + ")
    if len(codes) > 1:
        return f"it may be two mistakes: you {', and you '.join(TITLES[code] for code in dict.fromkeys(codes))}"
    is_of_program = one.node.startswith("line ")
    return HINTS[one.code].replace("{node}", one.node) if one.code in HINTS and not is_of_program else one.message


def _diagnoses(diagnoses: tuple[Diagnosis, ...], level: str) -> tuple[Diagnosis, ...]:
    """Drop the numbers, and then all but the first of equal diagnoses."""
    if level == "verdict":
        return ()
    if level == "node":
        named = [one for one in diagnoses if one.node]
        again = ((f"look again at {d.node}", d) for d in named)
        kept = [Diagnosis("", d.node, "", told, "", WITHHELD, d.certain, vertex=d.vertex) for told, d in again]
    else:
        kept = [replace(one, rule="", message=hinted(one), detail="", value=WITHHELD) for one in diagnoses]
    found: dict[tuple[str, ...], Diagnosis] = {}
    for one in kept:
        first = found.setdefault((one.code, one.node, one.rule, one.message), one)
        if one.certain and not first.certain:
            found[one.code, one.node, one.rule, one.message] = one
    return tuple(found.values())
