"""Columns of decimals and of lists of any length, which are cast where somebody says so."""

from __future__ import annotations

from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gradcli.errors import EvaluationError
from tests.stream.arrow.conftest import Run
from tests.stream.arrow.test_job import read, write

pa: Any = pytest.importorskip("pyarrow")

CAST = {"is_cast": True}
ROWS: dict[str, tuple[list[Any], list[Any]]] = {
    "decimals": ([Decimal("1.50"), None, Decimal("-2.00")], [2.25, None, 4.0]),
    "lists": ([None, [1.0, 2.0], [3.0, 4.0]], [None, 5.0, 25.0]),
    "decimals in lists": ([[Decimal(1), Decimal(2)], [Decimal(3), None]], [5.0, None]),
    "lists of lists": ([[[1.0, 2.0]], [[3.0, 4.0]]], [5.0, 25.0]),
    "numbers": ([1.0, 2.0], [1.0, 4.0]),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("ending", ["parquet", "arrow", "stream"])
def test_rows_are_numbers(tmp_path: Path, run: Run, name: str, ending: str) -> None:
    rows, expected = ROWS[name]
    write(tmp_path / f"in.{ending}", pa.table({"x": rows, "beside": [Decimal(1)] * len(rows)}))
    options = {"format": "arrow"} if ending == "stream" else {}
    fails = pytest.raises(EvaluationError, match="records failed") if None in expected else nullcontext()
    with fails:
        run(f"in.{ending}", "out.parquet", "sum(x**2)", task=CAST, **options)
    results = read(tmp_path / "out.parquet")
    assert results.column("value").to_pylist() == expected
    assert pa.types.is_decimal(results.schema.field("beside").type)


def test_lists_of_several_lengths_are_refused(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "in.parquet", pa.table({"x": [[1.0, 2.0], [3.0]]}))
    with pytest.raises(EvaluationError, match=r"not all rows of x have the shape \(2,\) of the first"):
        run("in.parquet", "out.parquet", "sum(x**2)", task=CAST)
    assert not (tmp_path / "out.parquet").exists()


def test_parts_need_one_length(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "in/a.parquet", pa.table({"x": [[1.0, 2.0]]}))
    write(tmp_path / "in/b.parquet", pa.table({"x": [[1.0, 2.0, 3.0]]}))
    with pytest.raises(EvaluationError, match=r"two parts have different columns: x is .*\[2\].*\[3\]"):
        run("in", "out/", "sum(x**2)", task=CAST)
