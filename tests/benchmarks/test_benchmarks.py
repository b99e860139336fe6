"""The table of benchmarks; that all its rows are measured is seen by `python -m tests.benchmarks --quick`."""

from __future__ import annotations

from tests.benchmarks.table import Bound, Row, is_sound, markdown


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
