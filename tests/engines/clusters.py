"""The engines, each with two workers on this machine, behind one face: tables in, tables out, a worker that dies."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Cluster:
    """`frame` makes a frame of a table, `table` a table of a frame, with the job; `dying` ends one worker once.

    `options` are those by which a script uses it.
    """

    name: str
    options: list[str]
    module: Any
    frame: Callable[[Any], Any]
    table: Callable[[Any], Any]
    dying: Callable[[Any, str, str, Path], Any]


@contextmanager
def dask() -> Iterator[Cluster]:
    """Two processes; the one that meets the fatal row is killed with all that it has computed, and begun anew."""
    frames, distributed = pytest.importorskip("dask.dataframe"), pytest.importorskip("distributed")
    pandas, pa = import_module("pandas"), import_module("pyarrow")

    def frame(table: Any) -> Any:
        return frames.from_pandas(table.to_pandas(types_mapper=pandas.ArrowDtype), npartitions=3, sort=False)

    def dying(frame: Any, column: str, fatal: str, mark: Path) -> Any:
        end = once(mark)
        return frame.map_partitions(lambda part: end(part) if (part[column] == fatal).any() else part, meta=frame._meta)

    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs="ERROR")
    with cluster, distributed.Client(cluster):
        yield Cluster(
            "dask",
            ["--address", cluster.scheduler_address],
            import_module("gradcli.dask"),
            frame,
            lambda frame: pa.Table.from_pandas(frame.compute(), preserve_index=False),
            dying,
        )


@contextmanager
def spark() -> Iterator[Cluster]:
    """Two threads with a process each; the one that meets the fatal row is killed, and its task tried again."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("no Java")
    builder = sql.SparkSession.builder.master("local[2,3]")
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": 3,
        "spark.log.level": "OFF",
    }
    session = builder.config(map=options).getOrCreate()

    def dying(frame: Any, column: str, fatal: str, mark: Path) -> Any:
        end = once(mark)
        return frame.mapInArrow(
            lambda parts: (end(part) if fatal in part.column(column).to_pylist() else part for part in parts),
            frame.schema,
        )

    try:
        yield Cluster(
            "spark",
            [],
            import_module("gradcli.spark"),
            lambda table: session.createDataFrame(table).repartition(3),
            lambda frame: frame.toArrow(),
            dying,
        )
    finally:
        session.stop()


def once(mark: Path) -> Callable[[Any], Any]:
    """Return a function that ends its process the first time, and later gives its argument back."""
    path, of_tests = str(mark), os.getpid()

    def end(part: Any) -> Any:  # sent by value, for the processes of an engine do not know the tests
        import os
        import signal

        if os.getpid() == of_tests:
            raise AssertionError("no worker of the engine has this part, but the tests' own process")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
        return part

    return end


CLUSTERS = {"dask": dask, "spark": spark}
PYTHON = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
