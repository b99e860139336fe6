"""JSON Lines: all lines at once, with orjson and without, or each alone: the same."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import EvaluationError
from gradcli.stream.jsonl import JsonLines, is_unsure, parse_line
from gradcli.stream.records import LONGEST, Block, too_long

READER = JsonLines(["x", "y"], ["x"])
BAD = {
    '{"x": 1': "E220",
    '{"x": 1}}': "E220",
    '{"x": 1} {"x": 2}': "E220",
    '{"x": 1}, {"x": 2}': "E220",
    "nope": "E220",
    '{"x": 01}': "E220",
    "[" * 100_000: "E220",
    '{"x": 1, "deep": ' + "[" * 990 + "]" * 990 + "}": "E220",
    '{"x": 1, "x": 2}': "E221",
    '{"x": 1, "id": {"a": 1, "a": 2}}': "E221",
    "[1]": "E222",
    "3": "E222",
    "null": "E222",
    '{"x": NaN}': "E223",
    '{"x": -Infinity}': "E223",
    '{"x": 1e999}': "E223",
    '{"x": [1, 1e999]}': "E223",
    '{"x": 1, "id": -1e999}': "E223",
    '{"x": 1' + "0" * 400 + "}": "E223",
    '{"x": [1' + "0" * 400 + "]}": "E223",
    '{"x": ' + "9" * 5000 + "}": "E223",
    '{"x": "1"}': "E207",
    '{"x": null}': "E207",
    '{"x": {"a": 1}}': "E207",
    '{"x": [1, "2"]}': "E207",
    '{"x": [[1, 2], [3]]}': "E207",
    '{"x": [1, null]}': "E207",
    '{"x": ' + "[" * 70 + "]" * 70 + "}": "E207",
}
GOOD: dict[str, Any] = {
    '{"x": 1}': ({"x": 1.0}, {}),
    ' {"y" : -0.0, "x": 1e-400}\r': ({"x": 0.0, "y": -0.0}, {}),
    '{"x": 123456789012345678901234567890}': ({"x": 1.2345678901234568e29}, {}),
    '{"x": 1, "id": "a:b", "t": [1, {"k": null}]}': ({"x": 1.0}, {"id": "a:b", "t": [1, {"k": None}]}),
    '{"x": 1, "big": 123456789012345678901234567890}': ({"x": 1.0}, {"big": 123456789012345678901234567890}),
    '{"x": 1, "s": "\\ud800"}': ({"x": 1.0}, {"s": "\ud800"}),
    '{"x": 1, "s": "\\u001f"}': ({"x": 1.0}, {"s": "\x1f"}),
    '{"x": true}': ({"x": True}, {}),
    '{"q": 1}': ({}, {"q": 1}),
    '{"x": 1, "wide": [' + "[]," * 999 + "[]]}": ({"x": 1.0}, {"wide": [[]] * 1000}),
}


def block(*lines: str, first: int = 1) -> Block:
    return Block(first, "\n".join(lines).encode())


@pytest.mark.parametrize(("line", "code"), BAD.items(), ids=lambda text: text[:30])
def test_a_bad_line_costs_itself_alone(line: str, code: str) -> None:
    for lines in (block(line), block('{"x": 1}', line, '{"x": 2}')):
        assert READER.columns(lines) is None
        errors = [record.error.code for record in READER.records(lines) if record.error]
        assert errors == [code]


@pytest.mark.parametrize(("line", "expected"), GOOD.items(), ids=lambda text: str(text)[:30])
def test_good_lines(line: str, expected: Any) -> None:
    (record,) = READER.records(block(line, first=7))
    assert (record.line, record.values, record.rest, record.error) == (7, *expected, None)
    assert str(record.values) == str(expected[0])  # -0.0 is not 0.0


@pytest.mark.usefixtures("form")
@given(
    st.lists(
        st.sampled_from([*GOOD, *(line for line in BAD if len(line) < 99), "", " ", '{"x":[1', "2]}", '"', '"S",1']),
        max_size=4,
    )
)
def test_columns_are_what_records_are(lines: list[str]) -> None:
    """Lines that are none by themselves must not be taken for others when many are read at once."""
    together = READER.columns(block(*lines))
    if together is None:
        return
    records = READER.records(block(*lines))
    assert all(record.error is None for record in records)
    assert together.count == len(records)
    for name, column in together.values.items():
        assert column.tobytes() == np.array([record.values[name] for record in records], np.float64).tobytes()
    assert list(together.rests or [{}] * together.count) == [record.rest for record in records]


@pytest.mark.usefixtures("form")
@given(st.lists(st.sampled_from([*GOOD, *(line for line in BAD if len(line) < 99)]), min_size=1, max_size=4))
def test_plain_lines_can_stand_together(lines: list[str]) -> None:
    plain = [line for line in lines if READER.is_plain(line.encode())]
    whole = [line for line in plain if '"y"' in line]
    for chosen in (whole, [line for line in plain if line not in whole and not is_unsure(line.encode())]):
        assert not chosen or READER.columns(block(*chosen)) is not None


def test_text_that_is_no_utf8() -> None:
    records = READER.records(Block(1, b'{"x": 1}\n{"x": "\xff"}\n{"x": 2}\n'))
    assert [record.error and record.error.code for record in records] == [None, "E225", None]
    assert READER.columns(Block(1, b'{"x": "\xff"}')) is None
    problem = too_long(LONGEST)
    (record,) = READER.records(Block(4, b"", problem))
    assert (record.line, record.error) == (4, problem)


def test_every_record_may_bring_its_program() -> None:
    reader = JsonLines([], [], is_each=True)
    good = reader.record(json.dumps({"program": "x**2", "at": {"x": [1, 2]}, "id": 4}).encode(), 1)
    assert (good.program, good.values["x"].tolist(), good.rest) == ("x**2", [1, 2], {"id": 4})
    for line in ('{"at": {}}', '{"program": 3}', '{"program": "x", "at": [1]}', '{"program": "x", "at": {"x": "1"}}'):
        assert reader.record(line.encode(), 1).error is not None


def test_what_python_writes_for_nan_is_read_when_it_is_done_as_told() -> None:
    for name in ("NaN", "Infinity", "-Infinity"):
        with pytest.raises(EvaluationError, match="is no number of JSON") as caught:
            parse_line(f'{{"x": {name}}}')
        assert caught.value.help == f'write it in quotes: "{name}"'
        assert parse_line(f'{{"x": "{name}"}}') == {"x": name}
