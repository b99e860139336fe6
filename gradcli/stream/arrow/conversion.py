"""From batches of points to batches of results: at once where that is possible, else in processes, each row walled."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import field
from operator import attrgetter
from typing import Any, NamedTuple

from gradcli.facts import dataclass
from gradcli.stream.arrow.computation import Computation, Computed, Forms, Inputs, blank
from gradcli.stream.arrow.tables import assembled, inputs_of
from gradcli.stream.conversion import Replacement, error_of_loss
from gradcli.workers.limits import Limits
from gradcli.workers.pool import Again, Answered, Lost, map_items


class Rows(NamedTuple):
    """Points to compute one by one."""

    inputs: Inputs


def is_about(rows: Rows, results: Computed) -> bool:
    """Return whether results are of so many rows as were given, and errors of these."""
    columns = (results.value, *(column for column in results.gradients.values() if column is not None))
    count = rows.inputs.count
    return all(len(column) == count for column in columns) and all(0 <= row < count for row in results.errors)


@dataclass
class OneByOne:
    """The work of each process."""

    computation: Computation
    forms: Forms

    def __call__(self, rows: Rows) -> Computed:
        return self.computation.one_by_one(rows.inputs, self.forms)


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
        parts = attrgetter("inputs.count")
        results = map_items(
            work, self._items(batches), self.jobs, self.limits, self._lost, kind=Computed, parts=parts, fits=is_about
        )
        for result in results:
            batch, rows_done = self.waiting.popleft()
            rows = batch if result.count == len(batch) else batch.slice(rows_done, result.count)
            if rows_done + result.count < len(batch):
                self.waiting.appendleft((batch, rows_done + result.count))
            has_nulls = self.computation.plan.task.nonfinite == "null"
            yield assembled(rows, result, self.schema, self.forms, has_nulls=has_nulls), result

    def _items(self, batches: Iterable[Any]) -> Iterator[Rows | Answered | None]:
        for batch in batches:
            if not len(batch):
                continue
            self.waiting.append((batch, 0))
            inputs = inputs_of(self.computation, batch)
            results = self.computation.at_once(inputs, self.forms)
            if results is not None:
                yield Answered(results)
                continue
            self.before_processes()
            for rows in inputs.split():
                results = self.computation.at_once(rows, self.forms)
                yield Rows(rows) if results is None else Answered(results)
            if self.is_prompt:
                yield None

    def _lost(self, rows: Rows, loss: Lost) -> list[Replacement]:
        """Return the rows before the lost one again, its error, and the rows after it again."""
        inputs, count = rows.inputs, rows.inputs.count
        if not (loss.at.isdecimal() and int(loss.at) < count):
            if count > 1:
                return [Again(Rows(inputs.rows(row, row + 1))) for row in range(count)]
            return [self._refused(loss)]
        row = int(loss.at)
        before = [Again(Rows(inputs.rows(0, row)))] if row else []
        after = [Again(Rows(inputs.rows(row + 1, count)))] if row + 1 < count else []
        return [*before, self._refused(loss), *after]

    def _refused(self, loss: Lost) -> Answered:
        value, gradients = blank(self.forms, 1)
        return Answered(Computed(value, gradients, {0: error_of_loss(loss, self.limits, self.bugs)}))
