"""Jobs: files of columns in, whole files of the same results out, whatever the format and however they are cut."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import EvaluationError, GradcliError
from gradcli.stream.arrow import sinks
from tests.commands.running import gradcli as command
from tests.stream.arrow.conftest import SQUARE, Run, left, with_manifests

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")


def table(rows: int, first: int = 0) -> Any:
    i = np.arange(first, first + rows)
    return pa.table({"id": i.astype(str), "x1": i / 7, "a": i % 10 / 3, "x2": 1 - i / 11})


def expected(given: Any, program: str = SQUARE) -> Any:
    f = gradcli.columns(program)
    return pa.Table.from_batches([f.record_batch(batch) for batch in given.to_batches()], f.schema(given.schema))


def write(path: Path, given: Any, group: int | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(given, path, row_group_size=group)
        return
    kinds = {".stream": pa.ipc.new_stream}
    with kinds.get(path.suffix, pa.ipc.new_file)(path, given.schema) as file:
        file.write_table(given, max_chunksize=group)


def read(path: Path) -> Any:
    return pq.read_table(path, partitioning=None) if path.suffix == ".parquet" else pa.ipc.open_file(path).read_all()


@pytest.mark.parametrize("rows", [0, 1, 1000])
@pytest.mark.parametrize("output", ["out.parquet", "out.arrow", "out.feather"])
@pytest.mark.parametrize("input", ["in.parquet", "in.arrow", "in.feather"])
def test_formats(tmp_path: Path, run: Run, input: str, output: str, rows: int) -> None:
    given = table(rows)
    write(tmp_path / input, given, 300)
    assert run(input, output).count == rows
    assert read(tmp_path / output).equals(expected(given))
    assert left(tmp_path) == sorted([input, output])


@pytest.mark.parametrize("jobs", [1, 2])
def test_other_programs_row_by_row(tmp_path: Path, run: Run, jobs: int) -> None:
    write(tmp_path / "in.parquet", table(300), 200)
    run("in.parquet", "out.parquet", "k = stack([x1, a]); sum(k[k == k])*x2", jobs=jobs)
    assert read(tmp_path / "out.parquet").equals(expected(table(300), "k = stack([x1, a]); sum(k[k == k])*x2"))


def test_a_folder_of_parts(tmp_path: Path, run: Run) -> None:
    names = ["a.parquet", "b.parquet", "day=1/c.parquet"]
    for number, name in enumerate(names):
        write(tmp_path / "in" / name, table(100, 100 * number), 30)
    for hidden in ("in/.part.parquet", "in/_metadata.parquet", "in/notes.txt"):
        (tmp_path / hidden).write_text("")
    assert run("in", "out").count == 300
    assert left(tmp_path / "out") == with_manifests(names)
    for number, name in enumerate(names):
        assert read(tmp_path / "out" / name).equals(expected(table(100, 100 * number)))
    assert run(["in/a.parquet", "in/b.parquet"], "some").count == 200
    assert left(tmp_path / "some") == ["_a.parquet.json", "_b.parquet.json", "a.parquet", "b.parquet"]


def test_a_run_goes_on_where_it_was(tmp_path: Path, run: Run) -> None:
    for name in "abc":
        write(tmp_path / "in" / f"{name}.parquet", table(50))
    assert run("in", "out").count == 150
    assert run("in", "out").count == 0
    (tmp_path / "out" / "a.parquet").unlink()
    with (tmp_path / "out" / "b.parquet").open("ab") as file:
        file.write(b"x")
    (tmp_path / "out" / "_c.parquet.json").write_text("{")
    assert run("in", "out").count == 150
    write(tmp_path / "in" / "b.parquet", table(51))
    assert run("in", "out").count == 51
    assert run("in", "out", f"{SQUARE} + 1").count == 151
    assert run("in", "out", f"{SQUARE} + 1", task={"wrt": ("a",)}).count == 151


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_a_part_that_changed_at_its_beginning_is_made_again(tmp_path: Path, run: Run, name: str) -> None:
    for x in (1.0, 2.0, 2.0):
        points = pa.table({"x": np.append(x, np.zeros(20_000))})
        write(tmp_path / "in" / name, points)
        run("in", "out", "x**2")
        assert read(tmp_path / "out" / name)["value"][0].as_py() == x**2


def test_progress(tmp_path: Path, run: Run) -> None:
    for name in "ab":
        write(tmp_path / "in" / f"{name}.parquet", table(50), 20)
    seen: list[int | None] = []

    def watch(total: int | None) -> Any:
        seen.append(total)
        return seen.append

    run("in", "out", watch=watch)
    assert seen == [100, 20, 20, 10, 20, 20, 10]
    run("in", "out", watch=watch)
    assert seen[7:] == [100, 50, 50]


def test_fail_fast_leaves_nothing(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "in.parquet", pa.table({"x": [1.0, None]}))
    with pytest.raises(EvaluationError, match="1 of 2 records failed"):
        run("in.parquet", "out.parquet", "x", most_failures=0)
    assert left(tmp_path) == ["in.parquet"]


def refused(run: Run, *arguments: Any, **options: Any) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        run(*arguments, **options)
    assert caught.value.help or caught.value.code == "E227"
    return caught.value


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("damage", ["empty", "short", "magic", "middle", "text", "absent", "folder"])
def test_damaged_files(tmp_path: Path, run: Run, suffix: str, damage: str) -> None:
    path = tmp_path / f"in.{suffix}"
    write(path, table(1000), 100)
    data = path.read_bytes()
    damaged = {
        "empty": b"",
        "short": data[: len(data) // 2],
        "magic": b"XXXXXX" + data[6:-6] + b"XXXXXX",
        "middle": data[:200] + b"\xff" * 3000 + data[3200:],
        "text": b"x1,a,x2\n1,2,3\n",
    }
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage != "absent":
        path.write_bytes(damaged[damage])
    error = refused(run, f"in.{suffix}", "out.parquet")
    assert error.code == ("E003" if damage in ("absent", "folder") else "E227")
    assert "\n" not in error.message
    assert [name for name in left(tmp_path) if "out" in name or ".part" in name] == []


def never_null(columns: Any) -> Any:
    return columns.cast(pa.schema([field.with_nullable(False) for field in columns.schema]))


def test_two_parts_with_different_columns(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "in" / "a.parquet", table(5))
    for other, told in [
        (table(5).drop(["id"]), "id is string in a.parquet and missing in b.parquet"),
        (table(5).set_column(1, "x1", pa.array(["1"] * 5)), "x1 is double in a.parquet and string in b.parquet"),
        (table(5).select(["a", "id", "x1", "x2"]), "another order"),
        (never_null(table(5)), "is string in a.parquet and string without nulls in b.parquet"),
        (
            pa.Table.from_arrays([*table(5).columns, *table(5).columns[:1]], [*table(5).column_names, "id"]),
            "id is string in a.parquet and string and string in b.parquet",
        ),
    ]:
        write(tmp_path / "in" / "b.parquet", other)
        error = refused(run, "in", "out")
        assert error.code == "E228"
        assert told in error.message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("output", ["out.parquet", "out.arrow"])
@pytest.mark.parametrize("room", [0, 100, 40_000])
def test_a_full_disk(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, output: str, room: int) -> None:
    write(tmp_path / "in.parquet", table(3000), 100)
    original = sinks.Sink.write
    written = [0]

    def limited(sink: sinks.Sink, data: Any) -> int:
        written[0] += 0 if sink.is_broken else len(data)
        if written[0] > room:
            raise OSError(28, "No space left on device")
        return original(sink, data)

    monkeypatch.setattr(sinks.Sink, "write", limited)
    error = refused(run, "in.parquet", output)
    assert error.code == "E011"
    assert error.message.endswith(f"{output}: No space left on device")
    assert error.help == "make room, or write to another place"
    assert left(tmp_path) == ["in.parquet"]


def test_an_interruption_leaves_whole_parts(tmp_path: Path, run: Run) -> None:
    for name in "abc":
        write(tmp_path / "in" / f"{name}.parquet", table(50), 20)
    done: list[int] = []

    def interrupted(rows: int) -> None:
        done.append(rows)
        if len(done) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run("in", "out", watch=lambda total: interrupted)
    assert left(tmp_path / "out") == ["_a.parquet.json", "a.parquet"]
    assert run("in", "out").count == 100


def test_columns_that_pass_through(tmp_path: Path, run: Run) -> None:
    """Of every kind; a file of Arrow has one dictionary for all of its batches, and says so of several."""
    words = pa.chunked_array([pa.array([word]).dictionary_encode() for word in ("a", "b")])
    columns = {
        "x1": [1.0, 2.0],
        "word": words,
        "list": [[1], [2, 3]],
        "record": [{"a": 1}, {"a": None}],
        "day": pa.array([0, 1], pa.date32()),
        "price": pa.array([1, 2]).cast(pa.decimal128(22, 2)),
        "none": [None, None],
    }
    write(tmp_path / "in.parquet", pa.table(columns), 1)
    run("in.parquet", "out.parquet", "x1")
    found = read(tmp_path / "out.parquet")
    assert found.select(list(columns)).to_pylist() == pa.table(columns).to_pylist()
    assert refused(run, "in.parquet", "out.arrow", "x1").code == "E232"
    assert left(tmp_path) == ["in.parquet", "out.parquet"]


@pytest.mark.parametrize(
    ("inputs", "output", "options", "message"),
    [
        ("in.parquet", "in.parquet", {}, "is the input, too"),
        ("in.parquet", "out.csv.gz", {}, "would be compressed text"),
        ("in.csv", "out/", {"shard": (1, 2)}, "is CSV, which has no places to jump to"),
        ("in.parquet", "none/out.parquet", {}, "there is no such folder"),
        (["in.jsonl", "in.parquet"], "out/", {}, "in.jsonl has no columns"),
        (["parts", "in.csv"], "out/", {}, "two parts have different columns"),
        ("parts", "parts", {}, "the results would stand among the inputs"),
        ("parts", "parts/out", {}, "the results would stand among the inputs"),
        ("in.parquet", ".", {"shard": (1, 1)}, "the results would stand among the inputs"),
        (["parts/a.parquet", "other/a.parquet"], "out/", {}, "have the same name"),
        ("nothing", "out/", {}, "no file in "),
        (["in.parquet", "none.parquet"], "out/", {}, "no such file"),
        ("in.parquet", "in.parquet/", {"shard": (1, 2)}, "cannot write"),
        ("in.parquet", "out.parquet", {"program": "y"}, "no column for y"),
        ("in.parquet", "out.parquet", {"program": "id"}, "the column id has strings"),
        ("stream.arrow", "out/", {"shard": (1, 2)}, "is a stream of Arrow"),
        ("bare.arrow", "out.arrow", {}, "has no columns"),
    ],
)
def test_what_cannot_be(
    tmp_path: Path, run: Run, inputs: Any, output: str, options: dict[str, Any], message: str
) -> None:
    for name in ("in.parquet", "parts/a.parquet", "other/a.parquet"):
        write(tmp_path / name, table(3))
    write(tmp_path / "in.stream", table(3))
    (tmp_path / "in.stream").rename(tmp_path / "stream.arrow")
    write(tmp_path / "bare.arrow", pa.table({}))
    (tmp_path / "in.csv").write_text("x1,a,x2\n")
    (tmp_path / "nothing").mkdir()
    before = left(tmp_path)
    error = refused(run, inputs, output, **options)
    assert re.search(message, error.message)
    assert left(tmp_path) == before


@pytest.mark.parametrize("format", ["arrow", "parquet", "csv"])
def test_names_decide_and_the_option_tells_the_rest(tmp_path: Path, run: Run, format: str) -> None:
    write(tmp_path / "in.parquet", table(3))
    run("in.parquet", "out.arrow", format=format)
    assert read(tmp_path / "out.arrow").num_rows == 3
    run("in.parquet", "out", format=format)
    assert (tmp_path / "out").read_bytes()[:4] == {"arrow": b"ARRO", "parquet": b"PAR1", "csv": b'"id"'}[format]


def test_json_lines_to_columns_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{"x": 1.5, "id": "a", "t": [1, 2]}, {"x": 2, "id": None, "t": []}]
    points, results, again = (tmp_path / name for name in ("points.jsonl", "results.parquet", "again.jsonl"))
    points.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert command(capsys, ["batch", "x**2", "-i", str(points), "-o", str(results)]).code == 0
    assert read(results).to_pylist() == [
        line | {"value": line["x"] ** 2, "d_x": 2 * line["x"], "error": None} for line in lines
    ]
    write(results, pa.table({"x": [1.5, float("nan"), None], "when": [date(2026, 1, 2)] * 3}))
    assert command(capsys, ["batch", "x**2", "-i", str(results), "-o", str(again)]).code == 4
    good, nan, null = map(json.loads, again.read_text().splitlines())
    assert good == {"ok": True, "value": 2.25, "gradients": {"x": 3.0}, "record": {"when": "2026-01-02"}}
    assert (nan["value"], null["error"]["code"]) == ("NaN", "E207")


def test_a_folder_of_results_is_read_by_other_tools(tmp_path: Path, run: Run) -> None:
    """Each reads the parts, and not the manifests beside them."""
    pandas, polars, duckdb = (pytest.importorskip(name) for name in ("pandas", "polars", "duckdb"))
    (tmp_path / "points").mkdir()
    for part in ("a", "b"):
        write(tmp_path / "points" / f"{part}.parquet", pa.table({"x": [1.0, 2.0]}))
    run("points", "results/", "x**2")
    folder = tmp_path / "results"
    assert sorted(path.name for path in folder.iterdir()) == [
        "_a.parquet.json",
        "_b.parquet.json",
        "a.parquet",
        "b.parquet",
    ]
    parts = f"{folder}/*.parquet"
    values = [
        pytest.importorskip("pyarrow.dataset").dataset(folder).to_table()["value"].to_pylist(),
        pandas.read_parquet(folder)["value"].tolist(),
        polars.read_parquet(parts)["value"].to_list(),
        [row[0] for row in duckdb.sql(f"select value from '{parts}' order by filename, x").fetchall()],
    ]
    assert values == [[1.0, 4.0, 1.0, 4.0]] * 4
