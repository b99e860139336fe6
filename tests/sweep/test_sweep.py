"""Some of the samples of torch's operators: each agrees or is refused by name.

`python -m tests.sweep` runs them all, and shows the ones that still differ.
"""

from __future__ import annotations

import pytest

from tests.programs import some

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")  # which torch's own tests import

OPERATORS = """
acosh asinh bucketize cov cummax hardsigmoid heaviside index_copy index_fill index_select layer_norm
nan_to_num prelu put rrelu scatter_reduce.amax searchsorted slogdet take_along_dim unsafe_split addbmm vander topk
"""
KNOWN = ("message", "another error")  # differences beside values, shapes, flags, names and what is refused


@pytest.mark.slow
@pytest.mark.parametrize(("number", "name"), list(enumerate(some(OPERATORS.split(), 2))))
def test_samples_agree_or_are_refused(number: int, name: str) -> None:
    """Each operator is called in all forms, and in one of the settings."""
    from tests.sweep.running import verdict
    from tests.sweep.samples import CALLS, SETTINGS, samples

    kinds = (*CALLS, SETTINGS[number % len(SETTINGS)])
    found = [verdict(sample) for sample in samples(name, kinds, most=1)]
    assert found
    differing = [one for one in found if one.word == "differs" and not any(word in one.why for word in KNOWN)]
    assert differing == []


EDGES = "all amin cholesky_solve eq heaviside kl_div logit maximum nextafter relu scatter scatter_reduce"
APART = ("message", "another error", "only torch raises")  # of arguments of another kind


@pytest.mark.slow
@pytest.mark.parametrize("name", some(EDGES.split(), 2))
def test_calls_at_edges_agree_or_are_refused(name: str) -> None:
    from tests.sweep.edges import edges
    from tests.sweep.running import verdict

    found = [verdict(sample) for sample in edges(f"^{name}$", most=1)]
    assert found
    assert [one for one in found if one.word == "differs" and not any(word in one.why for word in APART)] == []


MODULES = (
    "BatchNorm1d Bilinear CircularPad2d GRU KLDivLoss LSTMCell LazyConv1d LazyConvTranspose2d MultiheadAttention RNN"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(MODULES.split(), 4))
def test_modules_agree_or_are_refused(name: str) -> None:
    """Each gives the same in training and in evaluation, to its parameters too, and shows and keeps the same."""
    from tests.sweep.modules import modules
    from tests.sweep.running import verdict

    found = [verdict(sample) for sample in modules(f"^nn.{name}$", most=2)]
    assert found
    assert [one for one in found if one.word == "differs"] == []


FURTHER = "cat diag diagflat gradient group_norm linalg.inv linalg.solve nextafter pad.circular softmin tensordot"


@pytest.mark.slow
@pytest.mark.parametrize("name", some(FURTHER.split(), 3))
def test_other_operands_and_ways_to_call_agree_or_are_refused(name: str) -> None:
    from tests.sweep.kinds import kinds
    from tests.sweep.running import verdict

    found = [verdict(sample) for sample in kinds(rf"(^|\.){name}$", most=1)]
    assert found
    assert [one for one in found if one.word == "differs" and not any(word in one.why for word in KNOWN)] == []


VARIED = "cross_entropy embedding group_norm kl_div max_unpool1d norm.fro softmin tensordot"


@pytest.mark.slow
@pytest.mark.parametrize("name", some(VARIED.split(), 3))
def test_other_arguments_agree_or_are_refused(name: str) -> None:
    from tests.sweep.running import verdict
    from tests.sweep.varied import varied

    found = [verdict(sample) for sample in varied(rf"(^|\.){name}$", most=1)]
    assert found
    assert [one for one in found if one.word == "differs"] == []


NUMBERS = """
addbmm adaptive_avg_pool1d binary_cross_entropy_with_logits cdist cholesky_inverse cumsum dist i1 index_reduce.mean qr
scatter_reduce.amax solve_triangular svdvals
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", some(NUMBERS.split(), 3))
def test_other_numbers_and_questions_agree_or_are_refused(name: str) -> None:
    from tests.sweep.numbers import numbers
    from tests.sweep.running import verdict

    found = [verdict(sample) for sample in numbers(rf"(^|\.){name}$", most=1)]
    assert found
    assert [one for one in found if one.word == "differs" and not any(word in one.why for word in KNOWN)] == []
