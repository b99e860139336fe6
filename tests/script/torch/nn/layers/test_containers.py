"""Sequential, ModuleList and ModuleDict against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded


def test_rows() -> None:
    agree(
        """
from collections import OrderedDict
s = nn.Sequential(OrderedDict([("a", nn.Linear(3, 4)), ("act", nn.ReLU()), ("b", nn.Linear(4, 2))]))
print(s, s.a, s[0] is s.a, len(s), s[-1], s[1:], list(s.state_dict()), s(x))
for layer in s:
    print(type(layer).__name__)
s.append(nn.Sigmoid())
s[1] = nn.Tanh()
print(s, s(x))
del s[1]
s.insert(1, nn.ELU())
print(s, s.pop(0), s.extend([nn.ReLU()]))
print(nn.Sequential(nn.Linear(1, 1)) + nn.Sequential(nn.ReLU()), nn.Sequential(), nn.Sequential()(x) is x)
print(nn.Sequential(*[nn.ReLU() for _ in range(2)], nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU()))))
"""
    )


def test_lists() -> None:
    agree(
        """
m = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)] + [nn.ReLU()])
print(m, len(m), m[0], m[-1], m[1:3])
m.append(nn.Tanh())
m.extend([nn.ReLU()])
m.insert(0, nn.ELU())
m[1] = nn.Identity()
print(m)
del m[0]
m += [nn.ReLU()]
print(len(m), m, m.pop(-1), nn.ModuleList())
out = x
for index, layer in enumerate(m):
    out = layer(out)
print(out)
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        "nn.Sequential(lambda x: x)",
        "nn.Sequential([nn.ReLU()])",
        "nn.Sequential(nn.ReLU()).insert(3, nn.ReLU())",
        "nn.ModuleList(3)",
        "nn.ModuleList([3])",
        "nn.ModuleDict({'a': nn.ReLU()})['b']",
    ],
)
def test_refusals(text: str) -> None:
    agree(guarded(text))
