"""Frames of Dask whose columns are no numbers, or have no type in Arrow: errors before there is a job."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import gradcli.dask
from gradcli.errors import EvaluationError

frames: Any = pytest.importorskip("dask.dataframe")
pandas: Any = import_module("pandas")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.array([1j, 2]), "the column x has complex128"),
        (pandas.Series(["1", "2"]), "the column x has strings, not numbers"),
        (pandas.period_range("2020", periods=2, freq="D"), r"the column x has .*period"),
        (pandas.Categorical([1.5, 2.5]), "the column x has a dictionary, not numbers"),
        (pandas.date_range("2020", periods=2), r"the column x has timestamp\[.*\], not numbers"),
    ],
)
def test_columns_that_are_no_numbers(column: Any, message: str) -> None:
    frame = frames.from_pandas(pandas.DataFrame({"x": column, "y": [1.0, 2.0]}), npartitions=1)
    with pytest.raises(EvaluationError, match=message) as caught:
        gradcli.dask.batch(frame, "x*y")
    assert caught.value.help
    assert "value" in gradcli.dask.batch(frame, "y").columns


@pytest.mark.parametrize("kind", ["int8", "uint64", "float16", "float32", "Int64", "Float64", "int64[pyarrow]"])
def test_every_kind_of_numbers(kind: str) -> None:
    frame = frames.from_pandas(pandas.DataFrame({"x": pandas.Series([1, 0, 3], dtype=kind)}), npartitions=1)
    assert list(gradcli.dask.batch(frame, "x**2").compute(scheduler="synchronous")["value"]) == [1.0, 0.0, 9.0]
