"""Every snippet of the list on torch and on the engine: entries, dtypes, graphs, versions, texts of errors."""

from __future__ import annotations

import warnings

import pytest

from gradcli.ops.indexing.assignment import METHODS, in_place_method
from gradcli.ops.support.surface import OPERATIONS
from tests.engine.snippets import Engine, lines, outcome

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("snippet", lines())
def test_the_engine_does_as_torch(snippet: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(snippet, Engine()) == outcome(snippet, torch)


def test_the_methods_that_change_in_place_are_torchs() -> None:
    theirs = {name.removesuffix("_") for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")}
    assert theirs >= METHODS
    missing = {name for name in theirs - METHODS if name in OPERATIONS and in_place_method(f"{name}_") is None}
    assert missing <= {"detach", "as_strided"}  # of which tensors have the first of their own
