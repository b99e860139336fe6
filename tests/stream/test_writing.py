"""Many results at once are written as each is alone, and every line is after its schema."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import EvaluationError
from gradcli.render.text.error import print_failure
from gradcli.stream import digits
from gradcli.stream.plan import Result
from gradcli.stream.records import Columns, Record
from gradcli.stream.writing import JsonLinesWriter, TableWriter, Writer
from tests.commands.running import validator

NUMBERS = st.floats() | st.sampled_from([0.0, -0.0, 49.0, 1e16, 1e-5, 0.1])
FIELDS = st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3) | st.none(), max_size=2)


def alone(writer: Writer, result: Result, columns: Columns) -> bytes:
    lines = []
    for place in range(columns.count):
        gradients = {name: g if g is None else g[place] for name, g in result.gradients.items()}
        rest = dict(columns.rests[place]) if columns.rests else {}
        text = columns.texts[place].decode() if columns.texts else ""
        lines.append(writer.record(Result(result.value[place], gradients), Record(1, rest=rest, text=text)))
    return "".join(lines).encode()


@pytest.mark.slow
@pytest.mark.parametrize("is_plain", [False, True])
@pytest.mark.parametrize("has_gradients", [False, True])
@given(st.lists(st.tuples(NUMBERS, NUMBERS, FIELDS), min_size=1), st.sampled_from([np.float64, np.float32]))
def test_columns_are_records(
    is_plain: bool, has_gradients: bool, rows: list[tuple[float, float, dict[str, Any]]], dtype: Any
) -> None:
    value, gradient = (np.array([row[place] for row in rows], dtype) for place in (0, 1))
    result = Result(value, {"θ": gradient, "y": None} if has_gradients else {})
    texts = [f'{place},"a,b"'.encode() for place in range(len(rows))]
    columns = Columns(len(rows), {}, None if is_plain else [row[2] for row in rows], texts)
    table = TableWriter(["id", "name"], ["θ", "y"] if has_gradients else [])
    for writer in (JsonLinesWriter(has_gradients=has_gradients), table):
        before = digits.orjson
        try:
            together = writer.columns(result, columns)
            assert together == alone(writer, result, columns)
            digits.orjson = None
            assert writer.columns(result, columns) == together
        finally:
            digits.orjson = before
        if writer is not table:
            for line, row in zip(together.splitlines(), rows, strict=True):
                found = json.loads(line, parse_constant=pytest.fail)
                validator("batch").validate(found)
                assert found.get("record", {}) == ({} if is_plain else row[2])


def test_rows() -> None:
    writer = TableWriter(["a,b", "x"], ["x", "W"])
    result = Result(np.float64(2), {"x": None, "W": np.array([[1.0, np.nan]])})
    text = writer.header + writer.record(result, Record(2, text="1,2")) + writer.error(Record(3, text="3,q"))
    assert text == '"a,b",x,value,d_x,d_W\n1,2,2.0,,"[[1.0, ""NaN""]]"\n3,q,,,\n'
    assert len({len(row) for row in csv.reader(StringIO(text))}) == 1


def test_errors(capsys: pytest.CaptureFixture[str]) -> None:
    error = EvaluationError("E223", "the value of \x1b[1mx is odd", help="write 2")
    record = Record(7, rest={"id": 3}, error=error)
    found = json.loads(JsonLinesWriter(has_gradients=True).error(record))
    validator("batch").validate(found)
    assert (found["ok"], found["error"]["line"], found["record"]) == (False, 7, {"id": 3})
    for form, told in [("full", "error[E223]: line 7: "), ("concise", "(help: write 2)"), ("json", '"line": 7')]:
        print_failure(found["error"], "points.csv", form)
        captured = capsys.readouterr()
        assert captured.out == ""
        assert told in captured.err
        assert "\x1b" not in captured.err
