"""Spark: frames of points to frames of results, frames of answers to frames of verdicts, through `mapInArrow`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradcli import columns
from gradcli.engines.points import Points
from gradcli.stream.arrow.library import library, pyarrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Work = Callable[[Iterable[Any]], Iterator[Any]]


def batch(frame: DataFrame, program: str, /, **fixed: Any) -> DataFrame:
    """Return a frame with the results of a program at each of its rows: value, a d_NAME each, and error.

    `fixed` and its keywords are those of `gradcli.columns`. Spark has no lists of a fixed size: a tensor comes in as a
    column for each entry, which `stack` puts together, and goes out as a list. Raises GradcliError before there is a
    job where the program cannot take the columns of the frame.
    """
    function, schema = columns(program, **fixed), schema_of(frame)
    return mapped(frame, Points(function), function.schema(schema))


def check(assignment: str | Path, frame: DataFrame, *, variants: str | Path | None = None) -> DataFrame:
    """Return a frame of verdicts on a frame of answers, whose rows have student, question, quantity and answer.

    `assignment` is a text or the path of a file, and so are the sheets of the students, `variants`. The results wait on
    the disks of the workers, for what is common in the class is known at the end. Raises GradcliError before there is a
    job.
    """
    from gradcli.engines import answers

    answers.readable(schema_of(frame))
    grades = answers.Grades.of(assignment, variants)
    disks = library("pyspark", "frames of Spark", "spark").StorageLevel.DISK_ONLY
    by_student = mapped(frame, answers.keyed, answers.keys()).repartition(*tasks(frame), answers.KEY)
    results = mapped(by_student, grades, answers.pickled(answers.RESULT)).persist(disks)
    habits = mapped(results, answers.habits, answers.pickled(answers.HABITS)).repartition(1)
    sizes = mapped(habits, answers.sizes, answers.pickled(answers.SIZES))
    return mapped(results.crossJoin(sizes.hint("broadcast")), answers.in_class_order, answers.verdicts())


def tasks(frame: DataFrame) -> tuple[int, ...]:
    """Return into how many tasks students are dealt: two for each core, where Spark would make one of a small class."""
    with suppress(Exception):  # a session of Spark Connect does not know its cores
        return (2 * frame.sparkSession.sparkContext.defaultParallelism,)
    return ()


def schema_of(frame: DataFrame) -> Any:
    """Return the Arrow schema of a frame."""
    known = types()
    return known.to_arrow_schema(frame.schema)


def mapped(frame: DataFrame, work: Work, schema: Any) -> DataFrame:
    """Return the frame that the work makes of each partition, in a schema as Spark knows it."""
    known = types().from_arrow_schema(schema)
    return frame.mapInArrow(Cast(work, types().to_arrow_schema(known)), known)


@dataclass(frozen=True)
class Cast:
    """The work of a task, whose results are in the types that Spark has: no lists of a fixed size."""

    work: Work
    schema: Any

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in self.work(batches):
            yield batch if batch.schema.equals(self.schema) else batch.cast(self.schema)


def types() -> Any:
    """Return the part of Spark that knows the types of Arrow. Raises UsageError where it is not installed."""
    found = library("pyspark.sql.pandas.types", "frames of Spark", "spark")
    pyarrow()
    return found
