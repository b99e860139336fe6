"""Spark: frames of points to frames of results, frames of answers to frames of verdicts, through `mapInArrow`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradcli import columns
from gradcli.engines.points import Points
from gradcli.errors import EvaluationError
from gradcli.facts import dataclass
from gradcli.source import visible
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
    function = columns(program, **fixed)
    schema = function.schema(schema_of(frame, function.computation.plan.names))
    return map_batches(frame, Points(function), schema, first_added=len(frame.columns))


def check(assignment: str | Path, frame: DataFrame, *, variants: str | Path | None = None) -> DataFrame:
    """Return a frame of verdicts on a frame of answers, whose rows have student, question, quantity and answer.

    `assignment` is a text or the path of a file, and so are the sheets of the students, `variants`. The results wait on
    the disks of the workers, for what is common in the class is known at the end. Raises GradcliError before there is a
    job.
    """
    from gradcli.engines import answers
    from gradcli.homework.submission.classes import COLUMNS

    answers.refuse_unreadable(schema_of(frame, COLUMNS))
    frame = frame.select(*COLUMNS)
    grades = answers.Grades.of(assignment, variants)
    disks = library("pyspark", "frames of Spark", "spark").StorageLevel.DISK_ONLY
    by_student = map_batches(frame, answers.keyed, answers.keys()).repartition(*tasks(frame), answers.KEY)
    results = map_batches(by_student, grades, answers.pickled(answers.RESULT)).persist(disks)
    habits = map_batches(results, answers.habits, answers.pickled(answers.HABITS)).repartition(1)
    sizes = map_batches(habits, answers.sizes, answers.pickled(answers.SIZES))
    return map_batches(results.crossJoin(sizes.hint("broadcast")), answers.in_class_order, answers.verdicts())


def tasks(frame: DataFrame) -> tuple[int, ...]:
    """Return into how many tasks students are dealt: two for each core, where Spark would make one of a small class."""
    with suppress(Exception):  # a session of Spark Connect does not know its cores
        return (2 * frame.sparkSession.sparkContext.defaultParallelism,)
    return ()


def schema_of(frame: DataFrame, names: Sequence[str]) -> Any:
    """Return the Arrow schema of a frame, whose columns that are not taken may be anything."""
    arrow, pa = types().to_arrow_type, pyarrow()
    zone = {"timezone": "UTC"} if "timezone" in signature(arrow).parameters else {}
    with refused():
        return pa.schema(
            (field.name, arrow(field.dataType, **zone) if field.name in names else pa.null()) for field in frame.schema
        )


def map_batches(frame: DataFrame, work: Work, schema: Any, *, first_added: int = 0) -> DataFrame:
    """Return the frame that the work makes of each partition; its first columns are kept, the others as Spark has them.

    Raises EvaluationError where a column is of a kind that Spark hands to nobody.
    """
    added = types().from_arrow_schema(pyarrow().schema(list(schema)[first_added:]))
    schema_after = type(frame.schema)([*frame.schema.fields[:first_added], *added.fields])
    with refused():
        return frame.mapInArrow(Cast(work, types().to_arrow_schema(added), first_added), schema_after)


@dataclass(frozen=True)
class Cast:
    """The work of a task, whose added columns are in the types that Spark has: no lists of a fixed size."""

    work: Work
    added: Any
    first_added: int

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in self.work(batches):
            fields = [*list(batch.schema)[: self.first_added], *self.added]
            results = zip(batch.columns[self.first_added :], self.added, strict=True)
            cast = [*batch.columns[: self.first_added], *(column.cast(field.type) for column, field in results)]
            yield pyarrow().record_batch(cast, schema=pyarrow().schema(fields))


@contextmanager
def refused() -> Iterator[None]:
    """Turn what Spark says of columns that it does not give to Arrow into an EvaluationError."""
    try:
        yield
    except library("pyspark.errors", "frames of Spark", "spark").PySparkException as error:
        reason = visible(str(error).partition("\n")[0])
        raise EvaluationError(
            "E207", f"Spark does not hand over these columns: {reason:.200}", help="drop them, or cast them"
        ) from None


def types() -> Any:
    """Return the part of Spark that knows the types of Arrow. Raises UsageError where it is not installed."""
    module = library("pyspark.sql.pandas.types", "frames of Spark", "spark")
    pyarrow()
    return module
