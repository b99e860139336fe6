"""Lessons with planted faults: ordinary programs, the faults that people put into them, and other names for all.

A fault replaces a part of its lesson; the line that holds `at` is the one that a finding has to name, with one of
`names`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LESSONS = {
    "line": """
import math
import torch
torch.manual_seed(1)
x = torch.linspace(-1, 1, 12).unsqueeze(1)
y = 3 * x + 0.5
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(15):
    pred = x * w + b
    loss = ((pred - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(w.item(), b.item())
""",
    "mlp": """
import torch
from torch import nn
torch.manual_seed(2)
x = torch.randn(16, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(12):
    opt.zero_grad()
    out = net(x)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    opt.step()
print(loss.item())
""",
    "classes": """
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(3)
data = torch.randn(20, 4)
labels = torch.randint(0, 3, (20,))
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 6)
        self.second = nn.Linear(6, 3)
    def forward(self, batch):
        hidden = F.relu(self.first(batch))
        scores = self.second(hidden)
        return scores
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(8):
    optimizer.zero_grad()
    scores = model(data)
    loss = F.cross_entropy(scores, labels)
    loss.backward()
    optimizer.step()
accuracy = (model(data).argmax(dim=1) == labels).float().mean()
print(accuracy.item())
""",
    "logistic": """
import torch
torch.manual_seed(4)
points = torch.randn(30, 2)
target = (points[:, 0] > 0).float()
weight = torch.zeros(2, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)
optim = torch.optim.SGD([weight, bias], lr=0.5)
for t in range(10):
    score = points @ weight + bias
    loss = torch.nn.functional.binary_cross_entropy_with_logits(score, target)
    optim.zero_grad()
    loss.backward()
    optim.step()
print(loss.item())
""",
    "rnn": """
import torch
from torch import nn
torch.manual_seed(5)
cell = nn.RNN(2, 4, batch_first=True)
head = nn.Linear(4, 1)
adam = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=0.01)
series = torch.randn(1, 12, 2)
goal = torch.randn(1, 12, 1)
state = torch.zeros(1, 1, 4)
for start in range(0, 12, 4):
    part = series[:, start:start + 4]
    answer, state = cell(part, state)
    guess = head(answer)
    loss = (guess - goal[:, start:start + 4]).pow(2).mean()
    adam.zero_grad()
    loss.backward()
    adam.step()
    state = state.detach()
print(loss.item())
""",
    "function": """
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t ** 3
    @staticmethod
    def backward(ctx, grad):
        t, = ctx.saved_tensors
        return grad * 3 * t ** 2
z = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
total = (Cube.apply(z) * torch.tensor([1.0, 2.0, 3.0])).sum()
total.backward()
print(z.grad)
""",
    "gan": """
import torch
from torch import nn
torch.manual_seed(6)
gen = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 2))
disc = nn.Sequential(nn.Linear(2, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))
opt_g = torch.optim.Adam(gen.parameters(), lr=0.01)
opt_d = torch.optim.Adam(disc.parameters(), lr=0.01)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
for turn in range(3):
    real = torch.randn(8, 2) + 2
    fake = gen(torch.randn(8, 2))
    loss_d = bce(disc(real), ones) + bce(disc(fake.detach()), zeros)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    loss_g = bce(disc(fake), ones)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
print(loss_d.item(), loss_g.item())
""",
    "attention": """
import math
import torch
torch.manual_seed(7)
tokens = torch.randn(5, 8)
wq = (torch.randn(8, 8) / 3).requires_grad_()
wk = (torch.randn(8, 8) / 3).requires_grad_()
wv = (torch.randn(8, 8) / 3).requires_grad_()
mask = torch.triu(torch.ones(5, 5), diagonal=1).bool()
q, k, v = tokens @ wq, tokens @ wk, tokens @ wv
raw = q @ k.T / math.sqrt(8)
masked = raw.masked_fill(mask, float("-inf"))
attention = torch.softmax(masked, dim=-1)
mixed = attention @ v
cost = mixed.pow(2).mean()
cost.backward()
print(wq.grad.norm())
""",
    "distance": """
