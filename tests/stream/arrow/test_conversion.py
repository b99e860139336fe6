"""Rows that end their process: each gets its error, every other its result, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.errors import EvaluationError, InternalError
from gradcli.stream.plan import Plan
from gradcli.workers.limits import Limits
from tests.stream.arrow.conftest import Run
from tests.stream.test_losses import CODES, ENDS, FATAL, ending

pa = pytest.importorskip("pyarrow")

from tests.stream.arrow.test_job import read, write  # noqa: E402

PROGRAM = "sum(masked_select(x, x == x))*x"  # how many entries are chosen is known of each row alone


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reason", "fatal"), [*zip(ENDS, [(3, 4), (1, 2, 3, 4, 5), (1,), (3, 4)], strict=True)], ids=[*ENDS]
)
def test_a_row_costs_itself_alone(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, reason: str, fatal: tuple[int, ...]
) -> None:
    monkeypatch.setattr(Plan, "at", ending(Plan.at, lambda values: values.get("x") == FATAL, ENDS[reason]))
    rows = [FATAL if n in fatal else float(n) for n in range(1, 6)]
    write(tmp_path / "in.parquet", pa.table({"x": rows}))
    limits = Limits(0.05 if reason == "time" else 5)
    with pytest.raises(InternalError if reason == "bug" else EvaluationError):
        run("in.parquet", "out.parquet", PROGRAM, jobs=2, limits=limits)
    found = read(tmp_path / "out.parquet")
    assert found["value"].to_pylist() == [None if n in fatal else float(n) ** 2 for n in range(1, 6)]
    codes = [CODES[reason] if n in fatal else None for n in range(1, 6)]
    assert [error and error.partition(":")[0] for error in found["error"].to_pylist()] == codes
