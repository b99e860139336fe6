"""A sample that torch dies of is one verdict: the others still have theirs."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")  # which torch's own tests import


def test_only_the_sample_that_torch_dies_of_has_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    from gradcli.errors import GradcliError
    from tests.sweep import surviving
    from tests.sweep.running import Verdict
    from tests.sweep.samples import Sample

    def verdict(sample: Sample) -> Verdict:
        if "dies" in sample.name:
            os._exit(1)
        return Verdict(sample, sample.text, "agrees")

    def ran_here(text: str) -> tuple[dict[str, object], GradcliError | None]:
        if text == "both":
            os._exit(1)
        return {}, None

    monkeypatch.setattr(surviving, "verdict", verdict)
    monkeypatch.setattr(surviving, "ran_here", ran_here)
    given = [Sample(name, "function", text, ()) for name, text in zip("abcd", "wxyz", strict=True)]
    given[1:1] = [Sample("dies", "function", "torch", ()), Sample("dies too", "function", "both", ())]
    found = [(one.sample.name, one.word, one.why) for one in surviving.verdicts(given)]
    assert found == [
        ("a", "agrees", ""),
        ("dies", "crashed", "torch crashes"),
        ("dies too", "differs", "gradcli crashes"),
        ("b", "agrees", ""),
        ("c", "agrees", ""),
        ("d", "agrees", ""),
    ]
