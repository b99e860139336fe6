"""`gradcli batch` inside the test process: records in, results out."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import Result, document, gradcli, validator

SQUARE = "z=(x1+a*x2)**2"
POINT = '{"x1": 1, "a": 2, "x2": 3}'
RESULT = '{"ok": true, "value": 49.0, "gradients": {"x1": 14.0, "a": 42.0, "x2": 28.0}}'


class Batch:
    """Runs `gradcli batch` with a text, or bytes, on standard input."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys, self.monkeypatch = capsys, monkeypatch

    def __call__(self, arguments: Sequence[str], text: str | bytes = "") -> Result:
        data = text.encode() if isinstance(text, str) else text
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return gradcli(self.capsys, ["batch", *arguments])

    def lines(self, arguments: Sequence[str], text: str | bytes = "") -> list[Any]:
        found = [json.loads(line, parse_constant=pytest.fail) for line in self(arguments, text).out.splitlines()]
        for line in found:
            validator("batch").validate(line)
        return found


@pytest.fixture
def batch(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Batch:
    return Batch(capsys, monkeypatch)


def test_json_lines(batch: Batch) -> None:
    assert batch([SQUARE], f"{POINT}\n\n{POINT}") == Result(0, f"{RESULT}\n{RESULT}\n", "")
    assert batch([SQUARE]) == Result(0, "", "")


def test_csv(batch: Batch) -> None:
    found = batch([SQUARE, "--format", "csv"], '\ufeffid,x1,a,x2\r\np,1,2,3\r\n"q,r",1,2,3\r\n')
    assert found == Result(
        0, 'id,x1,a,x2,value,d_x1,d_a,d_x2\np,1,2,3,49.0,14.0,42.0,28.0\n"q,r",1,2,3,49.0,14.0,42.0,28.0\n', ""
    )


def test_the_results_are_those_of_grad(batch: Batch, capsys: pytest.CaptureFixture[str]) -> None:
    for program, values in [
        (SQUARE, {"x1": 0.1, "a": -2.5, "x2": 1e3}),
        ("sum(x*w)", {"x": [1.5, 2.5], "w": [[1.0, 2.0], [3.0, 4.0]]}),
        ("log(x)", {"x": 0.0}),
        ("x*0 + detach(y)", {"x": 1.0, "y": 2.0}),
        ("sigmoid(w*x + b)", {"w": 0.3, "x": 1.1, "b": -0.7}),
    ]:
        bound = [f"{name}={json.dumps(value)}" for name, value in values.items()]
        expected = document(gradcli(capsys, ["grad", program, *bound, "--json"]).out)
        (found,) = batch.lines([program], json.dumps(values))
        assert (found["value"], found["gradients"]) == (expected["value"], expected["gradients"])


def test_options(batch: Batch) -> None:
    point = '{"x": 3, "y": 4}'
    assert batch(["x*y", "--forward-only"], point).out == '{"ok": true, "value": 12.0}\n'
    assert batch(["x*y", "--forward-only", "--format", "csv"], "x,y\n3,4\n").out == "x,y,value\n3,4,12.0\n"
    assert batch.lines(["u = x*y; v = u**2", "--of", "u"], point)[0]["value"] == 12.0
    assert batch.lines(["x*y", "--upstream", "1/2"], point)[0]["gradients"] == {"x": 2.0, "y": 1.5}
    assert batch.lines(["x*y", "--wrt", "y"], point)[0]["gradients"] == {"y": 3.0}
    assert batch.lines(["x*y", "--dtype", "float32"], '{"x": 0.1, "y": 3}')[0]["gradients"] == {"x": 3.0, "y": 0.1}
    assert batch.lines(["z = x*x; u = y", "--of", "z"], point)[0]["gradients"] == {"x": 6.0, "y": None}
    out = batch(["z = x*x; u = y", "--of", "z", "--format", "csv"], "x,y\n3,4\n").out
    assert out == "x,y,value,d_x,d_y\n3,4,9.0,6.0,\n"


def test_a_bad_record_costs_itself_alone(batch: Batch) -> None:
    bad = [
        "nope",
        "[1]",
        '{"x1": 1}',
        '{"x1": "1", "a": 2, "x2": 3}',
        '{"x1": NaN, "a": 1, "x2": 1}',
        '{"x1": 1, "x1": 2}',
    ]
    text = "".join(f"{line}\n{POINT}\n" for line in bad)
    found = batch([SQUARE], text)
    lines = found.out.splitlines()
    assert found.code == 4
    assert lines[1::2] == [RESULT] * len(bad)
    errors = [json.loads(line)["error"] for line in lines[::2]]
    assert [error["code"] for error in errors] == ["E220", "E222", "E201", "E207", "E223", "E221"]
    assert [error["line"] for error in errors] == [1, 3, 5, 7, 9, 11]
    assert found.err.startswith("error[E229]: 6 of 12 records failed, the first on line 1\n")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_many_bad_rows_come_in_several_pieces(batch: Batch, monkeypatch: pytest.MonkeyPatch, jobs: str) -> None:
    """The facts of as many failures as a block has rows would be no answer."""
    monkeypatch.setattr("gradcli.stream.batches.MOST_RECORDS", 3)
    text = 'x,y\n1,2\n\n,4\n"5",6\n,7\n8,\n9,1\n,\n'
    found = batch(["x*y", "--format", "csv", "--jobs", jobs, "--error-format", "concise"], text)
    assert [line.partition(",")[0] for line in found.out.splitlines()] == ["x", "1", "", '"5"', "", "8", "9", ""]
    assert [line.split(":")[1] for line in found.err.splitlines()[:-1]] == ["4", "6", "7", "9"]


def test_fail_fast(batch: Batch) -> None:
    for jobs in ("1", "2"):
        found = batch([SQUARE, "--fail-fast", "--jobs", jobs], f"{POINT}\nno\n{POINT}\nno\n")
        assert (found.code, len(found.out.splitlines())) == (3, 2)
        assert "1 of 2 records failed" in found.err


@pytest.mark.parametrize(("most", "code"), [("0", 3), ("1", 3), ("2", 4), ("none", 4)])
def test_so_many_records_may_fail(batch: Batch, most: str, code: int) -> None:
    found = batch([SQUARE, "--max-errors", most], f"{POINT}\nno\n{POINT}\nno\n")
    assert found.code == code
    assert ("it stopped there" in found.err) == (code == 3)
    assert batch([SQUARE, "--max-errors", most], f"{POINT}\n").code == 0


@pytest.mark.parametrize("wrong", [["-1"], ["some"], ["1.5"], ["³"], ["1", "--fail-fast"]])
def test_how_many_may_fail_is_a_number(batch: Batch, wrong: list[str]) -> None:
    assert batch([SQUARE, "--max-errors", *wrong], POINT).code == 2


def test_every_record_with_its_program(batch: Batch) -> None:
    text = "\n".join(
        [
            '{"program": "x**2", "at": {"x": 3}, "id": 1}',
            '{"program": "x**", "at": {"x": 3}}',
            '{"program": "x**2", "at": {"x": 4}}',
            '{"program": "pi*e", "at": {"e": 2, "pi": 3}}',
            '{"program": "y"}',
            '{"at": {}}',
        ]
    )
    found = batch.lines(["--each"], text)
    assert [line["ok"] for line in found] == [True, False, True, True, False, False]
    assert found[0] == {"ok": True, "value": 9.0, "gradients": {"x": 6.0}, "record": {"id": 1}}
    assert found[3]["gradients"] == {"pi": 2.0, "e": 3.0}


def test_files(batch: Batch, tmp_path: Path) -> None:
    points, results = tmp_path / "points.csv.gz", tmp_path / "results.csv.gz"
    points.write_bytes(gzip.compress(b"x\n3\n"))
    assert batch(["x**2", "-i", str(points), "-o", str(results)]) == Result(0, "", "")
    assert gzip.decompress(results.read_bytes()) == b"x,value,d_x\n3,9.0,6.0\n"
    assert batch(["x**2", "-i", str(points)]).out == "x,value,d_x\n3,9.0,6.0\n"
    lines = tmp_path / "results.jsonl"
    assert batch(["x**2", "-i", str(points), "-o", str(lines)]).code == 0
    assert json.loads(lines.read_text())["value"] == 9.0
    program = tmp_path / "square.grad"
    program.write_text("x**2\n")
    assert batch(["-f", str(program)], '{"x": 3}').code == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "E002"),
        (["x+"], "E104"),
        (["x", "--wrt", "y"], "E007"),
        (["x", "--of", "y"], "E010"),
        (["y = x+1", "y=1"], "E006"),
        (["x", "y"], "E004"),
        (["x", "-i", "nowhere"], "E003"),
        (["x", "-o", "/nowhere/a"], "E011"),
        (["x", "-o", "results.csv", "-i", "points.jsonl"], "E014"),
        (["--each", "x"], "E014"),
        (["--each", "--format", "csv"], "E014"),
        (["-f", "-"], "E014"),
        (["x", "--jobs", "0"], "E001"),
        (["x", "--format", "xml"], "E001"),
        (["x", "--jsom"], "E001"),
    ],
)
def test_usage(batch: Batch, arguments: list[str], code: str) -> None:
    found = batch(arguments)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"error[{code}]: ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the input is empty"),
        ("1,2\n3,4\n", "no column for x: the header has 1, 2"),
        ("x,x\n1,2\n", "x twice"),
        ("x,value\n1,2\n", "has a column value already"),
        ('"x\n1\n', "a quote is never closed"),
    ],
)
def test_headers_that_do_not_do(batch: Batch, text: str, told: str) -> None:
    found = batch(["x**2", "--format", "csv"], text)
    assert (found.code, found.out) == (3, "")
    assert told in found.err


