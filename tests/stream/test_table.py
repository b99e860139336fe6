"""CSV: all rows at once, with orjson and without, or each alone: the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import EvaluationError
from gradcli.stream.records import LONGEST, Block, too_long
from gradcli.stream.table import Table, take_header, whole_rows

TABLE = Table(["id", "x", "y"], ["x", "y"], keeps_text=True)
POINTS = Table(["y", "x"], ["x", "y"], keeps_text=True)
BAD = {
    "a,1": "E226",
    "a,1,2,3": "E226",
    'a,1,"2': "E226",
    "a,1\r,2": "E226",
    "a,x,2": "E207",
    "a,1_000,2": "E207",
    "a,0x10,2": "E207",
    "a,nan,2": "E223",
    "a,inf,2": "E223",
    "a,1e999,2": "E223",
    'a,"[1, 2",2': "E220",
    'a,"[1, null]",2': "E207",
}
GOOD = {
    "a,1,2": {"x": 1.0, "y": 2.0},
    "a,+1, .5 ": {"x": 1.0, "y": 0.5},
    "a,-0,1e-400": {"x": -0.0, "y": 0.0},
    '"a ""b"", c",1,2': {"x": 1.0, "y": 2.0},
    'a,"1",2': {"x": 1.0, "y": 2.0},
    "a,1,": {"x": 1.0},
    "a,1,2\r": {"x": 1.0, "y": 2.0},
    'a 5" pipe,1,2': {"x": 1.0, "y": 2.0},
    "é,1,123456789012345678901234567890": {"x": 1.0, "y": 1.2345678901234568e29},
}


def block(*rows: str) -> Block:
    return Block(2, "\n".join(rows).encode())


@pytest.mark.parametrize(("row", "code"), BAD.items())
def test_a_bad_row_costs_itself_alone(row: str, code: str) -> None:
    rows = block("a,1,2", row, "b,3,4")
    assert TABLE.columns(rows) is None
    found = TABLE.records(rows)
    assert [record.error and record.error.code for record in found] == [None, code, None]
    assert found[1].line == 3
    assert found[1].text.count(",") >= 2


@pytest.mark.parametrize(("row", "values"), GOOD.items())
def test_good_rows(row: str, values: dict[str, float]) -> None:
    (record,) = TABLE.records(block(row))
    assert record.error is None
    assert str(record.values) == str(values)
    assert record.text == row.removesuffix("\r")


@pytest.mark.usefixtures("form")
@given(st.lists(st.sampled_from([*GOOD, *BAD, ""]), max_size=4), st.sampled_from([0, 1]), st.booleans())
def test_columns_are_what_records_are(rows: list[str], width: int, is_ended: bool) -> None:
    table, rows = (TABLE, rows) if width else (POINTS, [row.partition(",")[2] for row in rows])
    given = block(*rows, *([""] if is_ended else []))
    together = table.columns(given)
    if together is None:
        return
    records = table.records(given)
    assert [record.error for record in records] == [None] * together.count
    for name, column in together.values.items():
        assert column.tobytes() == np.array([record.values[name] for record in records]).tobytes()
    assert list(together.texts) == [record.text.encode() for record in records]


@pytest.mark.usefixtures("form")
def test_plain_rows_are_read_at_once() -> None:
    found = POINTS.columns(block("1,2", "", "-3.5,4\r"))
    assert found is not None
    assert {name: column.tolist() for name, column in found.values.items()} == {"x": [2, 4], "y": [1, -3.5]}
    fields = Table(["id", "x", "y"], ["x"], keeps_text=False).columns(block("a,1,2"))
    assert fields is not None
    assert fields.rests == [{"id": "a", "y": "2"}]


@pytest.mark.parametrize(("row", "text"), [("b,1", "b,1,"), ("b,1,2,3,4", "b,1,2"), ('"b,c",1,2,3', ",,")])
def test_a_row_of_another_length_fits_its_place(row: str, text: str) -> None:
    (record,) = TABLE.records(block(row))
    assert record.text == text


def test_a_cell_over_several_lines() -> None:
    rows = ['"a', "", 'b",1,2', 'c,"3",4']
    assert whole_rows([row.encode() for row in rows], 2) == [(b'"a\n\nb",1,2', 2), (b'c,"3",4', 5)]
    first, second = TABLE.records(block(*rows))
    assert (first.line, first.error, first.values, first.text) == (2, None, {"x": 1.0, "y": 2.0}, '"a\n\nb",1,2')
    assert (second.line, second.values) == (5, {"x": 3.0, "y": 4.0})


def test_the_header() -> None:
    assert take_header(Block(1, b"\n x , y\r\n1,2\n")) == (["x", "y"], Block(3, b"1,2\n"))
    assert take_header(Block(1, b'"a\nb",y')) == (["a\nb", "y"], Block(3, b""))
    for data in (b"x,x\n", b"a,,\n", b"\xff,x\n", b'"x\n'):
        with pytest.raises(EvaluationError):
            take_header(Block(1, data))
    with pytest.raises(EvaluationError, match="longer than"):
        take_header(Block(1, b"", too_long(LONGEST)))
