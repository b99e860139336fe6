"""`nn.Parameter`, lists and dictionaries of it, against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded


@pytest.mark.parametrize(
    "text",
    [
        "print(p, [p], {'p': p}, f'{p}', str(p))",
        "print(nn.Parameter(torch.tensor(1.5)), f'{nn.Parameter(torch.tensor(1.5))}')",
        "print(f'{nn.Parameter(torch.tensor(1.0)):.2f}')",
        "print(f'{p.data[0]:.2f}', p.sum().item())",
        "print(p * 2, p.data, p.detach(), p.clone(), p.grad_fn, p.is_leaf, p.shape, p.requires_grad)",
        "print(nn.Parameter(torch.ones(2), requires_grad=False), nn.Parameter(torch.ones(2), False) * 2)",
        "print(nn.Parameter(), nn.parameter.Parameter is nn.Parameter)",
        "print(isinstance(p, nn.Parameter), isinstance(p, torch.Tensor), isinstance(x, nn.Parameter), type(p))",
        "print(nn.Parameter(p) is p, nn.Parameter(x).requires_grad, nn.Parameter(x).data_ptr() == x.data_ptr())",
        "p += 1",
        "p[0] = 7",
        "with torch.no_grad():\n    p[0] = 7\n    p -= 0.5 * p\nprint(p)",
        "p.data = torch.zeros(3)\np.data += 1\nprint(p)",
        "(p * p).sum().backward()\nprint(p.grad)\np.grad.zero_()\nprint(p.grad)\np.grad = None\nprint(p.grad)",
        "nn.Parameter([1.0, 2.0])",
        "nn.Parameter(3.0)",
        "nn.Parameter(torch.tensor([1, 2]))",
        "q = t[0]\nq = nn.Parameter(q)\nwith torch.no_grad():\n    q[0] = 9\nprint(t[0], q.is_leaf)",
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
