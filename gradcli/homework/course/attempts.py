"""Several attempts of one student: which one counts, and what it loses for coming late."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from gradcli.homework.model import Result, added
from gradcli.homework.submission.hand_ins import HandIn
from gradcli.homework.submission.names import identity

RULES = ("best", "last")


def to_grade(items: Iterable[HandIn], rule: str) -> Iterator[HandIn]:
    """Yield the attempts that are graded: all for `best`; the last one of each student for `last`."""
    for _, group in groupby(items, key=lambda item: identity(item.student)):
        own = list(group)
        unclear = [item for item in own if item.submission is not None and item.submission.unreadable]
        if unclear:  # two files of one attempt: nobody can say which of them counts
            yield unclear[0]
        else:
            yield from [max(own, key=number)] if rule == "last" else own


def counted(graded: Iterable[tuple[HandIn, Result]], penalty: float) -> Iterator[Result]:
    """Yield the result of each student that counts: the best one, of equal ones the first, less its penalty."""
    for _, group in groupby(graded, key=lambda pair: identity(pair[0].student)):
        own = [(number(item), lowered(result, factor(number(item), penalty))) for item, result in group]
        best, result = max(own, key=lambda pair: (pair[1].score, -pair[0]))
        note = said(best, len(own), factor(best, penalty))
        yield replace(result, notes=(*result.notes, note)) if note else result


def number(item: HandIn) -> int:
    """Return the number of an attempt; one without is the first."""
    return item.attempt or 1


def factor(attempt: int, penalty: float) -> float:
    """Return the share of the points that is left to an attempt."""
    return max(0.0, 1 - penalty * (attempt - 1))


def lowered(result: Result, share: float) -> Result:
    """Return a result with a share of its points."""
    if share == 1:
        return result
    answers = (replace(answer, points=added((answer.points * share,))) for answer in result.answers)
    return replace(result, answers=tuple(answers))


def said(attempt: int, graded: int, share: float) -> str:
    """Say which attempt counts; "" for a first one alone."""
    if attempt == graded == 1:
        return ""
    others = f" as the best of {graded}" if graded > 1 else ""
    less = f", with {100 * share:.3g}% of its points" if share != 1 else ""
    return f"attempt {attempt} counts{others}{less}"
