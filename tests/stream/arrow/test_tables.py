"""Record batches in and out: every type of numbers, nulls anywhere, refusals before the first row."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError, UsageError

pa: Any = pytest.importorskip("pyarrow")
NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]


def batch(**columns: Any) -> Any:
    return pa.record_batch(columns)


def vectors(rows: Any, kind: Any = None) -> Any:
    return pa.array(rows, pa.list_(kind or pa.float64(), 2))


def test_numbers() -> None:
    f = gradcli.columns("z=(x1+a*x2)**2", a=2.0, wrt=["x1", "x2"])
    given = batch(id=["p", "q"], x1=[1.0, 2.0], x2=[3, 4])
    found = f.record_batch(given)
    assert found.to_pydict() == {
        **given.to_pydict(),
        "value": [49.0, 100.0],
        "d_x1": [14.0, 20.0],
        "d_x2": [28.0, 40.0],
        "error": [None, None],
    }
    assert found.schema == f.schema(given.schema)


@pytest.mark.parametrize("program", ["x*x", "sum(x*x)"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_every_type_of_numbers(kind: str, program: str) -> None:
    column = np.array([1, 2, 3, 4]).astype(kind)
    given = batch(x=pa.array(column, mask=np.array([False, True, False, False])))
    for piece in (given, given.slice(1)):
        found = gradcli.columns(program).record_batch(piece)
        assert found["value"].to_pylist() == [None if x is None else float(x) ** 2 for x in piece["x"].to_pylist()]


def test_booleans() -> None:
    found = gradcli.columns("where(c, x, 2*x)").record_batch(batch(c=[True, None, False], x=[1.0, 2.0, 3.0]))
    assert found["value"].to_pylist() == [1.0, None, 6.0]
    assert found["d_c"].to_pylist() == [None, None, None]
    comparison = gradcli.columns("x > 2").record_batch(batch(x=[1, 3, None]))
    assert comparison["value"].to_pylist() == [False, True, None]


def test_tensors_are_lists_of_one_size() -> None:
    f = gradcli.columns("m @ v", upstream=[1, 1])
    matrices = pa.array(
        [[[1, 2], [3, 4]], None, [[1, 0], [0, 1]], [[1, 0], None]], pa.list_(pa.list_(pa.int32(), 2), 2)
    )
    given = batch(m=matrices, v=vectors([[1, 2], [3, 4], [5, None], [7, 8]]))
    for start, stop in ((0, 4), (1, 4), (0, 1), (2, 2)):
        piece = given.slice(start, stop - start)
        found = f.record_batch(piece)
        assert found.schema == f.schema(piece.schema)
        assert (
            found["value"].to_pylist()
            == [[5, 11], None, None, None][4 - len(piece) if len(piece) > 1 else 0 :][: len(piece)]
        )
    assert found.schema.field("d_m").type == pa.list_(pa.list_(pa.float64(), 2), 2)
    assert f.record_batch(given)["d_m"].to_pylist()[0] == [[1.0, 2.0], [1.0, 2.0]]
    errors = f.record_batch(given)["error"].to_pylist()
    assert errors == [None, *(f"E207: the value of {name} is null" for name in "mvm")]


def test_nan_and_null_are_two_things() -> None:
    found = gradcli.columns("log(x)", wrt=[]).record_batch(batch(x=[-1.0, None, 0.0, float("nan")]))
    assert str(found["value"].to_pylist()) == "[nan, None, -inf, nan]"
    assert [error is None for error in found["error"].to_pylist()] == [True, False, True, True]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array(["1"]), "the column x has strings, not numbers"),
        (pa.array([1]).cast(pa.decimal128(20)), "the column x has decimals, not numbers"),
        (pa.array([1]).dictionary_encode(), "the column x has a dictionary, not numbers"),
        (pa.array([[1, 2]]), "the column x has lists of any length, not numbers"),
        (pa.array(["1"], pa.large_string()), "the column x has strings"),
        (pa.array(["1"], pa.string_view()), "the column x has strings"),
        (pa.array([b"1"]), "the column x has binary"),
        (pa.array([0], pa.timestamp("s")), "the column x has timestamp[s]"),
        (pa.array([None]), "the column x has nothing but nulls"),
        (pa.array([{"a": 1}]), "the column x has struct<a: int64>"),
        (pa.array([[]], pa.list_(pa.int8(), 0)), "a row of x has the shape (0,)"),
        (pa.array([], pa.list_(pa.list_(pa.int8(), 2**20), 2**20)), "a row of x has the shape (1048576, 1048576)"),
    ],
)
def test_columns_without_numbers(column: Any, message: str) -> None:
    given = batch(x=column, y=pa.nulls(len(column), pa.float64()))
    for refused in (lambda f: f.schema(given.schema), lambda f: f.record_batch(given)):
        with pytest.raises(GradcliError, match=re.escape(message)) as caught:
            refused(gradcli.columns("x*y"))
        assert caught.value.help
    assert gradcli.columns("y").schema(given.schema).names[0] == "x"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["y"], "no column for x: there is y"),
        (["a\nb", "\x1b" * 100], "there are a\\x0ab, \\x1b\\x1b"),
        (["x", "x"], "the input has x twice"),
        (["x", "value"], "the input has a column value already"),
        (["x", "d_x"], "the input has a column d_x already"),
        (["x", "error"], "the input has a column error already"),
        (["X", *map(str, range(100_000))], "there are X, 0, 1,"),
    ],
)
def test_names(names: list[str], message: str) -> None:
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pytest.raises(GradcliError, match=re.escape(message)) as caught:
        gradcli.columns("x").schema(schema)
    assert len(caught.value.message) < 200


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    given = batch(x=[1.0])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match="pyarrow") as caught:
        gradcli.columns("x").record_batch(given)
    assert caught.value.help == 'pip install "gradcli[arrow]"'
    assert gradcli.columns("x")(x=[2]).value.tolist() == [2]
