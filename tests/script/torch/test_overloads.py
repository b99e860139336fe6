"""The recorded ways to call torch's functions are torch's."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")


@pytest.mark.filterwarnings("ignore")
def test_the_record_is_torchs() -> None:
    from tests.script.record_overloads import TARGET, lines

    recorded = set(TARGET.read_text("utf-8").splitlines())
    missing = [line for line in lines() if line not in recorded]
    assert not missing, "run python -m tests.script.record_overloads"
