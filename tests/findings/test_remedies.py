"""What a finding says to write instead is a statement that can be typed where it stands, and mends the case."""

from __future__ import annotations

import pytest

from tests.findings.finding import HEAD, findings

# Each with the line that is replaced, what is told to write there, and no other finding once that is written.
REPLACED = [
    (
        """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x
Square.apply(torch.tensor([1.0, -3.0, 2.0], requires_grad=True)).sum().backward()
""",
        "return g * x",
        "return 2 * (g * x)",
    ),
    (
        """
first, second, x = nn.Linear(3, 6), nn.Linear(6, 1), torch.randn(5, 3)
h = torch.tanh(first(x))
kept = (torch.rand(5, 6) > 0.5).float()
h.data.mul_(kept)
second(h).pow(2).mean().backward()
""",
        "h.data.mul_(kept)",
        "h = h.mul(kept)",
    ),
    (
        """
encoder, decoder, x = nn.Linear(6, 2), nn.Linear(2, 6), torch.randn(5, 6)
opt_a = torch.optim.Adam(encoder.parameters(), lr=0.01)
opt_b = torch.optim.Adam(encoder.parameters(), lr=0.01)
for _ in range(4):
    opt_a.zero_grad()
    opt_b.zero_grad()
    (decoder(encoder(x)) - x).pow(2).mean().backward()
    opt_a.step()
    opt_b.step()
""",
        "opt_b = torch.optim.Adam(encoder.parameters(), lr=0.01)",
        "opt_b = torch.optim.Adam(decoder.parameters(), lr=0.01)",
    ),
    (
        """
total, count = torch.tensor([6.0, 0.0], requires_grad=True), torch.tensor([3.0, 0.0])
share = total / count
torch.where(count == 0, torch.zeros(2), share).sum().backward()
""",
        "share = total / count",
        "share = total / torch.where(count == 0, 1.0, count)",
    ),
    (
        """
x, seen = torch.tensor([0.0, 4.0], requires_grad=True), torch.tensor([0.0, 1.0])
root = x.sqrt()
(root * seen).sum().backward()
""",
        "root = x.sqrt()",
        "root = torch.where(seen != 0, x, 1.0).sqrt()",
    ),
    (
        """
x = torch.tensor([0.0, 4.0], requires_grad=True)
root = torch.sqrt(x)
root[x > 0].sum().backward()
""",
        "root = torch.sqrt(x)",
        "root = torch.sqrt(torch.where(x > 0, x, 1.0))",
    ),
    (
        """
import numpy as np
w = torch.tensor([0.5, -0.5], requires_grad=True)
part = torch.from_numpy(np.exp(w.detach().numpy()))
part.sum().backward()
""",
        "part = torch.from_numpy(np.exp(w.detach().numpy()))",
        "part = torch.exp(w)",
    ),
    (
        """
low, high = torch.tensor(0.5, requires_grad=True), torch.tensor(2.0, requires_grad=True)
ends = torch.tensor([low, high], requires_grad=True)
ends.pow(2).sum().backward()
print(low.grad, high.grad)
""",
        "ends = torch.tensor([low, high], requires_grad=True)",
        "ends = torch.stack([low, high])",
    ),
    (
        """
w, sum_ = torch.tensor(2.0, requires_grad=True), 0
for x in (1.0, 3.0):
    sum_ += ((w * x - 1) ** 2).item()
sum_.backward()
""",
        "sum_ += ((w * x - 1) ** 2).item()",
        "sum_ += (w * x - 1) ** 2",
    ),
    (
        """
scores = torch.tensor([[900.0, 0.0]], requires_grad=True)
chances = scores.softmax(1)
loss = -(torch.tensor([[0.5, 0.5]]) * torch.log(chances)).sum()
loss.backward()
""",
        "loss = -(torch.tensor([[0.5, 0.5]]) * torch.log(chances)).sum()",
        "loss = -(torch.tensor([[0.5, 0.5]]) * torch.log_softmax(scores, dim=1)).sum()",
    ),
    (
        """
w, x = torch.randn(4, 3, requires_grad=True), torch.randn(6, 4)
chances = torch.softmax(x @ w, dim=0)
F.nll_loss(torch.log(chances), torch.tensor([0, 1, 2, 0, 1, 2])).backward()
""",
        "chances = torch.softmax(x @ w, dim=0)",
        "chances = torch.softmax(x @ w, dim=1)",
    ),
    (
        """
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
F.binary_cross_entropy_with_logits(net(torch.randn(5, 4)), torch.rand(5, 1)).backward()
""",
        "net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())",
        "net = nn.Sequential(nn.Linear(4, 1))",
    ),
    (
        """
x, y, w = torch.linspace(0, 9, 10), torch.linspace(1, 4, 10), torch.zeros(1, requires_grad=True)
rate = 0.2
for _ in range(20):
    (x * w - y).pow(2).mean().backward()
    w.data -= rate * w.grad
    w.grad = None
""",
        "rate = 0.2",
        "rate = 0.02",
    ),
    (
        """
row = torch.tensor([[3.0, 4.0]], requires_grad=True)
(row / (row.std(0) + 1e-5)).sum().backward()
""",
        "(row / (row.std(0) + 1e-5)).sum().backward()",
        "(row / (row.std(0, correction=0) + 1e-05)).sum().backward()",
    ),
    (
        """
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = (w - 3).pow(2).sum()
    loss.backward
    opt.step()
""",
        "    loss.backward\n",
        "    loss.backward()\n",
    ),
    (
        """
class Node:
    def __init__(self, data, parents=(), slopes=()):
        self.data, self.parents, self.slopes, self.grad = data, parents, slopes, 0.0
    def __mul__(self, other):
        return Node(self.data * other.data, (self, other), (other.data, self.data))
    def __add__(self, other):
        return Node(self.data + other.data, (self, other), (1.0, 1.0))
    def backward(self, up=1.0):
        self.grad += up
        for parent, slope in zip(self.parents, self.slopes):
            parent.backward(slope * self.grad)
a = Node(3.0)
b = a * a
c = b + b
c.backward()
""",
        "parent.backward(slope * self.grad)",
        "parent.backward(slope * up)",
    ),
    (
        """
net = nn.Sequential(*[layer for _ in range(12) for layer in (nn.Linear(8, 8), nn.Sigmoid())])
net(torch.randn(6, 8)).pow(2).mean().backward()
""",
        "net = nn.Sequential(*[layer for _ in range(12) for layer in (nn.Linear(8, 8), nn.Sigmoid())])",
        "net = nn.Sequential(*[layer for _ in range(12) for layer in (nn.Linear(8, 8), nn.Tanh())])",
    ),
    (
        """
w = torch.ones(3, requires_grad=True)
for _ in range(3):
    (w * 2).pow(2).sum().backward()
    w = w - 0.1 * w.grad
""",
        "w = w - 0.1 * w.grad",
        "with torch.no_grad(): w -= 0.1 * w.grad; w.grad = None",
    ),
    (
        """
net = nn.Linear(3, 1)
x, y = torch.randn(7, 3), torch.randn(7, 1)
for rows in (x[:4], x[4:]):
    (F.mse_loss(net(rows), y[: len(rows)]) / 2).backward()
""",
        "(F.mse_loss(net(rows), y[: len(rows)]) / 2).backward()",
        "(F.mse_loss(net(rows), y[:len(rows)]) * len(rows) / len(x)).backward()",
    ),
]


