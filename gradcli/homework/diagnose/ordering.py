"""The order of diagnoses that explain one number: what the student does again and again, then what the class does."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from tempfile import TemporaryFile

from gradcli.homework.mistakes.catalogue import LATE
from gradcli.homework.model import Diagnosis, Marked, Result


def in_class_order(results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results of a class with the mistakes that it makes most often first.

    Whether a mistake is common is known at the end, so the results wait in a file: the memory stays flat, and the order
    is the same for any number of processes.
    """
    counts: Counter[str] = Counter()
    with TemporaryFile() as file:
        written = 0
        for result in results:
            counts.update(alone(result))
            pickle.dump(result, file, pickle.HIGHEST_PROTOCOL)
            written += 1
        file.seek(0)
        for _ in range(written):
            yield ordered(pickle.load(file), counts)


def alone(result: Result) -> Iterator[str]:
    """Yield the mistakes that alone explain an answer."""
    for answer in result.answers:
        codes = {one.code for one in answer.diagnoses}
        if len(codes) == 1:
            yield from codes


def ordered(result: Result, of_class: Mapping[str, int]) -> Result:
    """Sort the diagnoses: a mistake that explains several answers to a question, then what is common, comes first."""
    own = Counter((answer.question, code) for answer in result.answers for code in {d.code for d in answer.diagnoses})

    def key(answer: Marked, one: Diagnosis) -> tuple[float, ...]:
        again = own[answer.question, one.code] if own[answer.question, one.code] > 1 else 0
        return (" + " in one.code, one.code in LATE, -again, -of_class.get(one.code, 0))

    if all(len(answer.diagnoses) < 2 for answer in result.answers):
        return result
    answers = (
        replace(answer, diagnoses=tuple(sorted(answer.diagnoses, key=lambda one: key(answer, one))))
        if len(answer.diagnoses) > 1
        else answer
        for answer in result.answers
    )
    return replace(result, answers=tuple(answers))
