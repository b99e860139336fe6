"""Numbers are read and written in two forms."""

from __future__ import annotations

import pytest

from gradcli.stream import digits


@pytest.fixture(params=["orjson", "python"] if digits.orjson is not None else ["python"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With orjson where it is installed, and without."""
    if request.param == "python":
        monkeypatch.setattr(digits, "orjson", None)
    return str(request.param)
