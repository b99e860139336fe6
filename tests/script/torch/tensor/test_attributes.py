"""Attributes, sizes, casts and results of several parts, as torch shows them."""

from __future__ import annotations

import pytest

from tests.script.running import ours
from tests.script.torch.expressions import compare

EXPRESSIONS = r"""
type(x[0])
str(torch.Generator())[:26] + str(type(torch.manual_seed(0)))
type(m.T) is torch.Tensor
[str(f).split(' object')[0] for f in (x.item, x.tolist, x.dim, x.detach, x.float)]
nn.Parameter(x).__class__
torch.randn(-1)
torch.randn(2, -1)
torch.rand(-1, 2)
torch.empty(-1)
torch.ones(-1)
torch.zeros(2, -1)
torch.full((-1,), 2)
torch.randint(0, 5, (-1,))
torch.randperm(-1)
torch.eye(2, -1)
torch.zeros_like(x).shape + (1,)
(1,) + x.shape
x.shape * 2
m.shape[1:]
m.shape[:1] + m.shape[1:]
m.shape[-1]
list(m.shape)
m.shape == (2, 3)
torch.Size([2, 3]).numel()
torch.Size((2,))
torch.Size([2.0])
m.shape.index(3)
2 in m.shape
x.sort()
x.max(0)
x.max(0).values
x.max(dim=0, keepdim=True)
x.topk(2)
type(x.max(0)).__name__
x.max(0)[1]
len(x.max(0))
x.median(0)
torch.slogdet(torch.eye(2))
torch.linalg.slogdet(torch.eye(2))
[x.max(0)]
(x.max(0),)
str(x.max(0))
f"{x.max(0)}"
torch.unique(x, return_counts=True)
x.split(2)
x.chunk(2)
m.unbind()
torch.meshgrid(x, x, indexing="ij")[0].shape
torch.nonzero(x > 1)
torch.where(x > 1)
x.nonzero(as_tuple=True)
x.shape
x.size()
x.size(0)
m.stride()
m.t().stride(0)
m.dim()
m.ndim
m.numel()
m.nelement()
m.element_size()
m.dtype
m.device
m.device.type
str(m.device)
torch.device("cpu") == m.device
m.is_contiguous()
m.t().is_contiguous()
x.is_leaf
x.requires_grad
x.grad
x.grad_fn
x.retains_grad
x._version
x.data
x.T
m.T
m.mT.shape
x.type()
i.type()
x.type(torch.int64)
x.type("torch.DoubleTensor")
x.double()
x.float() is x
x.int()
x.long()
x.bool()
x.half()
x.byte()
x.short()
x.char()
x.to(torch.float64)
x.to("cpu") is x
x.to(i)
x.to(torch.device("cpu"), torch.int64)
x.to(dtype=torch.float16)
x.to("cpu", dtype=torch.float64)
x.to(x.dtype, copy=True) is x
x.type_as(i)
x.cpu() is x
x.clone() is x
x.detach() is x
x.is_floating_point()
torch.is_floating_point(i)
x.is_complex()
x.is_same_size(i)
x.tolist()
m.tolist()
torch.tensor(2.5).tolist()
torch.tensor(2.5).item()
torch.tensor(True).item()
type(torch.tensor(2).item()).__name__
type(x)
type(x).__name__
isinstance(x, torch.Tensor)
torch.is_tensor(x)
torch.is_tensor(3)
torch.numel(m)
torch.result_type(i, x)
torch.result_type(i, 2.5)
torch.result_type(x, torch.tensor(1.0, dtype=torch.float64))
torch.finfo(torch.float32)
torch.finfo(torch.float64).eps
torch.iinfo(torch.int64)
torch.finfo(torch.int64)
torch.iinfo(torch.float32)
torch.get_default_dtype()
torch.float32
torch.float32.is_floating_point
torch.float == torch.float32
torch.float64 in (torch.double, torch.int)
x.requires_grad_()
x.requires_grad_().requires_grad_(False)
torch.cuda.is_available()
torch.cuda.device_count()
torch.is_grad_enabled()
torch.allclose(x, x + 1e-9)
torch.isclose(x, x + 0.1)
torch.equal(x, x.clone())
x.equal(i)
x == 2
2 == x
2 < x
3 >= x
x != i
x == None
x is None
x in [x]
2.0 in x
5 in x
{x: 1}[x]
len({x, x, i})
len(m)
list(x)
[float(v) for v in x]
sum(x)
sum([x, x, x])
max([torch.tensor(1.0), torch.tensor(3.0)])
min(x)
sorted(x, reverse=True)
[*m]
tuple(i.tolist())
["a", "b", "c"][i[1]]
range(i[2])
float(x[0])
int(x[1])
bool(x[0])
f"{x[0]:.2f}"
f"{x[0]}"
f"{x}"
f"{x.sum().item():>8.1f}"
"%.2f" % x[1]
"{:.1f}".format(x[2])
str(x)
round(x[0].item(), 2)
abs(-x)
-x
+x
~(x > 1)
(x > 1) & (x < 3)
(x > 1) | (x < 3)
(x > 1) ^ (x < 3)
x ** 2
2 ** x
x // 2
7 // x
x % 2
1 - x
1 / x
x @ x
m @ x
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression: str) -> None:
    compare(expression)


@pytest.mark.parametrize("other", ["x.numpy()", "range(3)", "'a'", "None", "[1]"])
def test_a_common_dtype_is_of_tensors_and_numbers(other: str) -> None:
    text = f"import torch\nx = torch.ones(1)\ntry: torch.result_type({other}, 1.0)\nexcept TypeError: print('refused')"
    assert ours(text) == "refused\n"
