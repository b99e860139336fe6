"""Grading: each answer of a submission goes to its question, and the submissions of a class to several processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import chain, islice
from types import MappingProxyType

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.course.elsewhere import Elsewhere
from gradcli.homework.course.variants import NO_SHEET, Variants
from gradcli.homework.diagnose.ordering import ordered
from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.key import Key, on_one_line
from gradcli.homework.model import ENDINGS, Marked, Result, Value
from gradcli.homework.submission.hand_ins import HandIn
from gradcli.homework.submission.labels import Labels, defined_name
from gradcli.homework.submission.plain.numbers import Comma, comma_of
from gradcli.homework.submission.plain.reading import Definition
from gradcli.homework.submission.submissions import Given, Submission
from gradcli.homework.worker import unanswered
from gradcli.workers.limits import Limits
from gradcli.workers.notes import MARK, part
from gradcli.workers.pool import Again, Lost, map_items

ITEM = Limits(10.0)  # of a submission, in CPU seconds
MOST = 16  # submissions that a process gets at once

Place = tuple[str, str]  # question and quantity, as the assignment writes them


def labels_of(assignment: Assignment) -> Labels:
    """Return the labels by which a hand-in names the questions and quantities of an assignment."""
    return Labels(assignment.questions, is_strict=assignment.strict)


class Grader:
    """Grades submissions for one assignment; makes its keys first, each within the limits of an item."""

    def __init__(self, assignment: Assignment, *, is_raw: bool = False, variants: Variants | None = None) -> None:
        self.assignment, self.is_raw, self.variants = assignment, is_raw, variants
        self.keys: dict[str, Key] = {}
        self.labels = labels_of(assignment)
        formulas = (
            question.id for question in assignment.questions if any(ask.form == "expression" for ask in question.asks)
        )
        self.with_formulas = frozenset(() if assignment.strict else formulas)
        for question in assignment.questions:
            question.computing()
            self.keys[question.id] = Key(question, assignment, is_raw=is_raw)
        shared = {id: key for id, key in self.keys.items() if not (variants and key.question.varies)}
        for key in self.keys.values():
            key.investigation.elsewhere = partial(numbers_of, shared)
        self.elsewhere = Elsewhere(self.keys, variants) if variants else None
        self.sheets: dict[str, dict[str, Key]] = {}

    def keys_of(self, student: str) -> dict[str, Key]:
        """Return the keys of the sheet of a student; those of an example where there are no sheets."""
        sheet = self.variants.of(student) if self.variants else None
        if sheet is None:
            return self.keys
        if sheet.student not in self.sheets:
            self.sheets.clear()  # each is asked for by one student alone
            moved = [(id, key.question.moved(sheet.values[id])) for id, key in self.keys.items() if key.question.varies]
            own_keys = {id: Key(question, self.assignment, is_raw=self.is_raw) for id, question in moved}
            self.sheets[sheet.student] = {**self.keys, **own_keys}
            for key in own_keys.values():
                key.investigation.elsewhere = partial(numbers_of, self.sheets[sheet.student])
        return self.sheets[sheet.student]

    def grade(
        self, submission: Submission, ended: Mapping[Place, str] = MappingProxyType({}), *, is_last: bool = False
    ) -> Result:
        """Return the verdicts on a submission, question by question, and then on answers that were not asked for.

        `ended` and `is_last` are those of an `Item`.
        """
        if self.variants and not self.variants.of(submission.student) and not submission.unreadable:
            submission = replace(submission, given=(), unreadable=NO_SHEET)
        keys = self.keys_of(submission.student)
        given: dict[str, dict[Quantity, list[Given]]] = {id: {} for id in keys}
        defined: dict[str, dict[Quantity, tuple[Definition, ...]]] = {id: {} for id in keys}
        above: dict[str, tuple[Definition, ...]] = {}
        unknown: list[Marked] = []
        for place, line in enumerate(submission.given):
            id = self.labels.question(line.question)
            ask = self.labels.ask(id, line.quantity) if id is not None else None
            if id is not None and ask is not None:
                given[id].setdefault(ask.quantity, []).append(line)
                defined[id][ask.quantity] = above.get(id, ())
            name = defined_name(line.quantity) if id in self.with_formulas and line.text else ""
            if id is not None and line.text and name:
                names = (name, *self.labels.names_of(id, ask.quantity)) if ask else (name,)
                above[id] = (*above.get(id, ()), *(Definition(spelling, line.text) for spelling in names))
            is_used = name and any(line.quantity in (other.text or "") for other in submission.given[place + 1 :])
            if ask is None and line.text is not None and not is_used:
                why = self.labels.no_question(line.question) if id is None else self.labels.not_asked(id, line.quantity)
                text = on_one_line(line.text)
                unknown.append(Marked(line.question, line.quantity, text, WITHHELD, "unreadable", 0.0, 0.0, why))
        comma: Comma = comma_of(line.text for line in submission.given if line.text)
        for id, quantity, reason in self.given_up(ended, is_last=is_last):
            given[id][quantity] = [line.ended(reason) for line in given[id].get(quantity, [])]
        answers = [
            answer
            for id, key in keys.items()
            for answer in key.mark(given[id], submission.unreadable, comma, defined[id])
        ]
        if self.elsewhere:
            answers = [self.elsewhere.compare(answer, submission.student, keys, comma) for answer in answers]
        remarks = (submission.unreadable, *submission.remarks) if submission.unreadable else submission.remarks
        details = (remarks, submission.unreadable, submission.reason)
        return ordered(Result(submission.file, submission.student, (*answers, *unknown), *details))

    def given_up(self, ended: Mapping[Place, str], *, is_last: bool) -> Iterator[tuple[str, Quantity, str]]:
        """Yield question, quantity and reason of the answers that are not tried."""
        after, left = "", set(ended)
        for question in self.assignment.questions:
            for ask in question.asks:
                place = (question.id, ask.written)
                reason = ended.get(place, after)
                left.discard(place)
                if reason:
                    yield question.id, ask.quantity, reason
                after = reason if is_last and not left else ""


def numbers_of(keys: Mapping[str, Key]) -> list[tuple[Place, Value]]:
    """Return every right number of some questions, with its place."""
    return [
        ((id, ask.written), key.expected[ask.quantity])
        for id, key in keys.items()
        for ask in key.question.asks
        if ask.form == "number" and isinstance(key.expected[ask.quantity], np.ndarray | np.floating | float)
    ]


@dataclass(frozen=True)
class Item:
    """The work of a student to grade.

    `ended` are the reasons for which grading answers was ended before, by place. With `is_last` no answer is tried that
    comes after them; the whole submission is given up for the reason `lost`, if there is one.
    """

    hand_in: HandIn
    ended: Mapping[Place, str] = field(default_factory=dict)
    is_last: bool = False
    lost: str = ""

    def read(self, labels: Labels) -> Submission:
        return self.hand_in.ended(self.lost) if self.lost else self.hand_in.read(labels)


class Grading:
    """The work of a process: it makes the keys when it is first asked, and grades item after item."""

    def __init__(self, assignment: Assignment, variants: Variants | None = None) -> None:
        self.assignment, self.variants = assignment, variants

    @cached_property
    def grader(self) -> Grader:
        return Grader(self.assignment, variants=self.variants)

    def __call__(self, items: Sequence[Item]) -> list[Result]:
        """Return the results of some items; of none where only the keys are to be made."""
        grader, results = self.grader, []
        for number, item in enumerate(items):
            part(str(number))
            results.append(grader.grade(item.read(grader.labels), item.ended, is_last=item.is_last))
        return results


def graded(
    assignment: Assignment,
    work: Sequence[HandIn],
    jobs: int = 1,
    limits: Limits = ITEM,
    bugs: list[str] | None = None,
    *,
    variants: Variants | None = None,
) -> Iterator[Result]:
    """Return the results of the work of a class, in order, graded in `jobs` processes under limits.

    Students with a sheet of their own have one of the `variants`.

    A file that cannot be read gives an unreadable result, and so does an answer at which a process ended; `bugs` takes
    exceptions that nobody expects. Raises the errors of the assignment, before there is a result.
    """

    def lost(some: list[Item], loss: Lost) -> list[Again]:
        part, *names = loss.at.split(MARK)
        if not some:
            raise unanswered(assignment, loss, limits)
        if loss.reason == "bug" and bugs is not None:
            bugs.append(loss.detail)
        if not (part.isdecimal() and int(part) < len(some)):  # it is at none, or says so
            if len(some) > 1:
                return [Again([item]) for item in some]
            part, names = "0", []
        number = int(part)
        again = [some[:number], [without(some[number], loss, names)], some[number + 1 :]]
        return [Again(items) for items in again if items]

    size = max(1, min(MOST, len(work) // (4 * jobs)))
    each = (Item(hand_in.loaded()) for hand_in in work)
    batches = iter(lambda: list(islice(each, size)), [])
    results = map_items(
        Grading(assignment, variants), chain([[]] * jobs, batches), jobs, limits, lost, kind=list[Result],
        parts=lambda some: len(some) + len(assignment.questions), fits=are_about,
    )  # fmt: skip
    for _ in range(jobs):  # keys that cannot be made end it before anything is written
        next(results)
    return chain.from_iterable(results)


def are_about(items: Sequence[Item], results: Sequence[Result]) -> bool:
    """Return whether results are of these items."""
    return [item.hand_in.name for item in items] == [result.file for result in results]


def without(item: Item, loss: Lost, names: Sequence[str]) -> Item:
    """Return an item without the answer at which a process ended, or without any where it was at none."""
    reason = "crash" if loss.reason in ("bug", "error") else loss.reason
    if item.lost:
        raise EvaluationError("E210", f"{item.hand_in.file.path} cannot be graded: {ENDINGS[reason]}")
    if len(names) != 2 or item.is_last:
        return replace(item, lost=reason)
    question, quantity = names
    return replace(item, ended={**item.ended, (question, quantity): reason}, is_last=bool(item.ended))