@pytest.mark.parametrize(("text", "line", "instead"), REPLACED)
def test_a_remedy_is_a_statement_that_mends(text: str, line: str, instead: str) -> None:
    assert findings(HEAD + text)[0].instead == instead.strip()
    assert [one for one in findings(HEAD + text.replace(line, instead)) if one.severity != "note"] == []


# Each with the line that the first finding names, and what it says to write before or after another one.
ADDED = [
    (
        """
lin, x, labels = nn.Linear(3, 4), torch.randn(6, 3), torch.randint(0, 4, (6,))
scores = lin(x)
kinds = scores.argmax(dim=1).float()
loss = F.mse_loss(kinds, labels.float())
loss.backward()
""",
        "kinds = scores.argmax(dim=1).float()",
        "torch.nn.functional.cross_entropy(scores, labels)",
    ),
    (
        """
lin, words, x = nn.Linear(3, 4), nn.Embedding(4, 2), torch.randn(6, 3)
words.weight.requires_grad_(False)
best = torch.argmax(lin(x), dim=-1)
words(best).pow(2).mean().backward()
""",
        "best = torch.argmax(lin(x), dim=-1)",
        "torch.softmax(lin(x), dim=-1) @ words.weight",
    ),
    (
        """
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
net = nn.Sequential(body, head)
for p in net.parameters():
    p.requires_grad = False
loss = net(torch.randn(2, 3)).sum()
loss.backward()
""",
        "p.requires_grad = False",
        "for p in head.parameters(): p.requires_grad_()  # after line 9",
    ),
    (
        """
x = torch.full((3,), 2.0)
y = x.pow(2).sum()
x.requires_grad = True
y.backward()
""",
        "x.requires_grad = True",
        "x = torch.full((3,), 2.0, requires_grad=True)",
    ),
    (
        """
x = torch.rand(4, 2, requires_grad=True).mul(0.1).to(torch.float64)
x.sum().backward()
print(x.grad)
""",
        "x = torch.rand(4, 2, requires_grad=True).mul(0.1).to(torch.float64)",
        "x = torch.rand(4, 2).mul(0.1).to(torch.float64).requires_grad_()",
    ),
    (
        """
layer = nn.Linear(2, 5)
nn.init.constant_(layer.bias, -9.0)
torch.relu(layer(torch.rand(6, 2))).sum().backward()
""",
        "torch.relu(layer(torch.rand(6, 2))).sum().backward()",
        "torch.nn.init.zeros_(layer.bias)  # before training",
    ),
    (
        """
lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.ones(5, 1)

@torch.no_grad()
def cost():
    return (lin(x) - y).abs().mean()
cost().backward()
""",
        "return (lin(x) - y).abs().mean()",
        "@torch.enable_grad()  # line 8, in place of @torch.no_grad()",
    ),
    (
        """
lin = nn.Linear(2, 3)
weights = lin.parameters()
for w in weights:
    print(w.shape)
opt = torch.optim.SGD(weights, lr=0.1)
""",
        "weights = lin.parameters()",
        "weights = list(lin.parameters())",
    ),
    (
        """
lin, x, kinds = nn.Linear(2, 3), torch.randn(4, 2), torch.tensor([0, 2, 1, 1])
scores = lin(x)
chosen = scores.argmax(1)
share = (chosen == kinds).float().mean()
(1 - share).backward()
""",
        "chosen = scores.argmax(1)",
        "torch.nn.functional.cross_entropy(scores, kinds)",
    ),
    (
        """
state, data = (2 * torch.eye(3)).requires_grad_(), (5 * torch.eye(3)).requires_grad_()
h = torch.zeros(1, 3)
for x in torch.rand(40, 1, 3):
    h = x @ data + h @ state
h.sum().backward()
""",
        "h = x @ data + h @ state",
        "with torch.no_grad(): state *= 0.45  # at the start",
    ),
]


