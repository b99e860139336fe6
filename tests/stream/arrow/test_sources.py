"""Files of columns that are damaged anywhere, wide, or one group of rows: an error of the file, and flat memory."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from gradcli.errors import EvaluationError, GradcliError, UsageError
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


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_columns(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    path, _ = whole(tmp_path, kind, pa.table({f"x{number}": [1.0] for number in range(9)}))
    monkeypatch.setattr(tabular, "MOST", 9)
    run(path.name, "out.parquet", "x1*x8")
    assert read(tmp_path / "out.parquet").num_columns == 13
    monkeypatch.setattr(tabular, "MOST", 8)
    with pytest.raises(EvaluationError, match="has 9 columns, more than 8"):
        run(path.name, "out.parquet", "x1*x8")


def piped(path: Path, data: bytes) -> Thread:
    """Send bytes into a pipe with a path, which is opened and read once."""
    if not path.exists():
        os.mkfifo(path)
    thread = Thread(target=lambda: path.write_bytes(data))
    thread.start()
    return thread


@pytest.mark.parametrize("output", ["out.parquet", "out.arrow", "pipe.out"])
def test_what_follows_the_end_of_a_stream(tmp_path: Path, run: Run, output: str) -> None:
    path, data = whole(tmp_path, "in.stream", table(200))
    if output == "pipe.out":
        os.mkfifo(tmp_path / output)
    for rest in (data, b"\n"):
        path.write_bytes(data + rest)
        with ThreadPoolExecutor(1) as readers:
            found = readers.submit((tmp_path / output).read_bytes) if output == "pipe.out" else None
            with pytest.raises(EvaluationError, match=r"goes on after row 200, where its stream has ended"):
                run(path.name, output)
            assert found is None or pa.ipc.open_stream(found.result()).read_all().num_rows == 200
        assert left(tmp_path) == [path.name]


def test_a_pipe_that_has_a_path(tmp_path: Path, run: Run) -> None:
    _, data = whole(tmp_path, "in.stream", table(200))
    pipe = tmp_path / "pipe"
    for output in ("out.parquet", "out.arrow", "out.csv"):
        sent = piped(pipe, data)
        run(pipe.name, output)
        sent.join()
    assert read(tmp_path / "out.parquet").equals(read(tmp_path / "out.arrow"))
    assert read(tmp_path / "out.parquet").num_rows == 200
    for kind in ("in.arrow", "in.parquet"):
        sent = piped(pipe, whole(tmp_path, kind, table(200))[1])
        with pytest.raises(UsageError, match="has a whole file, and through pipes go streams of Arrow alone"):
            run(pipe.name, "out.csv")
        sent.join()
    sent = piped(pipe, b'{"x": 1}\n')
    with pytest.raises(UsageError, match="has text, and through pipes go streams of Arrow alone"):
        run(pipe.name, "out.parquet")
    sent.join()


@pytest.mark.parametrize("name", ["pipe.parquet", "pipe.csv"])
def test_only_streams_come_through_pipes(tmp_path: Path, run: Run, name: str) -> None:
    os.mkfifo(tmp_path / name)
    for options in ({}, {"shard": (1, 2)}):
        with pytest.raises(
            UsageError, match=r"is no file, and (through pipes go streams of Arrow alone|parts are read twice)"
        ):
            run(name, "out/" if options else "out.parquet", **options)
    assert left(tmp_path) == []


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