def test_the_input_is_never_the_output(batch: Batch, tmp_path: Path) -> None:
    path = tmp_path / "points.jsonl"
    path.write_text('{"x": 3}\n')
    (tmp_path / "again.jsonl").symlink_to(path)
    found = batch(["x", "-i", str(path), "-o", str(tmp_path / "again.jsonl")])
    assert (found.code, path.read_text()) == (2, '{"x": 3}\n')


@pytest.mark.slow
@pytest.mark.parametrize("program", ["x**2", "sum(stack([x, x]))*x/2"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_file_that_ends_too_early(jobs: str, program: str, batch: Batch, tmp_path: Path) -> None:
    path = tmp_path / "points.jsonl.gz"
    text = "".join(f'{{"x": {n}}}\n' for n in range(1500)).encode()
    path.write_bytes(gzip.compress(text)[:-500])
    left = zlib.decompressobj(31).decompress(path.read_bytes()).count(b"\n")
    assert 1000 < left < 1500
    found = batch([program, "-i", str(path), "--jobs", jobs])
    *lines, last = [json.loads(line) for line in found.out.splitlines()]
    assert [line["value"] for line in lines] == [float(n * n) for n in range(left)]
    assert last["error"]["line"] == left + 1
    assert last["error"]["message"] == f"{path} ends in the middle of its compressed data"
    assert found.code == 3
    assert "ends in the middle of its compressed data" in found.err


@pytest.mark.slow
@pytest.mark.parametrize("program", [SQUARE, "sum(stack([x1, a, x2])**2)"])
def test_more_processes_give_the_same(batch: Batch, program: str) -> None:
    text = "".join(f'{{"x1": {n}, "a": {n}.5, "x2": -{n}}}\n' + "no\n" * (n % 97 == 0) for n in range(1500))
    assert batch([program, "--jobs", "3"], text) == batch([program], text)


@pytest.mark.parametrize(
    "files",
    [
        ["-i", "points.tsv"], ["-i", "points.jsonl.lz4"], ["-i", "points.parquet.gz"], ["-o", "results.txt"],
        ["-i", "points.parquet", "-o", "results.txt"], ["-o", "results.jsonl.xz"], ["-i", "points.TSV.gz"],
        ["-o", "results.parquet", "-i", "points.csv.xz"],
    ],
)  # fmt: skip
def test_an_ending_that_is_not_known_is_no_guess(batch: Batch, files: list[str]) -> None:
    found = batch(["x**2", *files])
    assert (found.code, found.out) == (2, "")
    assert files[-1] in found.err


@pytest.mark.parametrize(
    "text", ["x,y\n1,2\n", '"y";"x"\r\n1;2\r\n', "\n\nid\tx\ty\n1\t2\t3\n", "sep=;\nu;v\n", "x\n1\n"]
)
def test_a_table_on_standard_input_is_named(batch: Batch, text: str) -> None:
    outcome = batch(["x*y", "y=2"], text)
    assert (outcome.code, outcome.out) == (2, "")
    assert "begins with the header of a table" in outcome.err
    assert "add --format csv" in outcome.err


@pytest.mark.parametrize("text", ['{"x": 1}\n', '\n\n{"x": 1}\n', '{"x,y": 0, "x": 1}\n'])
def test_json_lines_on_standard_input_are_no_table(batch: Batch, text: str) -> None:
    outcome = batch(["x*y", "y=2"], text)
    assert (outcome.code, json.loads(outcome.out)["value"]) == (0, 2)
