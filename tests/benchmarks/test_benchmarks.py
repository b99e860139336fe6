"""The table of benchmarks has all its rows, whatever is installed; how long things take is not tested."""

from __future__ import annotations

import pytest

from tests.benchmarks import engine
from tests.benchmarks.__main__ import measured
from tests.benchmarks.table import COLUMNS, Bound, Row, is_installed, is_sound, markdown, show


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(measured(quick=True))


@pytest.mark.slow
def test_every_row_is_measured(rows: list[Row], capsys: pytest.CaptureFixture[str]) -> None:
    names = [row.what for row in rows]
    assert len(set(names)) == len(names)
    commands = {"eval --json, against imports", "run, 20 lines of torch", "--version", "grad --symbolic"}
    assert "gradcli.columns, a million rows" in names
    assert commands | {"batch, jsonl", "batch, csv", "memory a node"} <= set(names)
    assert {row.what for row in engine.ROWS.values()} <= set(names)
    assert sum(name.startswith("graph of") for name in names) == 2
    assert all(is_sound(row) for row in rows), [row for row in rows if not is_sound(row)]
    show(rows)
    shown = capsys.readouterr().out
    assert all(name in shown for name in names)


@pytest.mark.slow
def test_every_library_that_is_installed_has_its_column(rows: list[Row]) -> None:
    filled = {column for row in rows for column in row.ratios}
    assert filled == {"baseline", *(column for column in COLUMNS[1:] if is_installed(column))}


def test_the_table_for_a_readme_leaves_out_empty_columns() -> None:
    rows = [
        Row("fast", 2.5e-6, ratios={"torch": 0.5}, bound=Bound(1, "torch")),
        Row("slow", 1.25, ratios={"torch": 4.0}, bound=Bound(3, "torch")),
        Row("many", 1e6, "records/s", bound=Bound(3e5, "gradcli", "at least 300,000")),
        Row("few", 1e5, "records/s", bound=Bound(3e5, "gradcli", "at least 300,000")),
    ]
    lines = markdown(rows).splitlines()
    assert lines[:6] == [
        "|  | gradcli | torch | at most |",
        "| --- | --: | --: | --- |",
        "| fast | 2.5 µs | 0.50 | 1 x torch |",
        "| slow | 1.25 s | 4.00 | 3 x torch (missed) |",
        "| many | 1,000,000 records/s |  | at least 300,000 |",
        "| few | 100,000 records/s |  | at least 300,000 (missed) |",
    ]
    assert "Python 3" in lines[-1]
    assert not is_sound(Row("none", float("nan")))
