from __future__ import annotations

import sys
from contextlib import ExitStack
from itertools import count

import pytest

from gradcli.render.text import progress
from gradcli.render.text.looks import Looks


@pytest.mark.parametrize(("step", "looked_at", "shown"), [(0.6, True, True), (0.2, True, False), (0.6, False, False)])
def test_a_bar_after_a_second_where_somebody_looks(
    step: float, looked_at: bool, shown: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that goes on by a step whenever it is asked."""
    ticks = count()
    monkeypatch.setattr(progress.time, "monotonic", lambda: step * next(ticks))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: looked_at)
    with ExitStack() as stack:
        assert list(progress.after_a_second("abc", 3, Looks(ascii=True), stack)) == ["a", "b", "c"]
    assert ("/3" in capsys.readouterr().err) == shown
