"""`gradcli batch` on files of columns, and through pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import gradcli

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")

POINTS = {"x1": [1.0, 2.0], "x2": [3.0, 4.0]}
RESULTS = {**POINTS, "value": [49.0, 100.0], "d_x1": [14.0, 20.0], "d_x2": [28.0, 40.0], "error": [None, None]}
SQUARE = ["batch", "z=(x1+a*x2)**2", "a=2", "--wrt", "x1,x2"]


@pytest.fixture
def points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(POINTS), "points.parquet", row_group_size=1)
    return tmp_path


@pytest.mark.usefixtures("points")
def test_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert gradcli(capsys, [*SQUARE, "-i", "points.parquet", "-o", "results.parquet"]).code == 0
    assert pq.read_table("results.parquet").to_pydict() == RESULTS
    assert gradcli(capsys, [*SQUARE, "-i", "points.parquet", "-o", "results.feather"]).code == 0
    assert pa.ipc.open_file("results.feather").read_all().to_pydict() == RESULTS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("batch --each -i points.parquet -o results.parquet", "--each reads JSON Lines"),
        ("batch x1 -i points.parquet -i points.jsonl -o out", "points.jsonl has no columns"),
        ("batch x1 -i points.parquet -i b.csv", "several parts need a folder for their results"),
        ("batch --merge x1 -i shards -o out", "--merge takes no program"),
        ("batch x1 -i points.parquet -o out --shard 3/2", "--shard 3/2 is no share"),
        ("batch x1 -i points.parquet -o out --shard 1", "--shard 1 is no share"),
        ("batch x1 -i points.parquet -i points.parquet", "need a folder"),
        ("batch x1 -i points.parquet -o out.parquet --shard 1/2", "need a folder"),
        ("batch --merge -i .", "need a folder"),
        ("batch --merge -i . -o out.parquet", "need a folder"),
        ("batch x1 -i points.parquet --format parquet", "not through pipes"),
        ("batch x1 --format parquet -o out.parquet", "not through pipes"),
    ],
)
@pytest.mark.usefixtures("points")
def test_options_that_do_not_fit(capsys: pytest.CaptureFixture[str], arguments: str, message: str) -> None:
    found = gradcli(capsys, arguments)
    assert found.code == 2
    assert message in found.err
    assert "help: " in found.err


@pytest.mark.slow
def test_rows_alone_have_the_memory_that_they_are_promised(points: Path) -> None:
    """What a library has reserved for itself does not count."""
    pq.write_table(pa.table({"x": [1.0]}), "points.parquet")
    command = [
        sys.executable,
        "-m",
        "gradcli",
        "batch",
        "sum(ones(2000000)*x)",
        "-i",
        "points.parquet",
        "-o",
        "out.parquet",
    ]
    environment = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    done = subprocess.run([*command, "--item-memory", "600M"], capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert pq.read_table("out.parquet")["value"].to_pylist() == [2e6]
