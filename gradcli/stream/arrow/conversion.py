"""From batches of points to batches of results: at once where that is possible, else in processes, each row walled."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import field
from operator import attrgetter
from typing import Any, NamedTuple

from gradcli.facts import dataclass
from gradcli.stream.arrow.computation import Computation, Computed, Given, blank
from gradcli.stream.arrow.forms import Forms
from gradcli.stream.arrow.tables import assembled, given_of
from gradcli.stream.losses import Replacement, ended
from gradcli.workers.limits import Limits
from gradcli.workers.pool import Again, Answered, Lost, mapped

LITTLE = 256  # rows that a process computes one by one before it answers


class Rows(NamedTuple):
    """Points to compute one by one."""

    given: Given


def is_about(rows: Rows, found: Computed) -> bool:
    """Return whether results are of so many rows as were given, and errors of these."""
    columns = (found.value, *(one for one in found.gradients.values() if one is not None))
    count = rows.given.count
    return all(len(one) == count for one in columns) and all(0 <= row < count for row in found.errors)


@dataclass
class OneByOne:
    """The work of each process."""

    computation: Computation
    forms: Forms

    def __call__(self, rows: Rows) -> Computed:
        return self.computation.one_by_one(rows.given, self.forms)


@dataclass
class Conversion:
    """Computes batches of one schema; `bugs` takes exceptions that nobody expects.

    `before_processes` is called before there are any. If it `is_prompt`, results of a batch do not wait for the next.
    """

    computation: Computation
    schema: Any
    forms: Forms
    jobs: int
    limits: Limits
    bugs: list[str]
    before_processes: Callable[[], None]
    is_prompt: bool = False
    waiting: deque[tuple[Any, int]] = field(default_factory=deque)  # batches, and the rows of each that are done

    def converted(self, batches: Iterable[Any]) -> Generator[tuple[Any, Computed]]:
        """Yield the results as batches, in order and perhaps smaller, with the facts of each."""
        work = OneByOne(self.computation, self.forms)
        items = self._items(batches)
        parts = attrgetter("given.count")
        for found in mapped(work, items, self.jobs, self.limits, self._lost, kind=Computed, parts=parts, fits=is_about):
            batch, done = self.waiting.popleft()
            part = batch if found.count == len(batch) else batch.slice(done, found.count)
            if done + found.count < len(batch):
                self.waiting.appendleft((batch, done + found.count))
            has_nulls = self.computation.plan.task.nonfinite == "null"
            yield assembled(part, found, self.schema, self.forms, has_nulls=has_nulls), found

    def _items(self, batches: Iterable[Any]) -> Iterator[Rows | Answered | None]:
        for batch in batches:
            if not len(batch):
                continue
            self.waiting.append((batch, 0))
            given = given_of(self.computation, batch)
            found = self.computation.at_once(given, self.forms)
            if found is not None:
                yield Answered(found)
                continue
            self.before_processes()
            for start in range(0, given.count, LITTLE):
                yield Rows(given.rows(start, min(start + LITTLE, given.count)))
            if self.is_prompt:
                yield None

    def _lost(self, rows: Rows, loss: Lost) -> list[Replacement]:
        """Return the rows before the lost one again, its error, and the rows after it again."""
        given, count = rows.given, rows.given.count
        if not (loss.at.isdecimal() and int(loss.at) < count):
            if count > 1:
                return [Again(Rows(given.rows(row, row + 1))) for row in range(count)]
            return [self._refused(loss)]
        row = int(loss.at)
        before = [Again(Rows(given.rows(0, row)))] if row else []
        after = [Again(Rows(given.rows(row + 1, count)))] if row + 1 < count else []
        return [*before, self._refused(loss), *after]

    def _refused(self, loss: Lost) -> Answered:
        value, gradients = blank(self.forms, 1)
        return Answered(Computed(value, gradients, {0: ended(loss, self.limits, self.bugs)}))
