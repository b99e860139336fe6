"""Every snippet of the list on torch and on the engine: entries, dtypes, graphs, versions, texts of errors."""

from __future__ import annotations

import warnings

import pytest

from gradcli.engine.operators import FUNCTIONS
from tests.engine.snippets import Engine, lines, outcome
from tests.script.passes import backward

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("snippet", lines())
def test_the_engine_does_as_torch(snippet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FUNCTIONS, "backward", backward)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(snippet, Engine()) == outcome(snippet, torch)
