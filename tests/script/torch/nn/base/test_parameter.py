"""`nn.Parameter`, lists and dictionaries of it, against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded


@pytest.mark.parametrize(
    "text",
    [
        "print(p, [p], {'p': p}, f'{p}', str(p))",
        "print(f'{nn.Parameter(torch.tensor(1.0)):.2f}')",
        "print(nn.Parameter(torch.ones(2), requires_grad=False), nn.Parameter(torch.ones(2), False) * 2)",
        "p += 1",
        "(p * p).sum().backward()\nprint(p.grad)\np.grad.zero_()\nprint(p.grad)\np.grad = None\nprint(p.grad)",
        "nn.Parameter(3.0)",
    ],
)
def test_parameters(text: str) -> None:
    agree(guarded(f"p = nn.Parameter(torch.ones(2))\n{text}"))


def test_lists() -> None:
    agree(
        """
p = nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(1), torch.tensor(1.0)])
p.append(torch.ones(2, 3))
print(p, len(p), p[0], p[-1], [name for name, _ in p.named_parameters()], p[1:])
p[0] = torch.zeros(2)
for q in p:
    print(q)
print(len(p.extend([torch.ones(1)])), nn.ParameterList())
"""
        + guarded("p[9]")
    )
