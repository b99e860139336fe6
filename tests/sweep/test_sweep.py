"""Some of the samples of torch's operators: each agrees or is refused by name."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")  # which torch's own tests import

OPERATORS = ("sin", "matmul")


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATORS)
def test_samples_agree_or_are_refused(name: str) -> None:
    from tests.sweep.running import verdict
    from tests.sweep.samples import samples

    found = [verdict(sample) for sample in samples(name, ("function",), most=3)]
    assert found
    assert [one for one in found if one.word == "differs"] == []
