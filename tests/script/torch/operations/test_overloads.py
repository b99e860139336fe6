"""The recorded ways to call torch's functions are torch's."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")


@pytest.mark.filterwarnings("ignore")
def test_the_record_is_torchs() -> None:
    from tests.script.record_overloads import TARGET, lines

    torchs = dict(line.split(": ", 1) for line in lines())
    recorded = dict(line.split(": ", 1) for line in TARGET.read_text("utf-8").splitlines())
    wrong = [name for name, ways in recorded.items() if torchs.get(name, ways) != ways]
    assert not wrong, "run python -m tests.script.record_overloads"
