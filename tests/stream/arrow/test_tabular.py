"""CSV to columns and back: numbers to the last bit, other cells as texts, a bad cell the error of its row."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

from gradcli.errors import EvaluationError, GradcliError
from tests.stream.arrow.conftest import Run, left
from tests.stream.test_plan import EDGES

pa: Any = pytest.importorskip("pyarrow")

from tests.stream.arrow.test_job import read, write  # noqa: E402

TEXT = 'id,x,y\n007,1,2\n"a,b", 0.1,3\nc,,4\nd,abc,5\n"e\nf",1e400,6\n'


def test_csv_to_columns(tmp_path: Path, run: Run) -> None:
    rows = [f"{number:03},{x!r}" for number, x in enumerate(EDGES)]
    (tmp_path / "in.csv").write_text("id,x\n" + "\n".join(rows) + "\n")
    assert run("in.csv", "out.parquet", "x*2.5").count == len(EDGES)
    found = read(tmp_path / "out.parquet").to_pydict()
    assert found["id"] == [f"{number:03}" for number in range(len(EDGES))]
    assert list(map(repr, found["value"])) == [repr(x * 2.5) for x in EDGES]
    (tmp_path / "gz.csv.gz").write_bytes(gzip.compress((tmp_path / "in.csv").read_bytes()))
    run("gz.csv.gz", "gz.parquet", "x*2.5")
    assert read(tmp_path / "gz.parquet").to_pydict() == found
    run("in.csv", "through.arrow", "x*2.5")
    assert read(tmp_path / "through.arrow").to_pydict() == found


def test_columns_to_csv(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "points.parquet", pa.table({"x": EDGES, "y": ["1"] * len(EDGES)}))
    run("points.parquet", "out.csv", "x*3", task={"is_forward_only": True})
    header, *rows = (tmp_path / "out.csv").read_text().splitlines()
    assert header == '"x","y","value","error"'
    assert [float(row.split(",")[2]).hex() for row in rows] == [(x * 3).hex() for x in EDGES]


def test_a_bad_cell_is_the_error_of_its_row(tmp_path: Path, run: Run) -> None:
    (tmp_path / "in.csv").write_text(TEXT)
    with pytest.raises(EvaluationError, match="3 of 5 records failed, the first in row 3 of"):
        run("in.csv", "out.parquet", "x*y")
    found = read(tmp_path / "out.parquet").to_pydict()
    assert found["id"] == ["007", "a,b", "c", "d", "e\nf"]
    assert found["value"] == [2.0, 0.1 * 3, None, None, None]
    assert found["error"] == [None, None, *["E207: the value of x is null"] * 3]


def test_several_files_of_csv(tmp_path: Path, run: Run) -> None:
    (tmp_path / "in").mkdir()
    for name in "ab":
        (tmp_path / "in" / f"{name}.csv").write_text("x\n1\n2\n")
    assert run("in", "out", "x**2").count == 4
    assert left(tmp_path / "out") == ["_a.csv.json", "_b.csv.json", "a.csv", "b.csv"]
    assert run(["in/a.csv", "in/b.csv"], "out", "x**2").count == 0, "they are done"
    (tmp_path / "in" / "a.csv").write_text("x\n1\n3\n")
    assert run("in", "out", "x**2").count == 2
    assert (tmp_path / "out" / "a.csv").read_text().splitlines()[2] == "3,9,6,"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty CSV file"),
        ("x,y\n1,2\n1\n", "CSV parse error: .*Expected 2 columns, got 1"),
        ("x,x\n1,2\n", "the header has x twice"),
        ("x,,\n1,2,3\n", "the header has columns without names"),
        ("y\n1\n", "no column for x"),
        ("x\n\xff\n", "invalid UTF8|UTF8"),
        ("x\xff\n1\n", "can't decode byte 0xff"),
        (",".join(f"x{i}" for i in range(100_001)), "in.csv has 100,001 columns, more than 100,000"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, run: Run, text: str, message: str) -> None:
    (tmp_path / "in.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(GradcliError) as caught:
        run("in.csv", "out.parquet", "x")
    assert re.search(message, caught.value.message)
    assert left(tmp_path) == ["in.csv"]
