"""Every snippet of the list on torch and on the engine: entries, dtypes, graphs, versions, texts of errors."""

from __future__ import annotations

import warnings

import pytest

from tests.engine.snippets import Engine, lines, outcome

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("snippet", lines())
def test_the_engine_does_as_torch(snippet: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(snippet, Engine()) == outcome(snippet, torch)
