"""Grade a large class on an engine or on one process: `python -m tests.engines dask --students 100000`.

The students repeat a class of a few hundred. It prints rows, seconds, those of processors (of all processes that have
ended), and a checksum of the verdicts in the order of the students, which is the same wherever they are graded.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from gradcli.engines.answers import SIZES, Grades, habits, in_class_order, keyed, sizes
from gradcli.homework.submission.classes import COLUMNS
from tests.engines.clusters import CLUSTERS, PYTHON
from tests.homework.klass.course import questions
from tests.homework.klass.model import Asked
from tests.homework.klass.students import students
from tests.homework.klass.table import plainly

DISTINCT, QUESTIONS, SEED = 500, 2, 7
Graded = Callable[[str, Any], Any]


def repeated(count: int) -> tuple[str, Any]:
    """Return an assignment, and the answers of so many students."""
    asked = questions(SEED)[:QUESTIONS]
    sheets = [
        [(one.question, one.quantity, None if one.value is None else plainly(one)) for one in student.answers]
        for student in students(asked, min(count, DISTINCT), SEED)
    ]
    rows = [(f"s{number:06}", *answer) for number in range(count) for answer in sheets[number % len(sheets)]]
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    return "".join(map(Asked.toml, asked)), pa.table(columns)


@contextmanager
def one_process() -> Iterator[Graded]:
    def graded(assignment: str, table: Any) -> Any:
        results = list(Grades.of(assignment, None)(keyed(table.combine_chunks().to_batches())))
        (size,) = sizes(habits(results))
        known = [batch.append_column(SIZES, pa.repeat(size[SIZES][0], len(batch))) for batch in results]
        return pa.Table.from_batches(in_class_order(known))

    yield graded


@contextmanager
def on(engine: str) -> Iterator[Graded]:
    with CLUSTERS[engine]() as cluster:
        yield lambda assignment, table: cluster.table(cluster.module.check(assignment, cluster.frame(table)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.engines", description=__doc__)
    parser.add_argument("engine", choices=["one", *CLUSTERS])
    parser.add_argument("--students", type=int, default=100_000)
    given = parser.parse_args()
    os.environ.update(PYTHON)
    assignment, table = repeated(given.students)
    with one_process() if given.engine == "one" else on(given.engine) as graded:
        start = time.monotonic()
        verdicts = graded(assignment, table)
        seconds = time.monotonic() - start
    rows = verdicts.sort_by([(name, "ascending") for name in COLUMNS]).to_pylist()
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in usage)
    checksum = hashlib.sha256(repr(rows).encode()).hexdigest()[:16]
    print(f"{given.engine}: {len(rows):,} verdicts in {seconds:.1f} s, {cpu:.1f} s of processors, checksum {checksum}")


if __name__ == "__main__":  # the workers import this file, too
    main()
