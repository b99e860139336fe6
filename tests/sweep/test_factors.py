"""Decompositions of which some of the factors are used: gradients and the names of their nodes are as in torch."""

from __future__ import annotations

from itertools import combinations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")  # which torch's own tests import

CALLS = {
    "torch.linalg.svd(x0, full_matrices=False)": 3,
    "torch.linalg.qr(x0)": 2,
    "torch.linalg.eigh(x0)": 2,
    "torch.linalg.lu(x0)": 3,
    "torch.linalg.lu_factor(x0)": 1,
    "(torch.linalg.svdvals(x0), torch.linalg.pinv(x0))": 2,
    "torch.triangular_solve(x0[..., :1], x0)": 2,
    "torch.triangular_solve(x0, x0[:1], transpose=True)": 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 3, 3), (0, 3, 3)], ids=str)
@pytest.mark.parametrize("call", CALLS)
def test_gradients_of_some_factors_end_as_torchs_do(call: str, shape: tuple[int, ...]) -> None:
    from tests.sweep.running import verdict
    from tests.sweep.samples import Sample

    made = f"x0 = torch.rand({shape}, dtype=torch.float64, generator=torch.Generator().manual_seed(3)).requires_grad_()"
    count = CALLS[call]
    for size in range(1, count + 1):
        for kept in combinations(range(count), size):
            out = f"found = {call}\nout = [found[number] for number in {list(kept)}]"
            found = verdict(Sample(call, "function", f"import torch\n{made}\n{out}\n", ("x0",)))
            assert found.word != "differs", (kept, found.why, found.detail)
