"""The order of diagnoses that explain one number: what the student does again and again, then what the class does."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import islice
from math import log10
from tempfile import TemporaryFile
from types import MappingProxyType

from gradcli.facts import dataclass
from gradcli.homework.mistakes.catalogue import KIN, LATE, TIERS
from gradcli.homework.mistakes.forward import LAST
from gradcli.homework.model import Diagnosis, Marked, Result

TOGETHER = 16  # results that wait in one piece: much of them is the same
UNLIKELY = 100  # the rank from which a mistake disagrees with the rest of a sheet
Kind = tuple[str, str]  # the code of a mistake, and the way in which it is made
Sizes = Mapping[Kind, int]
NO_CLASS: Sizes = MappingProxyType({})


@dataclass
class Habits:
    """The rate of each kind of mistake in a class: answers that nothing else explains, over places."""

    alone: Counter[Kind] = field(default_factory=Counter)
    places: dict[Kind, set[tuple[str, str]]] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        for answer in result.answers:
            kinds = {kind(diagnosis) for diagnosis in answer.diagnoses}
            for mistake in kinds:
                self.places.setdefault(mistake, set()).add((answer.question, answer.quantity))
            if len(kinds) == 1:
                self.alone.update(kinds)

    def update(self, others: Habits) -> None:
        """Add the habits of other students of the class."""
        self.alone.update(others.alone)
        for mistake, places in others.places.items():
            self.places.setdefault(mistake, set()).update(places)

    def sizes(self) -> Sizes:
        """Return the order of magnitude of each kind: a few more or less say little about a single answer."""
        return {mistake: int(log10(1 + self.alone[mistake] / len(places))) for mistake, places in self.places.items()}


def in_class_order(results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results of a class with the mistakes that it makes most often first.

    Whether a mistake is common is known at the end, so the results wait in a file: the memory stays flat, and the order
    is the same for any number of processes.
    """
    habits, count, waiting = Habits(), 0, iter(results)
    with TemporaryFile() as file:
        while some := list(islice(waiting, TOGETHER)):
            for result in some:
                habits.add(result)
            pickle.dump(some, file, pickle.HIGHEST_PROTOCOL)
            count += 1
        file.seek(0)
        sizes = habits.sizes()
        for _ in range(count):
            yield from (ordered(result, sizes) for result in pickle.load(file))


def ordered(result: Result, sizes: Sizes = NO_CLASS) -> Result:
    """Sort the diagnoses: a mistake that explains several answers to a question, then what is common, comes first.

    `sizes` says how common each is in the class.
    """
    counts = Counter(
        (answer.question, *kinds)
        for answer in result.answers
        if len(kinds := set(map(kind, answer.diagnoses))) == 1  # others may be there by accident
    )

    def key(answer: Marked, diagnosis: Diagnosis) -> tuple[int, ...]:
        return (
            *weight(diagnosis),
            diagnosis.rank,
            -counts[answer.question, kind(diagnosis)],
            -sizes.get(kind(diagnosis), 0),
        )

    def sorted_answer(answer: Marked) -> Marked:
        if len(answer.diagnoses) < 2:
            return answer
        diagnoses = tuple(sorted(answer.diagnoses, key=lambda diagnosis: key(answer, diagnosis)))
        return replace(answer, diagnoses=diagnoses) if diagnoses != answer.diagnoses else answer

    if all(len(answer.diagnoses) < 2 for answer in result.answers):
        return result
    return replace(result, answers=tuple(map(sorted_answer, result.answers)))


def weight(diagnosis: Diagnosis) -> tuple[int, ...]:
    """Return the order of diagnoses before anything is known of the student: two mistakes at once are rare."""
    is_unlikely = diagnosis.rank >= UNLIKELY
    rank = diagnosis.rank - UNLIKELY * is_unlikely
    remote = diagnosis.code in LATE or rank > LAST
    return " + " in diagnosis.code, remote, TIERS.get(diagnosis.code, 0), is_unlikely


def settled(causes: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """Return diagnoses that are certain only if one mistake alone is left: none other gives the number, likely or not.

    A slip in the forward pass counts, too, though the student's values may speak against it: they are not what all of
    the number came from.
    """
    causes = tuple(causes)
    left = {kin(cause.code) for cause in causes if " + " not in cause.code}
    alone = causes and causes[0].certain and len(left) == 1
    return tuple(replace(cause, certain=False) if cause.certain and not (alone and kin(cause.code) in left) else cause
                 for cause in causes)  # fmt: skip


def kin(code: str) -> str:
    """Return the code of a mistake, one for two that are the same in other words."""
    return KIN.get(code, code)


def kind(diagnosis: Diagnosis) -> Kind:
    return diagnosis.code, diagnosis.kind
