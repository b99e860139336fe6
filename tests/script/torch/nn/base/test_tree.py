"""Going through what a module holds, against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded

NET = """
a = nn.Linear(3, 3)
net = nn.Sequential(a, nn.Sequential(nn.BatchNorm1d(3), nn.Dropout()), a)
"""


@pytest.mark.parametrize(
    "text",
    [
        "net.get_submodule('0.in_features')",
        "net.train(1)",
        "net.to(torch.int64)",
        "net.to('cuda')",
    ],
)
def test_refusals(text: str) -> None:
    agree(NET + guarded(text))


def test_modes() -> None:
    agree(
        NET
        + """
print(net.train(False).training, a.training, net.train() is net, net.eval() is net)
print([m.training for m in net.modules()])
class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(3)
        self.drop = nn.Dropout()
    def train(self, mode=True):
        super().train(mode)
        self.bn.eval()
        return self
frozen = Frozen()
nn.Sequential(frozen).train()
print(frozen.training, frozen.bn.training, frozen.drop.training)
"""
    )


def test_gradients() -> None:
    agree(
        NET
        + """
net[0](x).sum().backward()
print(a.weight.grad)
net.zero_grad(set_to_none=False)
print(a.weight.grad)
net.zero_grad()
print(a.weight.grad)
net.requires_grad_(False)
print([p.requires_grad for p in net.parameters()], net.eval()(x.detach()).requires_grad)
for p in a.parameters():
    p.requires_grad = True
print(net(x.detach()).requires_grad)
"""
    )


def test_dtypes() -> None:
    agree(
        NET
        + """
a(x).sum().backward()
weight = a.weight
net.double()
print(a.weight is weight, a.weight.dtype, a.weight.grad.dtype, a(x.double()).dtype)
print([b.dtype for b in net.buffers()])
print(net.float()[0].weight.dtype, net.to("cpu").to(torch.float64)[0].bias.dtype)
print(net.to(x)[0].bias.dtype, net.to(device="cpu", dtype=torch.float64)[0].bias.dtype, net.cpu() is net)
"""
    )
