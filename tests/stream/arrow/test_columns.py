"""A program over columns gives what it gives one point at a time, to the last bit; what fails costs its own row."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError
from gradcli.stream.plan import Plan, Task
from tests.stream.test_plan import EDGES, bits

X = np.array(EDGES)
Y = np.roll(X, 3)
VECTORS = np.stack([X, Y, X + Y], axis=1)
OF_VECTORS = [
    "sum(v*x)",
    "softmax(v, dim=0)[0]*x",
    "v[0] - x",
    "sum(stack([x, x*v[1]]))",
    "where(x > 0, 1, 0)*2",
    "sum(v[v == v])*x",
]


def assert_rows(program: str, columns: dict[str, Any], **fixed: Any) -> None:
    """Every row of the columns against the row alone."""
    plan, result = Plan(Task(program, fixed=fixed)), gradcli.columns(program, **fixed)(**columns)
    for row in range(len(X)):
        alone = plan.at({n: c[row] if c.ndim > 1 else c[row].item() for n, c in columns.items()})
        assert bits_of(alone.value) == bits_of(result.value[row])
        for name, gradient in alone.gradients.items():
            assert bits_of(gradient) == bits_of(None if gradient is None else result.gradients[name][row])


def bits_of(value: Any) -> Any:
    return bits(value) if np.ndim(value) == 0 else list(map(bits_of, value))


@pytest.mark.parametrize(
    "program",
    ["x*y", "log(x)/y", "x**y", "where(x > y, sin(x), x**2.5)", "exp(x)**1.7 + tanh(y)", "k = 2; (x*k - y)**2"],
)
def test_numbers_at_once(program: str) -> None:
    assert_rows(program, {"x": X, "y": Y})


@pytest.mark.parametrize("program", OF_VECTORS)
def test_other_programs_row_by_row(program: str) -> None:
    columns = {"x": X, "v": VECTORS} if "v" in program.replace("where", "") else {"x": X}
    assert_rows(program, columns)


def test_it_pickles() -> None:
    f = pickle.loads(pickle.dumps(gradcli.columns("sum(w*v)", w=[1, 2, 3])))
    assert_rows("sum(w*v)", {"v": VECTORS}, w=[1, 2, 3])
    assert f(v=[[1, 1, 1]]).value.tolist() == [6]
    assert len(pickle.dumps(f)) < 500


@pytest.mark.parametrize("program", ["x*y", "sum(x*y)"])
def test_a_row_without_a_value_is_nan(program: str) -> None:
    f = gradcli.columns(program)
    result = f(x=np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]), y=[1, 2, 3])
    assert str([result.value.tolist(), result.gradients["y"].tolist()]) == "[[1.0, nan, 9.0], [1.0, nan, 3.0]]"
    assert f.errors == {1: "E207: the value of x is null"}
    assert str(gradcli.columns("x > 1")(x=np.ma.masked_array([1, 2], [True, False])).value.tolist()) == "[nan, 1.0]"


@pytest.mark.parametrize(
    ("library", "make"),
    {
        "pandas": lambda pd, values: pd.Series(values, dtype="Int64"),
        "pandas ": lambda pd, values: pd.Series([None if x is None else x > 2 for x in values], dtype="boolean"),
        "polars": lambda pl, values: pl.Series(values),
        "pyarrow": lambda pa, values: pa.array(values),
        "pyarrow ": lambda pa, values: pa.chunked_array([[None, True], [False]]),
    }.items(),
)
def test_a_null_is_no_number_for_a_condition(library: str, make: Any) -> None:
    """As nan it would be small, and the row have a value."""
    column = make(pytest.importorskip(library.strip()), [None, 3, 2])
    f = gradcli.columns("where(x > 0.5, y, 2*y)", wrt=["y"])
    result = f(x=column, y=[1.0, 1.0, 1.0])
    assert str(result.value[0]) == str(result.gradients["y"][0]) == "nan"
    assert f.errors == {0: "E207: the value of x is null"}
    assert np.isfinite(result.value[1:]).all()


LISTS = {
    "pyarrow": lambda pa, rows: pa.array(rows, pa.list_(pa.float64(), 2)),
    "pyarrow ": lambda pa, rows: pa.chunked_array([rows[:1], rows[1:]], pa.list_(pa.int8(), 2)),
    "pandas": lambda pd, rows: pd.Series(rows, dtype=pd.ArrowDtype(LISTS["pyarrow"](arrow(), []).type)),
    "polars": lambda pl, rows: pl.Series(rows, dtype=pl.Array(pl.Int64, 2)),
}


@pytest.mark.parametrize("library", LISTS)
def test_a_null_inside_of_a_list_is_no_number(library: str) -> None:
    arrow()
    column = LISTS[library](pytest.importorskip(library.strip()), [[1, None], [3, 4], None, [5, 6]])
    f = gradcli.columns("sum(v)")
    result = f(v=column)
    assert str(result.value.tolist()) == "[nan, 7.0, nan, 11.0]"
    assert str(result.gradients["v"][:2].tolist()) == "[[nan, nan], [1.0, 1.0]]"
    assert list(f.errors) == [0, 2]
    assert result.errors == f.errors


@pytest.mark.parametrize(
    ("library", "make", "message"),
    [
        ("polars", lambda pl: pl.Series([{"a": 1}]), "the column x has struct<a: int64>, not numbers"),
        ("polars", lambda pl: pl.Series([[1.0]]), "the column x has lists of any length, not numbers"),
        ("polars", lambda pl: pl.Series(["a"]), "x is a column of String, not a column of numbers"),
        ("pandas", lambda pd: pd.Series(["a"], dtype="string[pyarrow]"), "x is a column of string"),
        ("pandas", lambda pd: pd.Series([0], dtype="timestamp[s][pyarrow]"), "the column x has timestamp[s]"),
        ("pyarrow", lambda pa: pa.array(["a"]), "the column x has strings, not numbers"),
        ("pyarrow", lambda pa: pa.array([1.5]).dictionary_encode(), "the column x has a dictionary, not numbers"),
        ("pyarrow", lambda pa: pa.array([1]).cast(pa.decimal128(20)), "the column x has decimals, not numbers"),
    ],
)
def test_columns_of_libraries_that_are_no_numbers(library: str, make: Any, message: str) -> None:
    arrow()
    with pytest.raises(GradcliError, match=re.escape(message)) as caught:
        gradcli.columns("x**2")(x=make(pytest.importorskip(library)))
    assert caught.value.code == "E207"


def arrow() -> Any:
    return pytest.importorskip("pyarrow")


def test_batches_and_schemas_are_those_of_pyarrow() -> None:
    pa = pytest.importorskip("pyarrow")
    f = gradcli.columns("x**2")
    with pytest.raises(GradcliError, match="takes a RecordBatch of pyarrow, not Table"):
        f.record_batch(pa.table({"x": [1.0]}))
    with pytest.raises(GradcliError, match="takes a Schema of pyarrow, not dict"):
        f.schema({"x": float})


def test_a_row_that_fails_costs_itself() -> None:
    f = gradcli.columns("nll_loss(v, k)*x", wrt=["x"])
    result = f(v=np.arange(6.0).reshape(3, 2), k=[0, 5, 1], x=[2, 2, 2])
    assert str(result.value.tolist()) == "[0.0, nan, -10.0]"
    assert list(f.errors) == [1]
    assert f.errors[1].startswith("E3")


def test_a_row_with_a_shape_of_its_own_fails() -> None:
    f = gradcli.columns("masked_select(v, v > 0.5)", wrt=[])
    result = f(v=[[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    assert str(result.value.tolist()) == "[[nan, nan], [1.0, 1.0]]"
    assert f.errors == {0: "E230: the value has the shape (1,) in this row, and its column (2,)"}


@pytest.mark.parametrize(
    ("columns", "code", "message"),
    [
        ({"x": [1]}, "E201", "no column for y: there is x"),
        ({"x": [1], "Y": [2]}, "E006", "the program takes no column Y"),
        ({"x": [1], "y": [2], "k": [1]}, "E006", "k has one value for all records"),
        ({"x": [1], "y": [1, 2]}, "E226", "columns of different lengths: x has 1 rows, y has 2 rows"),
        ({"x": ["1"], "y": [2]}, "E207", "x is a column of <U1, not a column of numbers"),
        ({"x": [None], "y": [2]}, "E207", "x is a column of object"),
        ({"x": 1.0, "y": [2]}, "E207", "x is one value, not a column"),
        ({"x": [[1], [2, 3]], "y": [1, 2]}, "E207", "x is no array: setting an array element"),
        ({"x": np.ones((2, 0)), "y": [1, 2]}, "E207", "a row of x has the shape (0,)"),
    ],
)
def test_columns_that_cannot_be(columns: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(GradcliError, match=re.escape(message)) as caught:
        gradcli.columns("x*y*k", k=2)(**columns)
    assert caught.value.code == code


def test_what_is_wrong_with_the_program_is_said_before_there_are_columns() -> None:
    with pytest.raises(GradcliError, match="x is not a variable"):
        gradcli.columns("y", wrt=["x"])
    with pytest.raises(GradcliError, match="needs an upstream gradient"):
        gradcli.columns("2*v")(v=np.ones((3, 2)))


def test_many_threads() -> None:
    f = gradcli.columns("tanh(x*y)")
    g = gradcli.columns("sum(x*v)")
    expected = f(x=X, y=Y).value, g(x=X, v=VECTORS).value
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: (f(x=X, y=Y).value, g(x=X, v=VECTORS).value), range(20)))
    for one in found:
        np.testing.assert_array_equal(one[0], expected[0])
        np.testing.assert_array_equal(one[1], expected[1])
