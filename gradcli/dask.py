"""Dask: frames of points to frames of results, frames of answers to frames of verdicts, through `map_partitions`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli import columns
from gradcli.engines.points import Points
from gradcli.errors import EvaluationError
from gradcli.facts import dataclass
from gradcli.stream.arrow.library import library, pyarrow

if TYPE_CHECKING:
    from dask.dataframe import DataFrame

Work = Callable[[Iterable[Any]], Iterator[Any]]


def batch(frame: DataFrame, program: str, /, **fixed: Any) -> DataFrame:
    """Return a frame with the results of a program at each of its rows: value, a d_NAME each, and error.

    `fixed` and its keywords are those of `gradcli.columns`. The results are columns of Arrow, in which null is not nan.
    Raises GradcliError before there is a job where the program cannot take the columns of the frame.
    """
    function = columns(program, **fixed)
    empty = partition_of(frame)
    names = function.computation.plan.names
    schema_after = function.schema(schema_of(empty, names))
    inputs = [name for name in empty.columns if name in names] or list(empty.columns[:1])  # which says how many rows
    schema = function.schema(schema_of(empty[inputs], inputs))
    work = WithResults(Mapped(inputs, Points(function), schema), schema_after.names[len(empty.columns) :])
    return frame.map_partitions(work, meta=work(empty))


def check(assignment: str | Path, frame: DataFrame, *, variants: str | Path | None = None) -> DataFrame:
    """Return a frame of verdicts on a frame of answers, whose rows have student, question, quantity and answer.

    `assignment` is a text or the path of a file, and so are the sheets of the students, `variants`. Raises GradcliError
    before there is a job.
    """
    from gradcli.engines import answers
    from gradcli.homework.submission.classes import COLUMNS

    empty = partition_of(frame)
    answers.refuse_unreadable(schema_of(empty, COLUMNS))
    grades = answers.Grades.of(assignment, variants)
    by_student = run_work(frame, Mapped(list(COLUMNS), answers.keyed, answers.keys())).shuffle(on=answers.KEY)
    results = run_work(by_student, Mapped([answers.KEY, *COLUMNS], grades, answers.pickled(answers.RESULT)))
    habits = run_work(results, Mapped([answers.RESULT], answers.habits, answers.pickled(answers.HABITS)))
    sizes = run_work(
        habits.repartition(npartitions=1), Mapped([answers.HABITS], answers.sizes, answers.pickled(answers.SIZES))
    )
    verdicts = Mapped([answers.RESULT, answers.SIZES], answers.in_class_order, answers.verdicts())
    return results.map_partitions(WithColumn(verdicts), sizes[answers.SIZES], meta=verdicts.empty())


def run_work(frame: DataFrame, work: Mapped) -> DataFrame:
    """Return the frame that the work makes of each partition."""
    return frame.map_partitions(work, meta=work.empty())


@dataclass(frozen=True)
class Mapped:
    """The work of a task on some columns of a partition, in a schema."""

    names: list[str]
    work: Work
    schema: Any

    def __call__(self, partition: Any) -> Any:
        table = pyarrow().table({name: arrow_of(partition[name]) for name in self.names})
        batches = self.work(table.combine_chunks().to_batches())
        return self.frame_of(pyarrow().Table.from_batches(batches, self.schema))

    def empty(self) -> Any:
        """Return results without rows."""
        return self.frame_of(self.schema.empty_table())

    def frame_of(self, table: Any) -> Any:
        return table.to_pandas(types_mapper=import_module("pandas").ArrowDtype)


@dataclass(frozen=True)
class WithResults:
    """The work of a task, whose results are added to the partition."""

    mapped: Mapped
    added: list[str]

    def __call__(self, partition: Any) -> Any:
        results = self.mapped(partition)[self.added].set_axis(partition.index)
        return import_module("pandas").concat([partition, results], axis=1)


@dataclass(frozen=True)
class WithColumn:
    """The work of a task, whose partition has one more column, the same in all rows."""

    mapped: Mapped

    def __call__(self, partition: Any, column: Any) -> Any:
        return self.mapped(partition.assign(**{column.name: [*column] * len(partition)}))


def partition_of(frame: DataFrame) -> Any:
    """Return a partition without rows. Raises UsageError where Dask is not installed."""
    library("dask.dataframe", "frames of Dask", "dask")
    return frame._meta


def schema_of(empty: Any, names: Sequence[str]) -> Any:
    """Return the Arrow schema of a partition, whose columns that are not taken may be anything."""
    pa = pyarrow()
    return pa.schema((str(name), type_of(name, empty[name]) if name in names else pa.null()) for name in empty.columns)


def type_of(name: str, column: Any) -> Any:
    """Return the Arrow type of an empty column of pandas; that of objects is string, for most of them are.

    Raises EvaluationError where Arrow has no such type.
    """
    pa = pyarrow()
    try:
        return pa.string() if column.dtype == object else arrow_of(column).type
    except (pa.ArrowException, TypeError):
        message = f"the column {name} has {column.dtype}, which Arrow has not"
        raise EvaluationError("E207", message, help="give floats, integers or booleans") from None


def arrow_of(column: Any) -> Any:
    """Return a column of pandas in Arrow: nan in an array of numpy is a number, not a null."""
    is_array = isinstance(column.dtype, np.dtype) and column.dtype != object
    return pyarrow().array(column.to_numpy() if is_array else column)
