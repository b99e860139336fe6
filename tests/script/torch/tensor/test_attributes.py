"""Attributes, sizes, casts and results of several parts, as torch shows them."""

from __future__ import annotations

import pytest

from tests.script.running import ours
from tests.script.torch.expressions import compare

EXPRESSIONS = r"""
str(torch.Generator())[:26] + str(type(torch.manual_seed(0)))
[str(f).split(' object')[0] for f in (x.item, x.tolist, x.dim, x.detach, x.float)]
torch.randn(-1)
torch.randn(2, -1)
torch.zeros(2, -1)
torch.full((-1,), 2)
torch.randint(0, 5, (-1,))
torch.randperm(-1)
torch.eye(2, -1)
(1,) + x.shape
x.shape * 2
m.shape[-1]
torch.Size((2,))
torch.Size([2.0])
x.max(0)
type(x.max(0)).__name__
x.median(0)
torch.slogdet(torch.eye(2))
str(x.max(0))
torch.unique(x, return_counts=True)
m.unbind()
torch.nonzero(x > 1)
x.shape
m.t().stride(0)
m.nelement()
m.dtype
torch.device("cpu") == m.device
x.requires_grad
x._version
m.mT.shape
x.type("torch.DoubleTensor")
x.double()
x.bool()
x.char()
x.to(i)
x.to(dtype=torch.float16)
x.type_as(i)
x.clone() is x
torch.is_floating_point(i)
x.is_complex()
x.is_same_size(i)
m.tolist()
type(torch.tensor(2).item()).__name__
torch.is_tensor(x)
torch.is_tensor(3)
torch.result_type(i, 2.5)
torch.result_type(x, torch.tensor(1.0, dtype=torch.float64))
torch.finfo(torch.float32)
torch.iinfo(torch.int64)
torch.finfo(torch.int64)
torch.iinfo(torch.float32)
torch.get_default_dtype()
torch.float32.is_floating_point
x.requires_grad_().requires_grad_(False)
torch.cuda.device_count()
torch.isclose(x, x + 0.1)
2 == x
x == None
5 in x
list(x)
max([torch.tensor(1.0), torch.tensor(3.0)])
tuple(i.tolist())
int(x[1])
f"{x}"
str(x)
abs(-x)
+x
(x > 1) & (x < 3)
2 ** x
1 - x
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression: str) -> None:
    compare(expression)


@pytest.mark.parametrize("other", ["x.numpy()", "range(3)", "'a'", "None", "[1]"])
def test_a_common_dtype_is_of_tensors_and_numbers(other: str) -> None:
    text = f"import torch\nx = torch.ones(1)\ntry: torch.result_type({other}, 1.0)\nexcept TypeError: print('refused')"
    assert ours(text) == "refused\n"
