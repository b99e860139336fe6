"""Decompositions of which some of the factors are used, and systems of equations: gradients and the names of their
nodes are as in torch.
"""

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


RAND = "x{} = torch.rand({}, dtype=torch.float64, generator=torch.Generator().manual_seed({})).requires_grad_()\n"
SYSTEMS = [
    ("solve(x0, x1)", (3, 3), (3,)),
    ("solve(x0, x1)", (2, 3, 3), (2, 3)),
    ("solve(x0, x1)", (2, 3, 3), (3,)),
    ("solve(x0, x1)", (0, 3, 3), (0, 3)),
    ("solve(x0, x1)", (2, 1, 3, 3), (4, 3, 2)),
    ("solve(x0, x1, left=False)", (3, 3), (2, 3)),
    ("solve(x0, x1, left=False)", (2, 3, 3), (4, 1, 2, 3)),
    ("lu(x0).L", (2, 4), ()),
    ("lu(x0).U", (2, 2, 4), ()),
    ("lu_factor(x0).LU", (2, 4), ()),
    ("qr(x0).Q", (2, 4), ()),
    ("qr(x0).R", (2, 2, 4), ()),
    *(
        (f"lu_solve(x0, torch.tensor([2, 3, 3], dtype=torch.int32), x1, left={left}, adjoint={adjoint})", (3, 3), shape)
        for left, shape in ((True, (3, 2)), (False, (2, 3)))
        for adjoint in (False, True)
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("call", "matrix", "right"), SYSTEMS)
def test_systems_of_equations_agree(call: str, matrix: tuple[int, ...], right: tuple[int, ...]) -> None:
    from tests.sweep.running import verdict
    from tests.sweep.samples import Sample

    made = RAND.format(0, matrix, 3) + RAND.format(1, right, 4)
    leaves = ("x0", "x1") if "x1" in call else ("x0",)
    found = verdict(Sample(call, "function", f"import torch\n{made}out = torch.linalg.{call}\n", leaves))
    assert found.word == "agrees", (found.why, found.detail)
