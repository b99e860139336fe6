"""`alpha=` and `beta=` of every kind beside tensors of every kind, sums of two numbers, and limits of dtypes."""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree

pytest.importorskip("torch")

DTYPES = "dtypes = [torch.float32, torch.float64, torch.int64, torch.int16, torch.uint8, torch.bool]"
PROGRAMS = {
    "scales of sums with a product": """
three = {"addr": ((2, 2), (2,), (2,)), "addmm": ((2, 2), (2, 2), (2, 2)), "addmv": ((2,), (2, 2), (2,)),
         "addbmm": ((2, 2), (1, 2, 2), (1, 2, 2))}
for name, shapes in three.items():
    for dtype in dtypes:
        for beta, alpha in (1, 1), (2.0, 1), (1, 1.5), (True, 1), (2, True), (True, True), (0, 0), (False, True):
            given = [torch.ones(shape).to(dtype) for shape in shapes]
            refused(lambda: (name, getattr(torch, name)(*given, beta=beta, alpha=alpha).tolist()))
    for first in dtypes:
        for second in dtypes:
            x, y, z = (torch.ones(shape) for shape in shapes)
            refused(lambda: getattr(torch, name)(x.to(first), y.to(second), z.to(second)).dtype)
            refused(lambda: getattr(torch, name)(x.to(first), y.to(first), z.to(second)).dtype)
""",
    "scales of sums": """
for name in "add", "sub":
    for dtype in dtypes:
        for alpha in 1, 2, 1.5, True, False:
            for other in torch.ones(2).to(dtype), 1:
                refused(lambda: (name, getattr(torch, name)(torch.ones(2).to(dtype), other, alpha=alpha)))
    for x in 1, 2.5, True:
        for y in 2, 1.5, False:
            refused(lambda: getattr(torch, name)(x, y))
""",
    "a trace of whole numbers": """
for dtype in dtypes:
    print(torch.ones(2, 3).to(dtype).trace())
""",
    "limits of dtypes": """
for dtype in [*dtypes, torch.float16, torch.int8, torch.int32, 3, "float32"]:
    for limits in torch.finfo, torch.iinfo:
        refused(lambda: (limits(dtype), limits(dtype).bits, limits(type=dtype) == limits(dtype)))
    refused(lambda: (torch.finfo() == torch.finfo(dtype), dtype.to_real()))
print(torch.iinfo(torch.int8) != torch.iinfo(torch.uint8))
refused(lambda: torch.iinfo())
refused(lambda: torch.int64.to_complex())
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    agree(f"import torch\n{REFUSED}{DTYPES}\n{PROGRAMS[name]}")
