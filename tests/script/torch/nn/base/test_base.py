"""`nn.Module` against torch: what assignment registers, what is refused, what subclasses may do."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded, printed

NET = '''
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Linear(3, 2)
        self.w = nn.Parameter(torch.ones(2))
        self.scale = 3
        self.hidden = [nn.Linear(2, 2)]
        self.plain = torch.ones(2)
        self.register_buffer("b", torch.zeros(2))
        self.register_buffer("unsaved", torch.zeros(2), persistent=False)
        self.register_parameter("none", None)
        self.again = self.fc
        self._private = nn.Linear(1, 1)

    def forward(self, x, k=1):
        """doc"""
        return self.fc(x) * self.w * k

net = Net()
'''


def test_what_takes_the_place_of_something_else() -> None:
    agree(
        NET
        + """
del net.again
print([name for name, _ in net.named_modules()])
net.fc = nn.Linear(3, 2, bias=False)
net.w = None
print(net.w, net)
net.b = torch.ones(3)
net.scale = nn.Parameter(torch.tensor(1.5))
print(net.b, list(net.state_dict()), net.scale)
net.fc = None
print(net)
net.add_module("z", nn.ReLU())
print(net.z)
"""
    )


def test_texts() -> None:
    agree(
        """
class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 1)
    def extra_repr(self):
        return "n=3"
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.row = nn.Sequential(Inner(), nn.ReLU())
    def extra_repr(self):
        return "a\\nb"
    def __len__(self):
        return 4
class Own(nn.Module):
    def __repr__(self):
        return "own"
print(Inner(), Outer(), len(Outer()), nn.Sequential(Own()), [Own()], {"a": nn.ReLU()}, f"{nn.ReLU()}", str(nn.ReLU()))
"""
    )


@pytest.mark.parametrize(
    "body",
    [
        "self.fc = nn.Linear(2, 2)",
        "self.w = nn.Parameter(torch.ones(1))",
        "self.register_buffer('a', torch.ones(1))",
        "self.register_parameter('a', None)",
        "self.plain = 3",
    ],
)
def test_a_module_that_did_not_call_its_parent(body: str) -> None:
    agree(guarded(f"class Net(nn.Module):\n    def __init__(self):\n        {body}\nprint(Net().plain)\nNet()(x)"))


@pytest.mark.parametrize(
    "text",
    [
        "m.fc = nn.ReLU()\nm.fc = 3",
        "m.register_buffer('a', x)\nm.a = 'x'",
        "m.register_buffer('', x)",
        "m.register_buffer('q', 3)",
        "m.register_buffer(3, x)",
        "m.register_parameter('a.b', None)",
        "m.register_parameter('a', x)",
        "m.add_module('', nn.ReLU())",
        "m.add_module('weight', nn.ReLU())",
        "del m.foo",
        "nn.Module(3)",
        "class Net(nn.Module):\n    pass\nprint(Net())\nNet()(x)",
        "class Net(nn.Module):\n    pass\nNet(3)",
        "class Net(nn.Module):\n    pass\nNet(size=3)",
    ],
)
def test_refusals(text: str) -> None:
    agree(guarded(f"m = nn.Linear(2, 2)\n{text}"))


def test_modules_are_added_under_numbers() -> None:
    agree(
        """
import copy
import torch
from torch import nn
torch.manual_seed(0)
class Row(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        for number, layer in enumerate(layers):
            self._modules[str(number)] = layer
    def forward(self, x):
        for layer in self._modules.values():
            x = layer(x)
        return x
net = Row(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
print(net, net._modules["1"], len(net._modules), [name for name, _ in net.named_parameters()], net(torch.ones(1, 2)))
other = copy.deepcopy(net)
other._modules["2"] = nn.Identity()
print(len(list(other.parameters())), len(list(net.parameters())))
"""
    )


@pytest.mark.parametrize("entry", ["['forward'] = nn.ReLU()", "['0'] = torch.relu", "[0] = nn.ReLU()"])
def test_other_entries_of_modules_are_refused(entry: str) -> None:
    assert "_modules is not supported here" in printed(f"m = nn.Linear(2, 2)\nm._modules{entry}")


@pytest.mark.slow
def test_modules_that_hold_themselves() -> None:
    row = "s = nn.Sequential(nn.ReLU())\ns.append(s)\n"
    for call in ("s(x)", "print(s)", "s.train()", "s.apply(lambda m: 0)", "s.state_dict()"):
        assert "Error: RecursionError" in printed(row + call)
    assert printed(row + "print(len(list(s.modules())), len(list(s.parameters())))") == "2 0\n"
    deep = "m = nn.ReLU()\nfor i in range(200):\n    m = nn.Sequential(m)\n"
    assert printed(deep + "print(m(torch.ones(1)), len(repr(m)) > 200)") == "tensor([1.]) True\n"
