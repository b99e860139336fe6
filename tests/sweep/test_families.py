"""Families of calls that torch's samples leave out: each call of a family agrees with torch, or is refused."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")  # which torch's own tests import

X = "x0 = torch.rand({}, dtype=torch.float64, generator=torch.Generator().manual_seed(3)).requires_grad_()\n"
LOSSES = (
    "poisson_nll_loss(x0, x, full=True, {})",
    "margin_ranking_loss(x0, x, x, {})",
    "hinge_embedding_loss(x0, torch.ones(3), {})",
    "gaussian_nll_loss(x0, x, x + 1, full=True, {})",
    "huber_loss(x0, x, {})",
)
FAMILIES = {
    "strides of what is expanded": [
        f"x0 = torch.ones({shape}).requires_grad_()\nout = x0.expand({size})\ny = out.stride()\n"
        for shape, size in (
            ((1, 3), (1, 3)),
            ((3,), (2, 1, 3)),
            ((3, 1), (1, 2, 3, 4)),
            ((1, 1), (2, 1, 1, 4)),
            ((), (1, 3)),
        )
    ],
    "changes of a loss in place": [
        f"{X.format(3)}x = x0.detach()\nout = torch.nn.functional.{loss.format(f'reduction={reduction!r}')}\n"
        "y = out._version\n"
        for loss in LOSSES
        for reduction in ("none", "mean")
    ],
    "entries combined": [
        f"{X.format(shape)}x1 = torch.{values}({source}, dtype=torch.float64).requires_grad_()\n"
        f"out = torch.scatter_reduce(x0, 0, torch.tensor({index}), x1, {how!r}, include_self={own})**2\n"
        for shape, source, index in (("(3,)", "(4,)", "[0, 1, 1, 2]"), ("()", "()", "0"))
        for values in ("zeros", "ones")
        for how in ("sum", "prod", "mean", "amax")
        for own in (True, False)
    ],
    "one entry of a scalar": [
        f"{X.format(())}out = torch.{call}[0]**2\n"
        for call in ("max(x0, 0)", "median(x0, 0)", "mode(x0)", "kthvalue(x0, 1)", "nanmedian(x0, 0)", "sort(x0)")
    ],
    "sums of a multiple": [
        f"{X.format((2, 3))}out = torch.{call}**2\n"
        for call in ("sub(x0, x0, alpha=-2.5)", "add(x0.t(), x0.t(), alpha=2)", "rsub(x0, 2, alpha=2.5)")
    ],
    "variances": [
        f"{X.format(shape)}out = x0.var({options})**2\n"
        for shape in ((2, 3), (1, 3))
        for options in ("dim=()", "dim=(), correction=0", "dim=0", "correction=7", "1, keepdim=True")
    ],
    "copies go through again": [
        f"{X.format(3)}y = x0.clone()\nout = y.repeat({counts})\ny.mul_(2)\n"
        "a = torch.autograd.grad(out.sum(), x0, retain_graph=False)\n"
        for counts in ("2", "0", "1", "(2, 1)")
    ],
    "products in memory": [
        f"{X.format(shape)}out = torch.matmul(x0, torch.ones(5, 10, 5, dtype=torch.float64))\n"
        "y = out.stride(), out._version\n"
        for shape in ((4, 10), (10,), (2, 5, 4, 10))
    ],
    "bags of rows": [
        f"{X.format((4, 3))}F = torch.nn.functional\n"
        f"out = F.embedding_bag(torch.tensor({rows}), x0, {starts}, mode={mode!r})**2\n"
        for rows, starts in (("[[0, 1], [2, 3]]", None), ("[0, 1, 1]", "torch.tensor([0, 2])"), ("[[], []]", None))
        for mode in ("sum", "mean", "max")
    ],
    "slopes at distances": [
        f"{X.format((3, 4))}out = torch.gradient(x0, spacing={spacing}, dim={dim})[0]**2\n"
        for spacing in ("2.1", "[2.1]", "(torch.tensor([0.1, 0.7, 1.9]),)", "torch.tensor(2.1)", "torch.tensor([2.1])")
        for dim in ("0", "(0,)")
    ],
    "derivatives of gamma": [
        f"x0 = torch.tensor([-2.5, -1.0, 0.3, 0.5, 0.7, 3, 30], dtype=torch.{dtype}).requires_grad_()\n"
        f"out = torch.{call}\n"
        for dtype in ("float32", "float64")
        for call in ("lgamma(x0)", "digamma(x0)", "polygamma(1, x0)", "polygamma(2, x0)")
    ],
    "many distances": [
        f"{X.format((rows, 2))}{X.format(others).replace('x0', 'x1')}out = torch.cdist(x0, x1 + 1, {p}, {how!r})\n"
        for how in ("use_mm_for_euclid_dist", "use_mm_for_euclid_dist_if_necessary", "donot_use_mm_for_euclid_dist")
        for rows, others in ((2, (3, 2)), (26, (3, 2)), (2, (26, 2)), (26, (2, 3, 2)))
        for p in (2.0, 1.0)
    ],
    "arguments without a gradient": [
        f"{X.format((3, 3))}x1 = torch.tensor(0.5).requires_grad_()\n"
        f"with torch.set_grad_enabled({enabled}):\n    out = torch.linalg.{call}\n"
        for enabled in (True, False)
        for call in ("pinv(x0, x1)", "pinv(x0, atol=x1)", "pinv(x0, rtol=x1)", "matrix_rank(x0, rtol=x1)")
    ],
    "signs of vectors": [
        f"{X.format(shape)}out = torch.linalg.{call}\n"
        for shape in ((3, 3), (2, 5, 5), (25, 25))
        for call in (
            "eigh(x0 + x0.mT)",
            "eigh(x0, 'U')",
            "eigh(x0 @ x0.mT)",
            "svd(x0[..., :2, :])",
            "svd(x0[..., :1], True)",
        )
    ],
    "bounds of two kinds": [
        f"x = torch.tensor([1, 0], dtype=torch.{dtype})\nout = torch.clamp(x, {low}, {high})\n"
        for dtype in ("bool", "uint8", "int64", "float32")
        for low in ("None", "x", "True", "0.5", "torch.tensor(1.5)", "torch.tensor(True)")
        for high in ("None", "x", "True", "2", "torch.tensor(1)")
    ],
    "nothing": [
        f"out = torch.{call}\n"
        for call in (
            *(f"cat([torch.zeros({sizes})] * 2, dim=2)" for sizes in ("0", "0, 1", "0, 0, 1")),
            *(f"dist(torch.zeros(0), torch.zeros({size}), {p})" for size in (0, 1) for p in (-1.5, 0, "float('inf')")),
            *(f"logsumexp(torch.zeros({shape}), ())" for shape in ("0", "0, 3", "3", "1, 1", "()")),
        )
    ],
    "the norm of one entry": [
        f"{X.format(shape)}out = torch.{call}\n"
        for shape in ((), 1, (3, 1))
        for p in (6, -2, 2, 0.5, 0, "float('inf')")
        for call in (f"linalg.vector_norm(x0 * 1e-60, {p})", f"norm(x0, {p}, dim=-1)")
    ],
    "versions": [
        f"{X.format((2, 2))}out = torch.{call}\ny = out._version, out._is_view()\n"
        for call in (
            *(f"isclose(x0, x0, {options})" for options in ("equal_nan=True", "rtol=0, atol=0", "atol=0")),
            *(f"diff(x0, {times})" for times in (0, 1, 2)),
            *(f"index_put(x0, (torch.tensor([0]),), x0[0], {accumulate})" for accumulate in (True, False)),
        )
    ],
    "what lu_solve saves": [
        f"{X.format((3, 3))}y = x0.clone()\npivots = torch.tensor([2, 3, 3], dtype=torch.int32)\n"
        f"out = torch.linalg.lu_solve(y, pivots, x0, left={left}, adjoint={adjoint})\n{changed}.mul_(1)\n"
        "torch.autograd.grad(out.sum(), x0)\n"
        for changed in ("y", "out")
        for left in (True, False)
        for adjoint in (True, False)
    ],
    "words": [
        f"out = torch.{call}\n"
        for call in (
            "mv(torch.tensor(1.0), torch.rand(2))",
            "take_along_dim(torch.rand(3), torch.tensor([[0]]), 1)",
            "unflatten(torch.tensor(1.0), 0, (8,))",
            "rms_norm(torch.rand(4), (1, 1))",
            "masked_fill(torch.rand(3), torch.rand(3), torch.rand(3))",
            "narrow_copy(torch.rand(10), 0, 0, -1)",
            "split(torch.rand(3), -1, dim=3)",
            "norm(torch.rand(0, 5), float('inf'), 0)",
            "scatter_reduce(torch.rand(3), 0, torch.tensor([5]), torch.rand(1), 'sum')",
            "nn.functional.pad(torch.tensor(2.0), (1, 2), 'reflect')",
            "nn.functional.nll_loss(torch.rand(2, 3), torch.tensor([0, 1]), weight=torch.tensor([1, 2, 3]))",
            "nn.functional.conv2d(torch.rand(1, 1, 4, 4), torch.rand(1, 2, 2), padding='same')",
            "normal(torch.rand(0, 4), torch.rand(3, 4))",
        )
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_calls_of_a_family_agree_or_are_refused(family: str) -> None:
    from tests.sweep.running import verdict
    from tests.sweep.samples import Sample

    for text in FAMILIES[family]:
        leaves = tuple(name for name in ("x0", "x1") if f"{name} = " in text)
        found = verdict(Sample(family, "function", f"import torch\n{text}", leaves))
        assert found.word != "differs", (text, found.why, found.detail)
