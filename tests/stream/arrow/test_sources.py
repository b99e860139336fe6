"""Files of columns that are damaged anywhere, wide, or one group of rows: an error of the file, and flat memory."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.errors import EvaluationError, GradcliError
from gradcli.stream.arrow import tabular
from gradcli.stream.arrow.sources import BUFFER, Source
from tests.stream.arrow.conftest import Run, left

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")

from tests.stream.arrow.test_job import read, table, write  # noqa: E402

KINDS = {"in.parquet": "in.parquet", "in.arrow": "in.arrow", "in.stream": "stream.arrow"}  # what it is, and its name
NAMED = {"E227", "E201", "E207", "E228"}  # a flipped bit in the name of a column makes it another column


def whole(folder: Path, kind: str, given: Any) -> tuple[Path, bytes]:
    write(folder / kind, given, 50)
    path = (folder / kind).rename(folder / KINDS[kind])
    return path, path.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_cut_short_anywhere(tmp_path: Path, run: Run, kind: str) -> None:
    path, data = whole(tmp_path, kind, table(200))
    for size in range(0, len(data) - 8, len(data) // 25):  # without its last 8 bytes a stream is whole
        path.write_bytes(data[:size])
        with pytest.raises(EvaluationError) as caught:
            run(path.name, "out.parquet")
        assert caught.value.code == "E227"
        assert left(tmp_path) == [path.name]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_file_cut_short_while_it_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"in.{kind}"
    write(path, table(100_000), 10_000)
    source = Source(str(path), kind)
    batches = source.batches()
    next(batches)
    os.truncate(path, path.stat().st_size // 3)
    with pytest.raises(GradcliError, match="cannot read"):
        list(batches)
    source.close()


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_that_have_changed_anywhere(tmp_path: Path, run: Run, kind: str) -> None:
    """No process ends, and no exception but of gradcli: the bytes of Arrow are pointers into memory, too."""
    path, data = whole(tmp_path, kind, table(200))
    chosen = random.Random(7)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(chosen.choice((1, 1, 10))):
            damaged[chosen.randrange(len(data))] = chosen.randrange(256)
        path.write_bytes(damaged)
        code = outcome(run, path.name)
        assert code in NAMED or len(left(tmp_path)) == 2
        (tmp_path / "out.parquet").unlink(missing_ok=True)
        assert left(tmp_path) == [path.name]


def outcome(run: Run, name: str) -> str:
    try:
        run(name, "out.parquet")
    except GradcliError as error:
        return error.code
    return ""


@pytest.mark.parametrize("kind", ["in.arrow", "in.stream"])
def test_a_text_that_would_end_beyond_the_file(tmp_path: Path, run: Run, kind: str) -> None:
    path, data = whole(tmp_path, kind, pa.table({"id": ["ab", "cd", "ef"], "x": [1.0, 2.0, 3.0]}))
    ends = np.array([0, 2, 4, 6], np.int32)
    assert data.count(ends.tobytes()) == 1
    for end in (2**30, -7):
        path.write_bytes(data.replace(ends.tobytes(), np.array([0, 2, end, 6], np.int32).tobytes()))
        with pytest.raises(EvaluationError, match="cannot read"):
            run(path.name, "out.parquet", "x")


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_is_no_text(tmp_path: Path, run: Run, kind: str) -> None:
    path, data = whole(tmp_path, kind, pa.table({"x": [1.0], "unmistakable": [1.0]}))
    path.write_bytes(data.replace(b"unmistakable", b"unmist\xffkable"))
    with pytest.raises(EvaluationError, match="cannot read"):
        run(path.name, "out.parquet", "x")


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_columns(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    path, _ = whole(tmp_path, kind, pa.table({f"x{number}": [1.0] for number in range(9)}))
    monkeypatch.setattr(tabular, "MOST", 9)
    run(path.name, "out.parquet", "x1*x8")
    assert read(tmp_path / "out.parquet").num_columns == 13
    monkeypatch.setattr(tabular, "MOST", 8)
    with pytest.raises(EvaluationError, match="has 9 columns, more than 8"):
        run(path.name, "out.parquet", "x1*x8")


def test_a_group_of_rows_that_is_larger_than_the_memory(tmp_path: Path) -> None:
    """Only some of it is there at a time."""
    rows = 4 * BUFFER // 8
    points = pa.table({name: np.zeros(rows) for name in "xyz"})
    pq.write_table(points, tmp_path / "in.parquet", compression="none", use_dictionary=False)
    source = Source(str(tmp_path / "in.parquet"), "parquet")
    assert source.groups == 1
    before, most = pa.total_allocated_bytes(), 0
    for _ in source.batches():
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < points.nbytes / 2