@pytest.mark.parametrize(("text", "line", "instead"), ADDED)
def test_a_remedy_names_its_place(text: str, line: str, instead: str) -> None:
    one = findings(HEAD + text)[0]
    assert ((HEAD + text).splitlines()[one.line - 1].strip(), one.instead) == (line, instead)


def test_values_that_left_one_statement_are_one_finding() -> None:
    text = """
p, q = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
both = torch.as_tensor([p, q])
both.requires_grad_().sum().backward()
print(p.grad, q.grad)
"""
    assert [(one.code, one.name) for one in findings(HEAD + text)] == [("left-graph", "p, q, both")]


# Softmaxes along the axis of the labels, and masks and parameters that are right.
RIGHT = [
    """
w, x = torch.randn(4, 3, requires_grad=True), torch.randn(6, 4)
F.nll_loss(torch.log(torch.softmax(x @ w, dim=1)), torch.tensor([0, 1, 2, 0, 1, 2])).backward()
""",
    """
w, x = torch.randn(3, 4, requires_grad=True), torch.randn(4, 6)
labels = torch.eye(3)[torch.tensor([0, 1, 2, 0, 1, 2])].T
(-labels * torch.log_softmax(w @ x, dim=0)).sum().backward()
""",
    """
total, count = torch.tensor([6.0, 0.0], requires_grad=True), torch.tensor([3.0, 0.0])
torch.where(count == 0, torch.zeros(2), total / torch.where(count == 0, 1.0, count)).sum().backward()
""",
    """
w = torch.tensor(2.0, requires_grad=True)
seen = sum(((w * x - 1) ** 2).item() for x in (1.0, 3.0))
((w - 1) ** 2).backward()
""",
    """
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
for p in body.parameters():
    p.requires_grad = False
head(body(torch.randn(2, 3))).sum().backward()
""",
]


@pytest.mark.parametrize("text", RIGHT)
def test_right_programs_like_these_have_none(text: str) -> None:
    assert [one for one in findings(HEAD + text) if one.severity != "note"] == []