import torch
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.5, 0.0])
gap = a - b
far = gap.pow(2).sum().sqrt()
far.backward()
print(a.grad)
""",
    "dropout": """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(8)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 10)
        self.drop = nn.Dropout(0.3)
        self.outer = nn.Linear(10, 1)
    def forward(self, x):
        h = torch.relu(self.inner(x))
        h = self.drop(h)
        return self.outer(h)
net = Net()
sgd = torch.optim.SGD(net.parameters(), lr=0.05)
inputs, wanted = torch.randn(14, 3), torch.randn(14, 1)
net.train()
for round in range(5):
    sgd.zero_grad()
    error = F.mse_loss(net(inputs), wanted)
    error.backward()
    sgd.step()
net.eval()
with torch.no_grad():
    final = F.mse_loss(net(inputs), wanted)
print(final.item())
""",
    "parts": """
import torch
torch.manual_seed(9)
rows = torch.randn(12, 2)
answers = rows.sum(dim=1)
theta = torch.zeros(2, requires_grad=True)
trainer = torch.optim.SGD([theta], lr=0.1)
for epoch in range(3):
    trainer.zero_grad()
    for piece, wanted in zip(rows.split(4), answers.split(4)):
        error = (piece @ theta - wanted).pow(2).mean() / 3
        error.backward()
    trainer.step()
