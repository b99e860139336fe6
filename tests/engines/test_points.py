"""A row that ends its process costs itself alone, in a fresh process too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import gradcli
from gradcli.engines import points
from gradcli.engines.points import OneByOne, Points
from gradcli.stream.plan import Plan
from tests.stream.test_losses import ENDS, FATAL, ending

pa: Any = pytest.importorskip("pyarrow")


@dataclass(frozen=True)
class Ending(OneByOne):
    """Rows one by one, of which the fatal ones end their process."""

    def __call__(self, batch: Any) -> list[Any]:
        Plan.at = ending(Plan.at, lambda values: values.get("x") == FATAL, ENDS["crash"])  # type: ignore[method-assign]
        return super().__call__(batch)


@pytest.mark.slow
def test_a_row_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "OneByOne", Ending)
    work = Points(gradcli.columns("sum(masked_select(x, x == x))*x"))
    given = [pa.record_batch({"x": pa.array(rows, pa.float64())}) for rows in ([1.0, FATAL, 3.0], [], [4.0, FATAL])]
    found = pa.Table.from_batches(work(given)).to_pydict()
    assert found["value"] == [1, None, 9, 16, None]
    assert [(error or "")[:4] for error in found["error"]] == ["", "E404", "", "", "E404"]
