"""`gradcli batch` on text as it comes from all over the world, and what options say of its results."""

from __future__ import annotations

import csv
import json
from itertools import product
from pathlib import Path

import pytest

from tests.commands.running import gradcli
from tests.programs import some

Capture = pytest.CaptureFixture[str]
RESULTS = (
    "x{0}y{0}id{0}value{0}d_x{0}d_y\n1{1}5{0}2{0}a{0}3{1}0{0}2{1}0{0}1{1}5\n0{1}25{0}4{0}b{0}1{1}0{0}4{1}0{0}0{1}25\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(capsys: Capture, *arguments: str) -> str:
    found = gradcli(capsys, ["batch", "x*y", "-i", "points.csv", *arguments])
    assert (found.code, found.err) == (0, "")
    return found.out


ENCODINGS, ENDS, MARKS = ("utf-8", "utf-8-sig", "utf-16"), ("\n", "\r\n", "\r"), (",.", ";,", ";.", "\t,", "\t.")


@pytest.mark.parametrize(
    ("encoding", "end", "marks", "is_named"), some(product(ENCODINGS, ENDS, MARKS, [False, True]), 7)
)
def test_csv_of_half_the_world(
    here: Path, capsys: Capture, encoding: str, end: str, marks: str, is_named: bool
) -> None:
    delimiter, decimal = marks
    expected = RESULTS.format(delimiter, decimal)
    rows = [delimiter.join(line.split(delimiter)[:3]) for line in expected.splitlines()]
    text = end.join([*([f"sep={delimiter}"] if is_named else []), *rows]) + end
    (here / "points.csv").write_bytes(text.encode(encoding))
    assert results(capsys) == expected
    records = results(capsys, "-o", "lines.jsonl", "--keep") or (here / "lines.jsonl").read_text()
    assert [json.loads(line)["record"] for line in records.splitlines()] == [
        {"x": 1.5, "y": 2.0, "id": "a"},
        {"x": 0.25, "y": 4.0, "id": "b"},
    ]
    pq = pytest.importorskip("pyarrow.parquet")
    results(capsys, "-o", "out.parquet")
    found = pq.read_table(here / "out.parquet").to_pydict()
    assert (found["x"], found["id"], found["value"]) == ([1.5, 0.25], ["a", "b"], [3.0, 1.0])


@pytest.mark.parametrize(
    ("row", "help"),
    [
        ("1.234,5;2", "write no thousands: decimals begin with ',' here"),
        ("1'234,5;2", "write no thousands: decimals begin with ',' here"),
        ("1.5;2", "decimals begin with ',' here"),
        ("x;2", "write a number such as 2"),
    ],
)
def test_thousands_are_an_error_that_says_so(here: Path, capsys: Capture, row: str, help: str) -> None:
    (here / "points.csv").write_text(f"x;y\n0,5;1\n{row}\n")
    arguments = ["batch", "x*y", "-i", "points.csv", "--decimal", ","]
    found = gradcli(capsys, [*arguments, "--error-column", "--prefix", "r_"])
    assert found.code == 4
    header, _, last = found.out.splitlines()
    assert header == "x;y;r_value;r_d_x;r_d_y;r_error"
    assert last.startswith(f"{row};;;;")
    assert "E207: the value of x is no number: " in last
    assert gradcli(capsys, [*arguments, "-o", "o.jsonl"]).code == 4
    assert help in (here / "o.jsonl").read_text()


def test_a_prefix_makes_room_for_results_of_results(here: Path, capsys: Capture) -> None:
    (here / "points.csv").write_text("x,value\n3,1\n")
    assert "add --prefix result_" in gradcli(capsys, ["batch", "x", "-i", "points.csv"]).err
    found = gradcli(capsys, ["batch", "x*x", "-i", "points.csv", "--prefix", "result_"])
    assert found.out == "x,value,result_value,result_d_x\n3,1,9.0,6.0\n"
    pytest.importorskip("pyarrow")
    for name in ("a.parquet", "b.parquet"):
        assert gradcli(capsys, ["batch", "x*x", "-i", "points.csv", "-o", name, "--prefix", "result_"]).code == 0
    assert gradcli(capsys, ["batch", "x", "-i", "a.parquet", "-o", "b.parquet", "--prefix", "again_"]).code == 0


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_several_files_and_patterns_go_to_one(here: Path, capsys: Capture, ending: str) -> None:
    rows = {"a": "1", "b": "2", "c": "q"}
    for name, x in rows.items():
        text = f'{{"x": {json.dumps(x) if x == "q" else x}}}' if ending == "jsonl" else f"x\n{x}"
        (here / f"{name}.{ending}").write_text(text)
    found = gradcli(capsys, ["batch", "x*x", "-i", f"?.{ending}", "-i", f"a.{ending}", "--format", ending, "-q"])
    assert found.code == 4
    assert f"1 of 4 records failed, the first on line {1 + (ending == 'csv')} of c.{ending}" in found.err
    lines = found.out.splitlines()[ending == "csv" :]
    values = [line.split(",")[1] if ending == "csv" else json.loads(line).get("value") for line in lines]
    assert [value and float(value) for value in values] == [1, 4, "" if ending == "csv" else None, 1]
    assert "no file is named like" in gradcli(capsys, ["batch", "x", "-i", "z*.csv"]).err
    (here / "d.csv").write_text("y,x\n1,2\n")
    assert gradcli(capsys, ["batch", "x", "-i", "d.csv", "-i", "a.csv"]).code != 0


@pytest.mark.parametrize(("form", "texts"), [("string", ["NaN", "Infinity"]), ("null", ["", ""])])
def test_what_is_not_finite_is_written_one_way_and_read_back(
    here: Path, capsys: Capture, form: str, texts: list[str]
) -> None:
    for name, text in (("in.csv", "x\n-1\n0\n"), ("in.jsonl", '{"x": -1}\n{"x": 0}\n')):
        assert gradcli(capsys, ["batch", "-log(x)", "-i", name, "--nonfinite", form]).code == 2
        (here / name).write_text(text)
        out = f"out{Path(name).suffix}"
        assert gradcli(capsys, ["batch", "-log(x)", "-i", name, "-o", out, "--nonfinite", form]).code == 0
        lines = (here / out).read_text().splitlines()
        if name == "in.csv":
            assert [line.split(",")[1] for line in lines[1:]] == texts
        else:
            assert [json.loads(line)["value"] or "" for line in lines] == texts
    pq = pytest.importorskip("pyarrow.parquet")
    assert gradcli(capsys, ["batch", "-log(x)", "-i", "in.csv", "-o", "out.parquet", "--nonfinite", form]).code == 0
    assert pq.read_table(here / "out.parquet")["value"].null_count == (2 if form == "null" else 0)
    found = gradcli(capsys, ["batch", "value + 0", "-i", "out.csv", "-q", "--prefix", "r_"])
    assert (found.code, ",NaN,1.0,NaN,1.0" in found.out) == ((0, True) if form == "string" else (4, False))


def test_a_file_is_there_when_it_is_whole(here: Path, capsys: Capture) -> None:
    (here / "points.csv").write_text("x\n1\nq\n3\n")
    (here / "out.csv").write_text("before")
    found = gradcli(capsys, ["batch", "x*x", "-i", "points.csv", "-o", "out.csv", "--fail-fast"])
    assert (found.code, (here / "out.csv").read_text()) == (3, "before")
    assert "out.csv.part has the results before it" in found.err
    assert (here / "out.csv.part").read_text() == "x,value,d_x\n1,1.0,2.0\nq,,\n"
    assert gradcli(capsys, ["batch", "x*x", "-i", "points.csv", "-o", "out.csv"]).code == 4
    assert (here / "out.csv").read_text().endswith("3,9.0,6.0\n")
    assert not (here / "out.csv.part").exists()


def test_a_header_of_many_columns(here: Path, capsys: Capture) -> None:
    """By another separator it is one cell, longer than Python's reader takes unasked."""
    csv.field_size_limit(2**17)
    names = ",".join(f"column{number}" for number in range(20_000))
    (here / "points.csv").write_text(f"x,y,{names}\n2,3{',0' * 20_000}\n", encoding="utf-8")
    assert results(capsys).splitlines()[1].endswith(",6.0,3.0,2.0")
