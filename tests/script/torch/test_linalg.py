"""torch.linalg, and what torch keeps beside it."""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree, attempted

pytest.importorskip("torch")

BEFORE = """
import math
import numpy as np
import torch
import torch.nn.functional as F
torch.manual_seed(0)
A = torch.tensor([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
C = torch.tensor([[1.0, 2.0], [3.0, -4.0], [5.0, 7.0]])
L = torch.linalg
"""
EXPRESSIONS = r"""
L.svd(C)
L.svd(C,full_matrices=False)
L.svdvals(C)
L.eigh(A)
L.eigvalsh(A)
L.qr(C)
L.qr(C,mode='complete')
L.qr(C,mode='r')
L.pinv(C)
L.lstsq(C,torch.ones(3,1))
L.lstsq(C,torch.ones(3,1)).solution
L.matrix_rank(A)
L.matrix_rank(torch.ones(3,3))
L.cond(A)
L.cond(A,1)
L.matrix_exp(torch.zeros(2,2))
L.solve_triangular(A.triu(),torch.ones(3,1),upper=True)
torch.cholesky_solve(torch.ones(3,1),L.cholesky(A))
torch.cholesky_inverse(L.cholesky(A))
L.cholesky(A)
L.cholesky(-A)
L.inv(A)
L.inv(torch.ones(2,2))
torch.inverse(C)
L.det(A)
L.det(C)
L.slogdet(A)
torch.slogdet(A)
torch.logdet(A)
L.solve(A,torch.ones(3))
L.solve(A,torch.ones(2))
L.solve(torch.zeros(2,2),torch.ones(2))
L.inv(torch.ones(2,2,dtype=torch.int64))
L.norm(A,ord='fro')
L.norm(A,ord='nuc')
L.norm(A,ord=2)
L.norm(A,ord=-2)
L.norm(A,ord=float('inf'))
L.matrix_norm(A,ord=2)
L.vander(torch.tensor([1.,2,3]))
L.inv_ex(A)
L.cholesky_ex(A)
L.matrix_power(A,3)
L.multi_dot([A,A,C])
L.vecdot(A,A)
L.cross(A[0],A[1])
L.tensorinv(torch.eye(6).reshape(2,3,6),ind=2).shape
torch.svd(C)
torch.qr(C)
torch.pinverse(C)
torch.matrix_exp(A)
torch.lu(A)
L.lu(A)
L.lu_factor(A)
L.diagonal(A)
"""


@pytest.mark.slow
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
@pytest.mark.filterwarnings("ignore")
def test_linear_algebra_as_in_torch(expression: str) -> None:
    agree(attempted(BEFORE, expression))


FACTORS = """
good, bad, once = (torch.tensor([[a, 2.0], [2.0, b]]) for a, b in ((4.0, 3.0), (1.0, 1.0), (1.0, 4.0)))
below = torch.tensor([[1.0, 0.0, 7.0], [2.0, 1.0, 8.0], [3.0, 4.0, 5.0]])
for A in good, bad, once, below, torch.stack([good, bad, once]), torch.zeros(0, 2, 2), torch.eye(3) - 2:
    for check in False, True:
        for upper in False, True:
            refused(lambda: L.cholesky_ex(A, upper=upper, check_errors=check))
        refused(lambda: L.lu_factor_ex(A, check_errors=check))
    refused(lambda: L.lu_factor(A))
    refused(lambda: isinstance(L.lu_factor_ex(A), torch.return_types.linalg_lu_factor_ex))
refused(lambda: L.cholesky_ex(good, out=(torch.empty(2, 2), torch.empty((), dtype=torch.int64))))
print(torch.return_types.max is type(A.max(0)), isinstance(A.max(0), torch.return_types.min))
"""
INDEFINITE = """
for size in 1, 2, 3, 4, 6, 9:
    for round in range(4):
        A = torch.randn(size, size, dtype=torch.double)
        A = ((A + A.T) * 8).round() + 0.5
        A = A - torch.diag(A.diagonal()) if round > 1 and size > 1 else A
        found = L.ldl_factor(A)
        print(found, L.ldl_factor_ex(A).info)
        refused(lambda: (A @ L.ldl_solve(*found, torch.ones(size, 2).double()) - 1).abs().max() < 1e-3)
stacked = torch.stack([A, A + 1])
print(L.ldl_factor(stacked).pivots, L.ldl_factor(torch.empty(0, 0)))
for wrong in torch.ones(2, 3), torch.ones(2), torch.ones(2, 2).long():
    refused(lambda: L.ldl_factor(wrong))
refused(lambda: L.ldl_solve(*found, torch.ones(2, 1).double()))
refused(lambda: L.ldl_solve(found.LD, found.pivots.float(), torch.ones(9, 1).double()))
refused(lambda: L.ldl_solve(found.LD, found.pivots[1:], torch.ones(9, 1).double()))
refused(lambda: L.ldl_solve(found.LD, found.pivots, torch.ones(9, 1)))
y = L.ldl_factor(torch.eye(2, requires_grad=True))
print(y)
refused(lambda: y.LD.sum().backward())
"""


@pytest.mark.parametrize("program", [FACTORS, INDEFINITE])
def test_factors_of_matrices_that_are_not_positive(program: str) -> None:
    agree(BEFORE + REFUSED + program)
