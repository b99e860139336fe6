"""Files of columns against scripts of pyarrow and numpy that a person writes for the same job, derivatives by hand."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from tests.benchmarks.commands import ENVIRONMENT, GRADCLI, PROGRAM, PYTHON, compared
from tests.benchmarks.graphs import BYTES
from tests.benchmarks.table import ROOT, Bound, Row

ROWS = 1_000_000
MORE = 4  # times as many, by which the memory must not grow
RUNS = 3
WRITTEN_BY_HAND = """
import sys
import pyarrow as pa

def with_results(batch):
    x1, a, x2 = (batch.column(name).to_numpy() for name in ("x1", "a", "x2"))
    u = x1 + a * x2
    columns = [*batch.columns, *map(pa.array, (u**2, 2 * u, 2 * u * x2, 2 * u * a))]
    return type(batch).from_arrays(columns, names=["x1", "a", "x2", "value", "d_x1", "d_a", "d_x2"])
"""
PARQUET = f"""{WRITTEN_BY_HAND}
import pyarrow.parquet as pq
source, writer = pq.ParquetFile(sys.argv[1]), None
for batch in source.iter_batches():
    found = with_results(batch)
    writer = writer or pq.ParquetWriter(sys.argv[2], found.schema)
    writer.write_batch(found)
writer.close()
"""
CSV = f"""{WRITTEN_BY_HAND}
import pyarrow.csv as pc
pc.write_csv(with_results(pc.read_csv(sys.argv[1])), sys.argv[2])
"""
POINTS = """
import sys, numpy as np, pyarrow as pa, pyarrow.csv as pc, pyarrow.parquet as pq
i = np.arange(int(sys.argv[1]))
points = pa.table({"x1": i / 7, "a": i % 1000 / 3, "x2": 1 - i / 11})
(pc.write_csv if sys.argv[2].endswith("csv") else pq.write_table)(points, sys.argv[2])
"""
ARRAYS = """
import json, sys, time
import numpy as np
import gradcli
i = np.arange(int(sys.argv[1]))
x1, a, x2 = i / 7, i % 1000 / 3, 1 - i / 11
f = gradcli.columns("z=(x1+a*x2)**2")

def by_hand():
    u = x1 + a * x2
    return u**2, 2 * u, 2 * u * x2, 2 * u * a

def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start

rounds = [(seconds(lambda: f(x1=x1, a=a, x2=x2)), seconds(by_hand)) for _ in range(int(sys.argv[2]))]
print(json.dumps([min(each) for each in zip(*rounds[1:])]))
"""


def files(quick: bool = False) -> Iterator[Row]:
    """Parquet and CSV, each in turn with its script; memory, and that of four times as many rows."""
    if find_spec("pyarrow") is None:
        return
    rows, runs = (1000, 1) if quick else (ROWS, RUNS)
    with tempfile.TemporaryDirectory() as folder:
        parquet, large, csv = (Path(folder, name) for name in ("points.parquet", "large.parquet", "points.csv"))
        for path, count in ((parquet, rows), (large, MORE * rows), (csv, rows)):
            subprocess.run([PYTHON, "-c", POINTS, str(count), str(path)], check=True)
        what = "baseline: pyarrow and numpy by hand"
        row = compared(own(large), {"baseline": by_hand(PARQUET, large), "csv": own(csv)}, runs)
        yield per_second("batch, parquet", row, MORE * rows, {"baseline": 1}, Bound(1.25, "baseline", f"1.25 x {what}"))
        bound = Bound(0.25, "baseline", "0.25 x batch, csv")
        yield per_second("batch, parquet against csv", row, MORE * rows, {"csv": MORE}, bound)
        row = compared(own(csv), {"baseline": by_hand(CSV, csv)}, runs)
        yield per_second("batch, csv against pyarrow", row, rows, {"baseline": 1}, Bound(1, "baseline", f"1 x {what}"))
        row = compared([*own(csv), "--jobs", "2"], {"baseline": own(csv)}, runs)
        yield per_second(
            "batch --jobs 2, csv", row, rows, {"baseline": 1}, Bound(0.59, "baseline", "0.59 x one process")
        )
        usual = median(peak(own(parquet)) for _ in range(runs))
        by_script = median(peak(by_hand(PARQUET, parquet)) for _ in range(runs))
        bound = Bound(1.3, "baseline", f"1.3 x {what}")
        yield Row("memory of batch, parquet", usual / 2**20, "MB", {"baseline": usual / by_script}, bound)
        ratio = {"baseline": peak(own(large)) / usual}
        bound = Bound(1.1, "baseline", "1.1 x a quarter of the rows")
        yield Row("memory, four times the rows", usual * ratio["baseline"] / 2**20, "MB", ratio, bound)


def arrays(quick: bool = False) -> Iterator[Row]:
    """`gradcli.columns` on arrays of a million."""
    count, rounds = ("1000", "3") if quick else ("1000000", "20")
    command = [PYTHON, "-c", ARRAYS, count, rounds]
    done = subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=ENVIRONMENT)
    own, by_hand = json.loads(done.stdout)
    bound = Bound(1.5, "baseline", "1.5 x numpy, derivatives by hand")
    yield Row("gradcli.columns, a million rows", own, "s", {"baseline": own / by_hand}, bound)


def own(path: Path) -> list[str]:
    return [*GRADCLI, "batch", PROGRAM, "-i", str(path), "-o", str(path.with_stem("results"))]


def by_hand(script: str, path: Path) -> list[str]:
    return [PYTHON, "-c", script, str(path), str(path.with_stem("by_hand"))]


def per_second(what: str, row: Row, rows: int, other: dict[str, int], bound: Bound) -> Row:
    """Tell a row in rows a second; its ratio stays one of times a row, of which the other had so many times fewer."""
    ((column, times),) = other.items()
    ratios = {"baseline": row.ratios[column] / times}
    return replace(row, what=what, own=rows / row.own, unit="rows/s", ratios=ratios, bound=bound)


def peak(command: Sequence[str]) -> float:
    """The bytes of memory that a command takes at most."""
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return float(usage.ru_maxrss * BYTES)
