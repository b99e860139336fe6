"""Some of the samples of torch's operators: each agrees or is refused by name.

`python -m tests.sweep` runs them all, and shows the ones that still differ.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")  # which torch's own tests import

OPERATORS = """
acosh asinh bucketize cov cumprod hardsigmoid heaviside index_copy index_fill index_select layer_norm
nan_to_num pad.circular prelu put rrelu scatter_reduce searchsorted slogdet take_along_dim unsafe_split
"""
KNOWN = ("graph", "message", "error", "torch raises")  # differences beside values, shapes, flags and names of results


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATORS.split())
def test_samples_agree_or_are_refused(name: str) -> None:
    from tests.sweep.running import verdict
    from tests.sweep.samples import samples

    found = [verdict(sample) for sample in samples(name, most=2)]
    assert found
    differing = [one for one in found if one.word == "differs" and not any(word in one.why for word in KNOWN)]
    assert differing == []
