"""A block gives what its lines give one at a time, byte for byte: however input is cut, results are the same."""

from __future__ import annotations

import json
from typing import Any
from warnings import catch_warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradcli.dialects import Dialect
from gradcli.stream.conversion import SHOWN, Conversion, Piece
from gradcli.stream.jsonl import JsonLines
from gradcli.stream.plan import Plan, Task
from gradcli.stream.records import Block
from gradcli.stream.table import Table
from gradcli.stream.values import unsafe
from gradcli.stream.writing import JsonLinesWriter, TableWriter
from tests.commands.running import validator
from tests.stream.conftest import form as form

PROGRAMS = [
    "x**y",
    "k = 2; (x*k - y)**2",
    "log(x)/y",
    "sum(stack([x, y])**2)",
    "where(x > y, sin(x), x**2.5)",
    "sum(x*y)",
    "leaky_relu(x, y)",
]
NUMBERS = (
    st.floats().map(json.dumps) | st.integers().map(str) | st.sampled_from(["0", "-0", "1e999", "2.50", "1E3", "0.1"])
)
VALUES = NUMBERS | st.sampled_from(["[1, 2]", "[[1], [2, 3]]", "null", "true", '"1"', "{}", "[]"])
FIELDS = st.tuples(st.sampled_from(["x", "y", "k", "id", "é", 'q"']), VALUES)
RECORDS = st.lists(FIELDS, max_size=4).map(
    lambda fields: "{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in fields) + "}"
)
POINTS = st.tuples(NUMBERS, NUMBERS).map(lambda point: f'{{"x": {point[0]}, "y": {point[1]}}}')
LINES = POINTS | POINTS | RECORDS | st.text(max_size=9).map(lambda text: text.replace("\n", ""))
CELLS = st.tuples(VALUES, NUMBERS, st.sampled_from(["a", '"b,c"', '"', ""])).map(
    lambda cells: f"{cells[2]},{cells[0]},{cells[1]}"
)
ROWS = (
    CELLS
    | st.tuples(NUMBERS, NUMBERS).map(lambda cells: f"a,{cells[0]},{cells[1]}")
    | st.sampled_from(["1,2", "a,,2", ""])
)

ODD_NAMES = st.text(st.sampled_from('\x00\x01\x1f"\\/:{}\x7f\x80\x85\x9fé\u200e\u2028\u2029\ud800\udfff'), max_size=3)
ODD_FIELDS = st.tuples(ODD_NAMES, ODD_NAMES, st.booleans()).map(
    lambda field: ": ".join(json.dumps(text, ensure_ascii=field[2]) for text in field[:2])
)
ODD_LINES = st.sampled_from(["\x85", "\x1c", "\u2028", "\xa0", "\x0b", " \t\r"])


def for_lines(program: str, **options: Any) -> Conversion:
    task = Task(program, **options)
    plan = Plan(task)
    return Conversion(JsonLines(plan.names, plan.required), JsonLinesWriter(has_gradients=True), task, plan)


def for_rows(program: str) -> Conversion:
    task = Task(program)
    plan = Plan(task)
    header = ["id", "x", "y"]
    writer = TableWriter(header, plan.differentiated)
    return Conversion(Table(header, plan.names, keeps_text=True, required=plan.required), writer, task, plan)


def assert_cuts_make_no_difference(convert: Conversion, lines: list[str]) -> str:
    data = [line.encode("utf-8", "surrogatepass") for line in lines]
    whole = convert(Piece(Block(1, b"\n".join(data))))
    parts = [convert(Piece(Block(number, line))) for number, line in enumerate(data, 1)]
    assert whole.text == b"".join(part.text for part in parts)
    assert whole.count == sum(part.count for part in parts)
    assert list(whole.failures) == [failure for part in parts for failure in part.failures][:SHOWN]
    assert whole.failed == sum(part.failed for part in parts)
    return whole.text.decode()


@pytest.mark.slow
@pytest.mark.usefixtures("form")
@given(st.sampled_from(PROGRAMS), st.lists(LINES, max_size=6), st.sampled_from(["float64", "float32"]))
def test_json_lines(program: str, lines: list[str], dtype: str) -> None:
    text = assert_cuts_make_no_difference(for_lines(program, dtype=dtype), lines)
    found = text.split("\n")[:-1]
    assert len(found) == len([line for line in lines if line.encode("utf-8", "surrogatepass").strip()])
    for line in found:
        validator("batch").validate(json.loads(line, parse_constant=pytest.fail))


