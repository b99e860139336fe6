"""The examples of `samples/clusters/README.md` run as they stand, where their libraries are there."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

README = Path(__file__).parents[3] / "samples" / "clusters" / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
EXPECTED = {"value": [49.0, 100.0], "d_x1": [14.0, 20.0], "d_x2": [28.0, 40.0]}


def needed(example: str) -> list[str]:
    return re.findall(r"^import (\w+)", example, re.MULTILINE)


def columns(results: Any) -> dict[str, list[float]]:
    """The columns of results, whatever holds them."""
    if hasattr(results, "arrow"):  # of DuckDB
        results = results.arrow().read_all()
    return {name: np.asarray(results[name], float).tolist() for name in EXPECTED}


def test_there_is_an_example_for_each_library() -> None:
    first = [needed(example)[0] for example in EXAMPLES]
    assert first == ["numpy", "pyarrow", "pandas", "polars", "duckdb"]
    assert all(example.count("\n") <= 16 for example in EXAMPLES)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: needed(example)[0])
def test_the_example_runs(example: str) -> None:
    if missing := [name for name in needed(example) if find_spec(name) is None]:
        pytest.skip(f"no {', '.join(missing)}")
    names: dict[str, Any] = {}
    exec(example, names)
    assert columns(names["results"]) == EXPECTED