print(theta)
""",
}


@dataclass(frozen=True)
class Fault:
    """A fault of a lesson: `old` becomes `new`, and that is one of `codes` at the line that holds `at`."""

    lesson: str
    old: str
    new: str
    codes: str
    at: str
    names: str


def fault(lesson: str, old: str, new: str, codes: str, at: str, names: str) -> Fault:
    return Fault(lesson, old, new, codes, at, names)


FAULTS = [
    # a line by hand
    fault("line", "    w.grad.zero_()\n    b.grad.zero_()\n", "", "accumulated", "loss.backward()", "w b"),
    fault("line", "    b.grad.zero_()\n", "", "accumulated", "loss.backward()", "b"),
    fault("line", "        w -= 0.1 * w.grad\n", "        w = w - 0.1 * w.grad\n", "leaf-rebound", "w = w -", "w"),
    fault(
        "line",
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n        b -= 0.1 * b.grad\n",
        "    w -= 0.1 * w.grad\n    b -= 0.1 * b.grad\n",
        "leaf-in-place",
        "w -= ",
        "w",
    ),
    fault("line", "+ 0.5\n", "+ 0.5\ny = y.squeeze(1)\n", "broadcast-loss", "loss = (", "pred y"),
    fault("line", ".mean()", "", "not-scalar", "loss.backward()", "loss"),
    fault("line", "w = torch.zeros(1, requires_grad=True)", "w = torch.zeros(1)", "no-leaf", "w.grad\n", "w"),
    fault("line", "    pred = x * w + b", "    pred = x * w.item() + b", "left-graph", "pred =", "w"),
    fault("line", "    pred = x * w + b", "    pred = x * w.detach() + b", "left-graph", "pred =", "w"),
    fault("line", "    pred = x * w + b", "    pred = x * w.data + b", "left-graph", "pred =", "w"),
    fault("line", "0.1 * w.grad\n        b -= 0.1", "4.0 * w.grad\n        b -= 4.0", "diverging", "", "loss w b"),
    fault(
        "line",
        "for step in range(15):\n    pred = x * w + b\n",
        "pred = x * w + b\nfor step in range(15):\n",
        "freed-graph",
        "loss.backward()|pred =",
        "pred",
    ),
    fault(
        "line",
        "torch.zeros(1, requires_grad=True)\nb",
        "torch.zeros(1, dtype=torch.long, requires_grad=True)\nb",
        "integer-leaf",
        "w = ",
        "w",
    ),
    fault(
        "line",
        "    loss.backward()\n",
        "    loss.backward()\n    w.grad.zero_()\n",
        "cleared-early",
        "w.grad.zero_()",
        "w",
    ),
    fault("line", "    pred = x * w + b", "    pred = x * math.exp(w) + b", "left-graph", "pred =", "w"),
    # a small network
    fault("mlp", "    opt.zero_grad()\n", "", "accumulated", "loss.backward()", "net opt"),
    fault(
        "mlp",
        "    loss.backward()\n    opt.step()",
        "    opt.step()\n    loss.backward()",
        "step-before-backward",
        "opt.step()",
        "opt net",
    ),
    fault(
        "mlp",
        "    opt.zero_grad()\n    out = net(x)\n    loss = ((out - y) ** 2).mean()\n    loss.backward()\n",
        "    out = net(x)\n    loss = ((out - y) ** 2).mean()\n    loss.backward()\n    opt.zero_grad()\n",
        "cleared-early",
        "opt.zero_grad()",
        "opt net",
    ),
    fault("mlp", "    loss.backward()\n", "", "step-without-backward", "opt.step()", "opt loss net"),
    fault(
        "mlp",
        "x @ torch.tensor([[1.0], [-2.0], [0.5]])",
        "x @ torch.tensor([1.0, -2.0, 0.5])",
        "broadcast-loss",
        "loss = (",
        "out y",
    ),
    fault("mlp", "lr=0.05", "lr=60.0", "diverging", "opt = ", "opt loss lr"),
    fault("mlp", "lr=0.05", "lr=0.0", "zero-rate", "opt = ", "opt lr"),
    fault("mlp", "for step", "net[2] = nn.Linear(8, 1)\nfor step", "optimizer-stale", "net[2] = ", "net[2] opt"),
    fault(
        "mlp",
        "for step",
        "for p in net.parameters():\n    nn.init.constant_(p, 0.3)\nfor step",
        "symmetric-start",
        "constant_",
        "net[0]",
    ),
    fault(
        "mlp",
        "for step",
        "for p in net.parameters():\n    p.requires_grad = False\nfor step",
        "no-leaf frozen",
        "requires_grad = False|loss.backward()",
        "net loss p",
    ),
    fault(
        "mlp", "    out = net(x)", "    with torch.no_grad():\n        out = net(x)", "left-graph", "out = ", "out net"
    ),
    fault(
        "mlp",
        "    loss.backward()",
        "    loss = torch.tensor(loss.item(), requires_grad=True)\n    loss.backward()",
        "left-graph",
        "loss = torch.tensor",
        "loss net",
    ),
    fault(
        "mlp",
        "    loss = ((out - y) ** 2).mean()",
        "    loss = ((out.detach() - y) ** 2).mean()",
        "left-graph",
        "loss = ",
        "out net",
    ),
    fault(
        "mlp",
        "x = torch.randn(16, 3)",
        "x = torch.randn(16, 3) * 1e4",
        "diverging saturated unscaled-input",
        "",
        "net x loss",
    ),
    fault(
        "mlp",
        "    loss.backward()\n    opt.step()",
        "    opt.step()\n    loss.backward(retain_graph=True)\n    loss.backward()",
        "accumulated step-before-backward",
        "",
        "net",
    ),
    fault(
        "mlp",
        "    opt.step()",
        "    opt.step()\n    nn.utils.clip_grad_norm_(net.parameters(), 1.0)",
        "clipped-late",
        "clip_grad",
        "opt",
    ),
    # classes
    fault(
        "classes",
        "F.cross_entropy(scores,",
        "F.nll_loss(F.log_softmax(scores, 0),",
        "softmax-axis",
        "nll_loss",
        "scores",
    ),
    fault(
        "classes",
        "model = Model()",
        "model = Model()\nnn.init.constant_(model.second.weight, 0.0)\nnn.init.constant_(model.second.bias, 0.0)\n"
        "nn.init.constant_(model.first.weight, 0.0)\nnn.init.constant_(model.first.bias, 1.0)",
        "symmetric-start",
        "model.first.weight",
        "model.first",
    ),
    fault(
        "classes",
        "        return scores",
        "        return torch.softmax(scores, dim=1)",
        "softmax-twice",
        "F.cross_entropy",
        "scores",
    ),
    fault("classes", "F.cross_entropy(scores", "F.nll_loss(scores", "log-missing", "nll_loss", "scores"),
    fault(
        "classes",
        "        scores = self.second(hidden)",
        "        scores = nn.Linear(6, 3)(hidden)",
        "not-registered",
        "nn.Linear(6, 3)(",
        "model self",
    ),
    fault(
        "classes",
        "        hidden = F.relu(self.first(batch))",
        "        hidden = F.relu(self.first(batch)).detach()",
        "left-graph",
        "hidden = ",
        "model.first",
    ),
    fault(
        "classes",
        "        hidden = F.relu(self.first(batch))",
        "        hidden = torch.tensor(F.relu(self.first(batch)).tolist())",
        "left-graph",
        "hidden = ",
        "model.first",
    ),
    fault("classes", "    def __init__(self):", "    def _init_(self):", "not-registered", "_init_", "Model"),
    fault(
        "classes",
        "        scores = self.second(hidden)",
        "        extra = self.second(hidden)\n        scores = hidden[:, :3]",
        "unused-parameter",
        "",
        "model.second",
    ),
    fault(
        "classes",
        "    loss = F.cross_entropy(scores, labels)",
        "    loss = 1 - (scores.argmax(dim=1) == labels).float().mean()",
        "no-derivative",
        "loss = ",
        "model scores",
    ),
    fault(
        "classes",
        "model = Model()",
        "model = Model()\nnn.init.constant_(model.first.bias, -50.0)",
        "dead-units",
        "hidden = ",
        "model.first",
    ),
    fault(
        "classes",
        "optimizer = torch.optim.Adam(model.parameters(), lr=0.01)\n",
        "optimizer = torch.optim.Adam(model.parameters(), lr=0.01)\nmodel = Model()\n",
        "optimizer-stale",
        "model = Model()|optimizer = ",
        "model optimizer",
    ),
    # logistic
    fault(
        "logistic",
        "    score = points @ weight + bias",
        "    score = torch.sigmoid(points @ weight + bias)",
        "sigmoid-twice",
        "loss = ",
        "score",
    ),
    fault(
        "logistic",
        "    loss = torch.nn.functional.binary_cross_entropy_with_logits(score, target)",
        "    p = torch.sigmoid(200 * score)\n"
        "    loss = -(target * torch.log(p) + (1 - target) * torch.log(1 - p)).mean()",
        "nan-at-edge lost-digits masked-late overflow saturated",
        "loss = |p = ",
        "p score",
    ),
    fault(
        "logistic",
        "    loss = torch.nn.functional.binary_cross_entropy_with_logits(score, target)",
        "    loss = ((score > 0).float() - target).abs().mean()",
        "no-derivative",
        "loss = ",
        "score weight",
    ),
    fault("logistic", "points[:, 0] > 0).float()", "points[:, :1] > 0).float()", "broadcast-loss stopped", "", ""),
    fault("logistic", "    optim.zero_grad()\n", "", "accumulated", "loss.backward()", "weight optim"),
    fault("logistic", "[weight, bias], lr", "[weight], lr", "not-registered", "optim = ", "bias"),
    fault(
        "logistic",
        "    optim.step()",
        "    weight = weight - 0.5 * weight.grad",
        "leaf-rebound",
        "weight = weight",
        "weight",
    ),
    # recurrent
    fault("rnn", "    state = state.detach()\n", "", "freed-graph", "loss.backward()|answer, state", "state"),
    fault(
        "rnn",
        "    answer, state = cell(part, state)",
        "    with torch.no_grad():\n        answer, state = cell(part, state)",
        "left-graph unused-parameter",
        "answer, state",
        "cell",
    ),
    fault("rnn", "guess = head(answer)", "guess = head(answer).sum(-1)", "stopped broadcast-loss", "", ""),
    # custom functions
    fault("function", "grad * 3 * t ** 2", "3 * t ** 2", "function-drops-upstream", "return 3 *", "Cube z"),
    fault(
        "function",
        "grad * 3 * t ** 2",
        "grad * 3 * t",
        "function-wrong-input function-not-checked function-wrong-factor",
        "return grad",
        "Cube z",
    ),
    fault(
        "function",
        "grad * 3 * t ** 2",
        "grad * t ** 2",
        "function-wrong-input function-not-checked function-wrong-factor",
        "return grad",
        "Cube z",
    ),
    fault(
        "function",
        "grad * 3 * t ** 2",
        "-grad * 3 * t ** 2",
        "function-wrong-input function-not-checked function-wrong-factor function-sign",
        "return -grad",
        "Cube z",
    ),
    fault(
        "function",
        "        return grad * 3 * t ** 2",
        "        return None",
        "function-returns-none",
        "return None",
        "Cube z",
    ),
    fault(
        "function",
        "        return grad * 3 * t ** 2",
        "        slope = grad * 3 * t ** 2",
        "function-returns-none",
        "slope = |Cube.apply|def backward",
        "Cube z",
    ),
    # two players
    fault(
        "gan",
        "fake.detach()",
        "fake",
        "freed-graph",
        "loss_g.backward()|loss_d.backward()|loss_d = ",
        "fake loss_d loss_g gen",
    ),
    fault("gan", "    opt_g.zero_grad()\n", "", "accumulated", "loss_g.backward()", "gen opt_g"),
    fault(
        "gan",
        "disc(fake), ones",
        "disc(fake.detach()), ones",
        "left-graph unused-parameter step-without-backward",
        "loss_g = ",
        "gen fake",
    ),
    fault(
        "gan",
        "opt_g = torch.optim.Adam(gen.parameters()",
        "opt_g = torch.optim.Adam(disc.parameters()",
        "not-registered",
        "opt_g = ",
        "gen",
    ),
    # attention
    fault("attention", "diagonal=1", "diagonal=0", "nan-at-edge", "attention = ", "masked"),
    fault(
        "attention",
        "torch.softmax(masked, dim=-1)",
        "torch.exp(masked * 200) / torch.exp(masked * 200).sum(-1, keepdim=True)",
        "overflow",
        "attention = ",
        "masked",
    ),
    fault("attention", "raw = q @ k.T / math.sqrt(8)", "raw = q @ k.T * 3000", "saturated", "attention = ", "masked"),
    fault(
        "attention",
        "attention = torch.softmax(masked, dim=-1)",
        "attention = torch.softmax(masked, dim=-1).detach()",
        "left-graph",
        "attention = ",
        "attention wq wk",
    ),
    fault(
        "attention",
        "(torch.randn(8, 8) / 3).requires_grad_()\nwk",
        "torch.randn(8, 8, requires_grad=True) / 3\nwk",
        "leaf-rebound non-leaf",
        "wq = ",
        "wq",
    ),
    fault("attention", "dim=-1", "dim=0", "softmax-axis", "attention = ", "attention masked"),
    # distances
    fault("distance", "[1.5, 0.0]", "[1.0, 2.0]", "nan-at-edge", "far = ", "gap far a"),
    fault(
        "distance",
        "far = gap.pow(2).sum().sqrt()",
        "far = torch.where(gap > 0, gap.sqrt(), gap).sum()",
        "masked-late",
        "far = ",
        "gap",
    ),
    fault(
        "distance",
        "far = gap.pow(2).sum().sqrt()",
        "far = gap.std()\nfar = gap[:1].std()",
        "nan-at-edge",
        "gap[:1]",
        "gap far",
    ),
    fault("distance", "far = gap.pow(2).sum().sqrt()", "far = torch.log(gap).sum()", "nan-at-edge", "far = ", "gap"),
    fault(
        "distance", "far = gap.pow(2).sum().sqrt()", "far = (gap / (gap + 0.5)).sum()", "nan-at-edge", "far = ", "gap"
    ),
    fault(
        "distance", "far.backward()", "gap.data.zero_()\nfar.backward()", "changed-behind-autograd", "gap.data", "gap"
    ),
    fault("distance", "far.backward()", "gap += 1\nfar.backward()", "changed-after-saving", "gap += 1", "gap"),
    fault("distance", "far.backward()", "far.backward()\nfar.backward()", "freed-graph", "far.backward()", "far"),
    fault("distance", "gap.pow(2).sum().sqrt()", "gap.round().sum()", "no-derivative", "far = ", "gap a"),
    fault(
        "distance",
        "a = torch.tensor([1.0, 2.0], requires_grad=True)",
        "a = torch.tensor([1, 2], requires_grad=True)",
        "integer-leaf",
        "a = ",
        "a",
    ),
    fault("distance", "far.backward()", "torch.autograd.grad(far, a)", "never-reached", "autograd.grad", "a"),
    # modes
    fault("dropout", "    sgd.step()", "    sgd.step()\n    net.eval()", "eval-mode-train", "    net.eval()", "net"),
    fault("dropout", "net.eval()\n", "", "train-mode-eval", "final = ", "net"),
    fault("dropout", "self.drop(h)", "F.dropout(h, 0.3)", "eval-dropout", "F.dropout", "h Net"),
    # parts
    fault(
        "parts",
        "rows.split(4), answers.split(4)",
        "rows.split(5), answers.split(5)",
        "uneven-accumulation",
        "error.backward()",
        "theta",
    ),
    fault("parts", "    trainer.zero_grad()\n", "", "accumulated", "error.backward()", "theta trainer"),
    fault(
        "parts",
        "        error.backward()\n    trainer.step()",
        "        trainer.zero_grad()\n        error.backward()\n    trainer.step()",
        "cleared-early wrong-place",
        "trainer.zero_grad()",
        "theta trainer",
    ),
]
OTHER_NAMES = [{}] + [
    dict(pair.split() for pair in " ".join(text.split()).split(", "))
    for text in (
        """x feats, y truth, w coef, b off, pred yhat, loss objective, net mlp, opt sgd1, out result,
        model classifier, optimizer adamw, scores outputs, hidden acts, data images, labels classes,
        score logit, weight omega, bias shift, optim trainer2, target wants, points pts""",
        """state carry, cell lstm, head readout, adam updater, answer seq, guess forecast, part chunk,
        goal future, z u, total energy, grad g, t inp, gap delta, far dist, a p, fake sample,
        real genuine, gen maker, disc judge, cost score1, masked shut, wq query, tokens words,
        attention attn, theta phi, error residual, piece slab, rows table, trainer teacher""",
    )
]


def renamed(text: str, names: dict[str, str]) -> str:
    """Return a text with other names for its variables, not for attributes and keywords."""
    return re.sub(r"(?<![\w.])[a-z_]+\b(?!\s*=[^=\s])", lambda m: names.get(m[0], m[0]), text)


def planted(lesson: str) -> Iterator[tuple[str, Fault, dict[str, str]]]:
    """Yield a lesson with each of its faults, under one set of names after the other."""
    for number, one in enumerate(FAULTS):
        if one.lesson == lesson:
            assert one.old in LESSONS[lesson], one
            names = OTHER_NAMES[number % len(OTHER_NAMES)]
            yield renamed(LESSONS[lesson].replace(one.old, one.new, 1), names), one, names


def lines_at(text: str, fault: Fault, names: dict[str, str]) -> set[int]:
    """Return the lines that hold one of the places of a fault."""
    parts = [renamed(part, names).strip() for part in fault.at.split("|")]
    return {n for n, line in enumerate(text.split("\n"), 1) if any(part in line for part in parts)}