VECTORS = [
    "sum(x*y)",
    "x.T @ y",
    "softmax(x, 0)[0]*y",
    "outer(x, y)[0]",
    "where(x > y, x, 0).sum()",
    "x**2 + y",
    "max(x)*2",
]
ENTRIES = st.floats(width=32).map(json.dumps) | st.integers(-(2**70), 2**70).map(str) | st.sampled_from(["-0.0", "0.5"])
SHAPES = st.sampled_from(
    [
        "{}",
        "[{}, {}]",
        "[{}, {}]",
        "[{}, {}, {}]",
        "[[{}, {}], [{}, {}]]",
        "[{}, true]",
        "[true, false]",
        "[]",
        "[{}, null]",
    ]
)
LISTS = st.tuples(SHAPES, st.lists(ENTRIES, min_size=4, max_size=4)).map(lambda drawn: drawn[0].format(*drawn[1]))
VECTOR_LINES = st.tuples(LISTS, LISTS).map(lambda lists: f'{{"x": {lists[0]}, "id": [], "y": {lists[1]}}}')


@pytest.mark.slow
@pytest.mark.usefixtures("form")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(VECTORS), st.lists(VECTOR_LINES, max_size=9), st.sampled_from(["float64", "float32"]))
def test_vectors(monkeypatch: pytest.MonkeyPatch, program: str, lines: list[str], dtype: str) -> None:
    monkeypatch.setattr("gradcli.stream.plan.FEW", 2)
    with catch_warnings(action="ignore"):
        assert_cuts_make_no_difference(for_lines(program, dtype=dtype), lines)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("has_nulls", [True, False])
def test_records_with_lists_of_one_shape_are_computed_at_once(
    monkeypatch: pytest.MonkeyPatch, *, has_nulls: bool
) -> None:
    task = Task("softmax(w*x)*log(y)", fixed={"w": [1.0, 2.0]}, upstream=[1.0, 0.5])
    plan, header = Plan(task), ["y", "x"]
    lists = Conversion(JsonLines(plan.names, []), JsonLinesWriter(has_gradients=True, has_nulls=has_nulls), task, plan)
    table = TableWriter(header, plan.differentiated, Dialect(";", ","), has_nulls=has_nulls, has_errors=True)
    rows = Conversion(Table(header, plan.names, Dialect(";", ","), keeps_text=True), table, task, plan)
    numbers = [n / 8 for n in range(40)]
    for convert, lines in (
        (lists, [f'{{"x": [{n}, 3], "y": {n}, "id": {n}}}' for n in numbers] + ['{"x": [1], "y": 2}', '{"x": "a"}']),
        (rows, [f"{n};{n + 1}".replace(".", ",") for n in numbers] + ["1;a"]),
    ):
        computed, over = list[Any](), Plan.over_stack
        monkeypatch.setattr(Plan, "over_stack", lambda *points: computed.append(points[3]) or over(*points))  # noqa: B023
        text = assert_cuts_make_no_difference(convert, lines)
        assert computed == [40]
        assert ("Infinity" in text) != has_nulls
        monkeypatch.undo()


@pytest.mark.slow
@pytest.mark.usefixtures("form")
@given(st.lists(ODD_FIELDS.map(lambda field: f'{{"x": 1, {field}}}') | ODD_LINES, max_size=6))
def test_odd_names(lines: list[str]) -> None:
    convert = for_lines("x**2")
    text = assert_cuts_make_no_difference(convert, lines)
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    assert text == "".join(map(convert.alone, convert.reader.records(Block(1, data))))
    assert unsafe().search(text) is None


@pytest.mark.slow
@pytest.mark.usefixtures("form")
@given(st.sampled_from(PROGRAMS), st.lists(ROWS, max_size=6))
def test_rows(program: str, rows: list[str]) -> None:
    closed = [row for row in rows if row.count('"') % 2 == 0]
    assert_cuts_make_no_difference(for_rows(program), closed)
    convert = for_rows(program)
    assert convert(Piece(Block(1, "\n".join(rows).encode()))).text.endswith(b"\n") or not any(rows)


def test_the_first_failure_can_end_a_block() -> None:
    convert = for_lines("x")
    convert.is_fail_fast = True
    lines = ['{"x": 1}'] * 20
    lines[7], lines[9] = "bad", '{"x": 1e999}'
    answer = convert(Piece(Block(1, "\n".join(lines).encode())))
    assert (answer.count, answer.text.count(b"\n"), [facts["line"] for facts in answer.failures]) == (8, 8, [8])


@pytest.mark.usefixtures("form")
def test_sparse_records_are_sorted_out_however_many_are_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    for convert, good, bad in ((for_rows("x*y"), "a,3,4", "a,,4"), (for_lines("x*y"), '{"x": 3, "y": 4}', "{}")):
        block = Block(1, f"{good}\n{bad}\n{bad}\n".encode() * 300)
        expected, computed, over = convert.one_by_one(block), list[Any](), Plan.over
        monkeypatch.setattr(Plan, "over", lambda plan, *points: computed.append(points[1]) or over(plan, *points))  # noqa: B023
        assert convert(Piece(block)) == expected
        assert computed[-1] == 300
        monkeypatch.undo()
