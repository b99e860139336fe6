"""Snippets with a cause, and like ones without it, by code; each stands behind `finding.HEAD`."""

from __future__ import annotations

from textwrap import indent

ROUNDS = """
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x, y = torch.randn(8, 3), torch.randn(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(3):
    opt.zero_grad()
    fit = (net(x) - y).pow(2).mean()
{}
    loss.backward()
    opt.step()
"""


def trained(body: str) -> str:
    """Return a training whose rounds compute `loss` from `fit` by these statements."""
    return ROUNDS.format(indent(body.strip(), "    "))


WITH = {
    "leaf-rebound": [
        """
params = [torch.randn(2, 3, requires_grad=True), torch.zeros(3, requires_grad=True)]
x = torch.randn(5, 2)
for _ in range(3):
    (x @ params[0] + params[1]).pow(2).mean().backward()
    params = [p - 0.1 * p.grad for p in params]
""",
        """
w = torch.randn(2, 2, requires_grad=True).view(4)
w.sum().backward()
print(w.grad)
""",
        """
w = 0.1 * torch.randn(3, requires_grad=True)
(w**2).sum().backward()
print(w.grad is None, w.grad)
""",
        """
w = torch.ones(3, requires_grad=True) / 3
opt = torch.optim.SGD([w], lr=0.1)
""",
        """
w = torch.randn(3, requires_grad=True)
w = w.to("cpu").double()
(w * 2).sum().backward()
print(w.grad)
""",
        """
w = torch.tensor(1.0, requires_grad=True)
for _ in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
""",
    ],
    "left-graph": [
        """
value, goal = nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD(value.parameters(), lr=0.1)
for _ in range(3):
    guess = value(torch.randn(4, 3)).squeeze(1).detach()
    loss = F.mse_loss(guess, 1 + 0.9 * goal(torch.randn(4, 3)).squeeze(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        """
net = nn.Linear(3, 1)
total = torch.tensor([net(torch.ones(3)).sum() for _ in range(3)], requires_grad=True).sum()
total.backward()
print(net.weight.grad)
""",
        """
a = torch.tensor(2.0, requires_grad=True)
with torch.no_grad():
    b = a * 3
b.backward()
""",
        """
lin, out = nn.Linear(2, 2), nn.Linear(2, 1)
opt = torch.optim.SGD([*lin.parameters(), *out.parameters()], lr=0.1)
h = lin(torch.ones(3, 2)).data
out(h).mean().backward()
opt.step()
""",
        """
x = torch.tensor(2.0, requires_grad=True)
y = x**3
(g,) = torch.autograd.grad(y, x)
(g2,) = torch.autograd.grad(g, x)
""",
        """
w = torch.ones(2, requires_grad=True)
total = sum(w.tolist())
loss = torch.tensor(total, requires_grad=True) ** 2
loss.backward()
print(w.grad)
""",
        """
w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    y = w * 2
loss = y.sum()
loss.backward()
""",
        trained(
            """
reg = sum(p.abs().sum().item() for p in net.parameters())
loss = fit + 0.01 * reg
"""
        ),
        trained(
            """
sizes = []
for p in net.parameters():
    sizes.append(float(p.pow(2).sum()))
loss = 0.5 * fit + 1e-3 * sum(sizes)
"""
        ),
        trained(
            """
loss = fit + torch.tensor(net[2].weight.norm())
"""
        ),
        """
import math
def spread(m):
    return math.sqrt(float(m.weight.var()))
lin = nn.Linear(3, 2)
(lin(torch.ones(4, 3)).pow(2).mean() + 0.3 * spread(lin)).backward()
""",
        trained(
            """
z = x.clone().requires_grad_()
slope = torch.autograd.grad(net(z).sum(), z)[0]
penalty = (slope.norm(dim=1) - 1).pow(2).mean()
loss = fit + 10 * penalty
"""
        ),
        trained(
            """
t = torch.zeros(4, 3, requires_grad=True)
u = net(t)
(du,) = torch.autograd.grad(u, t, torch.ones_like(u), retain_graph=True)
ode = (du - t.detach()).abs().mean()
loss = ode + fit
"""
        ),
        """
def turn(a):
    return torch.tensor([[a.cos(), -a.sin()], [a.sin(), a.cos()]])
a = torch.tensor(0.3, requires_grad=True)
(torch.ones(3, 2) @ turn(a)).sum().backward()
""",
        """
from torch.autograd import Variable
w = torch.ones(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(2):
    opt.zero_grad()
    loss = Variable((w * 2).sum().data, requires_grad=True)
    loss.backward()
    opt.step()
""",
    ],
    "no-derivative": [
        """
x = torch.tensor([0.3, 2.0], requires_grad=True)
(x > 1).float().sum().backward()
""",
        """
x = torch.tensor([0.3, 2.0], requires_grad=True)
torch.round(x).sum().backward()
print(x.grad)
""",
        """
x = torch.randn(4, 3, requires_grad=True)
x.argmax(1).float().mean().backward()
""",
        """
x = torch.tensor([0.3, 2.0], requires_grad=True)
s = torch.tensor(1.0, requires_grad=True)
(s * x.long()).sum().backward()
print(x.grad)
""",
        """
logits = torch.zeros(3, requires_grad=True)
a = torch.multinomial(torch.softmax(logits, 0), 1)
loss = -torch.tensor([1.0, 2.0, 3.0])[a].mean()
loss.backward()
""",
        """
n = torch.tensor(3.7, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
(w * int(n)).backward()
print(n.grad)
""",
    ],
    "never-reached": [
        """
x = torch.tensor(3.0, requires_grad=True)
y = x**2
print(x.grad)
""",
        """
x = torch.tensor(3.0, requires_grad=True)
g = torch.autograd.grad(x**2, x)
print(x.grad)
""",
        """
x = torch.tensor(3.0, requires_grad=True)
z = torch.tensor(2.0, requires_grad=True)
y = x**2
(z * 3).backward()
print(x.grad)
""",
        """
h = torch.tanh(nn.Linear(3, 2)(torch.ones(3)))
h.sum().backward()
print((h * h.grad).sum())
""",
        """
w = torch.ones(3, requires_grad=True)
h = w * 2
h.sum().backward()
print(h.grad.norm())
""",
    ],
    "integer-leaf": [
        """
x = torch.tensor([1, 2], requires_grad=True)
""",
        """
x = torch.tensor(3)
x.requires_grad = True
""",
    ],
    "not-scalar": [
        """
x = torch.ones(3, requires_grad=True)
(x * 2).backward()
""",
        """
x = torch.ones(3, requires_grad=True)
y = x * 2
try:
    y.backward()
except RuntimeError:
    pass
""",
    ],
    "no-leaf": [
        """
w = torch.tensor(2.0)
(w**2).backward()
""",
        """
x, w = torch.ones(3), torch.ones(3)
loss = (x * w).sum()
loss.backward()
""",
        """
lin = nn.Linear(2, 1)
for p in lin.parameters():
    p.requires_grad_(False)
lin(torch.ones(1, 2)).sum().backward()
""",
    ],
    "accumulated": [
        """
maker, judge = nn.Linear(2, 3), nn.Linear(3, 1)
makes, judges = (torch.optim.SGD(net.parameters(), lr=0.05) for net in (maker, judge))
real = torch.rand(6, 3)
for _ in range(3):
    makes.zero_grad()
    judges.zero_grad()
    drawn = maker(torch.randn(6, 2))
    (judge(drawn).mean() - judge(real).mean()).backward(retain_graph=True)
    judges.step()
    drawn_score = -judge(maker(torch.randn(6, 2))).mean()
    drawn_score.backward()
    makes.step()
""",
        """
x = torch.tensor([1.0, 2.0], requires_grad=True)
rows = []
for power in range(1, 4):
    (x ** power).sum().backward()
    rows.append(x.grad.clone())
""",
        """
x = torch.tensor(2.0, requires_grad=True)
y = x**2
z = 5 * x
y.backward()
print(x.grad)
z.backward()
print(x.grad)
""",
        """
v = torch.tensor([1.0, 2.0], requires_grad=True)
f = torch.stack([v[0] * v[1], v[0] + v[1], v[1] ** 2])
J = torch.zeros(3, 2)
for k in range(len(f)):
    f[k].backward(retain_graph=True)
    J[k] = v.grad
""",
        """
v = torch.tensor([1.0, 2.0], requires_grad=True)
f = torch.stack([v[0] * v[1], v[0] + v[1]])
rows = []
for i in range(2):
    f[i].backward(retain_graph=True)
    rows.append(v.grad.tolist())
""",
    ],
    "wrong-tensor-cleared": [
        """
x = torch.ones(3, requires_grad=True)
w = torch.tensor(0.5, requires_grad=True)
for _ in range(4):
    (w * x - 2).pow(2).mean().backward()
    x.grad.zero_()
    with torch.no_grad():
        w -= 0.1 * w.grad
""",
        """
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
for _ in range(4):
    (a * b).pow(2).backward()
    b.data -= 0.01 * b.grad
    a.grad = None
""",
    ],
    "cleared-early": [
        """
class Descent:
    def __init__(self, params):
        self.params = params
    def step(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()
        for p in self.params:
            p.data -= 0.1 * p.grad
w = torch.tensor(1.0, requires_grad=True)
opt = Descent([w])
for _ in range(3):
    (w - 3).pow(2).backward()
    opt.step()
""",
        """
lin = nn.Linear(2, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for _ in range(3):
    lin(torch.ones(2, 2)).sum().backward()
    lin.zero_grad(set_to_none=False)
    opt.step()
""",
    ],
    "step-without-backward": [
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss = w.sum()
opt.step()
""",
        """
lin, train = nn.Linear(2, 1), False
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for _ in range(3):
    loss = lin(torch.ones(2, 2)).mean()
    if train:
        loss.backward()
    opt.step()
""",
    ],
    "step-before-backward": [
        """
lin = nn.Linear(3, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
def update(x):
    loss = lin(x).pow(2).mean()
    opt.step()
    opt.zero_grad()
    loss.backward()
for _ in range(4):
    update(torch.randn(5, 3))
""",
        """
lin = nn.Linear(2, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for _ in range(3):
    loss = lin(torch.ones(2, 2)).mean()
    opt.zero_grad()
    opt.step()
    loss.backward()
""",
    ],
    "uneven-accumulation": [
        """
w = torch.tensor(0.5, requires_grad=True)
x = torch.arange(7.0)
parts = x.split(3)
for part in parts:
    ((w * part - 1).pow(2).mean() / len(parts)).backward()
""",
        """
lin = nn.Linear(2, 1)
x = torch.randn(9, 2)
for part in (x[:6], x[6:]):
    loss = F.mse_loss(lin(part), torch.zeros(len(part), 1)) / 2
    loss.backward()
""",
        """
lin = nn.Linear(2, 3)
x, y = torch.randn(9, 2), torch.arange(9) % 3
for s in (slice(0, 8), slice(8, 9)):
    loss = F.cross_entropy(lin(x[s]), y[s])
    (0.5 * loss).backward()
""",
        """
w = torch.zeros(3, requires_grad=True)
x = torch.randn(4, 5, 3)
masks = [torch.tensor([[1.0, 1, 1, 1, 1], [1, 1, 1, 1, 0]]), torch.tensor([[1.0, 0, 0, 0, 0], [1, 1, 0, 0, 0]])]
for part, mask in zip(x.split(2), masks):
    loss = ((part @ w - 1) ** 2 * mask).sum() / mask.sum()
    (loss / 2).backward()
""",
        """
lm = nn.Linear(3, 4)
x = torch.randn(2, 6, 3)
labels = torch.tensor([[1, 2, 3, 1, 2, 0], [3, -1, -1, -1, -1, -1]])
for part, label in zip(x, labels):
    (F.cross_entropy(lm(part), label, ignore_index=-1) / 2).backward()
""",
    ],
    "freed-graph": [
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.state = nn.RNNCell(2, 3), torch.zeros(1, 3)
    def forward(self, x):
        self.state = self.cell(x, self.state)
        return self.state
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = net(torch.randn(1, 2)).sum()
    loss.backward()
    opt.step()
""",
        """
w = torch.tensor(2.0, requires_grad=True)
s = w.exp()
for _ in range(2):
    (s * 3).backward()
""",
        """
w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1.0)
for _ in range(3):
    h = torch.tanh(w * h)
    (h - 1).pow(2).backward()
""",
        """
w = torch.tensor(2.0, requires_grad=True)
z = w.sin()
a = z * 2
b = z * 3
a.backward()
b.backward()
""",
        """
rnn = nn.LSTM(2, 3)
opt = torch.optim.SGD(rnn.parameters(), lr=0.1)
state = None
for t in range(3):
    out, state = rnn(torch.ones(4, 1, 2), state)
    loss = out.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    ],
    "changed-after-saving": [
        """
w = torch.ones(3, requires_grad=True)
for turn in range(90):
    if turn == 80:
        loss = (w * w).sum()
    with torch.no_grad():
        w.mul_(0.99)
loss.backward()
""",
        """
x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
""",
        """
x = torch.ones(3, requires_grad=True)
y = torch.tanh(x)
y.mul_(2)
y.sum().backward()
""",
        """
x = torch.ones(3, requires_grad=True)
y = x * 2
z = y**2
y[0] = 0
z.sum().backward()
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss = (w**2).sum()
loss.backward(retain_graph=True)
opt.step()
loss.backward()
""",
        """
e = nn.Embedding(3, 2, max_norm=1.0)
idx = torch.tensor([0, 1])
out = (e.weight * 2).sum() + e(idx).sum()
out2 = (e.weight @ e.weight.t()).sum()
e(torch.tensor([2]))
out2.backward()
""",
    ],
    "changed-behind-autograd": [
        """
w = torch.tensor([1.0, 3.0], requires_grad=True)
x = torch.tensor([2.0, 5.0], requires_grad=True)
y = (w * x).sum()
w.data.zero_()
y.backward()
""",
        """
x = torch.ones(3, requires_grad=True)
y = torch.exp(x)
y.data[0] = 0
y.sum().backward()
""",
    ],
    "masked-late": [
        """
x = torch.tensor([0.0, 4.0], requires_grad=True)
torch.where(x > 0, x.log(), torch.zeros(2)).sum().backward()
""",
        """
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = 1 / x
y.masked_fill(x == 0, 0.0).sum().backward()
""",
        """
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = x.sqrt() * (x > 0).float()
y.sum().backward()
""",
        """
x = torch.tensor([0.0, 4.0], requires_grad=True)
(1 / x).clamp(max=10).sum().backward()
print(x.grad)
""",
        """
x = torch.tensor([-1.0, 4.0], requires_grad=True)
y = torch.sqrt(x)
y[x > 0].sum().backward()
print(x.grad)
""",
    ],
    "nan-at-edge": [
        """
net = nn.Linear(3, 1)
rewards = torch.tensor([1.5])
scores = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
(net(torch.randn(1, 3)).squeeze(1) * scores).mean().backward()
""",
        """
x = torch.tensor([3.0], requires_grad=True)
x.std().backward()
""",
        """
s = torch.zeros(2, 3, requires_grad=True)
m = torch.tensor([[1, 1, 0], [0, 0, 0]]).bool()
p = s.masked_fill(~m, float("-inf")).softmax(1)
p.sum().backward()
print(s.grad)
""",
        """
p = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.tensor([0.0, 1.0])
loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
loss.backward()
print(p.grad)
""",
    ],
    "overflow": [
        """
x = torch.tensor([100.0, 1.0], requires_grad=True)
(x.exp() / x.exp().sum())[1].backward()
""",
        """
x = torch.tensor([3e20], requires_grad=True)
(x**2 - x**2).sum().backward()
""",
        """
x = torch.tensor([200.0], requires_grad=True)
y = torch.exp(x)
(y - y).sum().backward()
""",
    ],
    "lost-digits": [
        """
s = torch.tensor([150.0, 0.0], requires_grad=True)
(-torch.log(torch.softmax(s, dim=0))[1]).backward()
""",
        """
s = torch.tensor(-120.0, requires_grad=True)
torch.log(torch.sigmoid(s)).backward()
""",
    ],
    "huge-from-eps": [
        """
v = torch.tensor([[1.0, 2.0], [0.0, 0.0]], requires_grad=True)
F.normalize(v, dim=1).sum().backward()
""",
        """
v = torch.zeros(3, requires_grad=True)
u = v / (v.norm() + 1e-12)
u.sum().backward()
print(v.grad)
""",
        """
a = torch.zeros(1, 3, requires_grad=True)
b = torch.ones(1, 3)
F.cosine_similarity(a, b).sum().backward()
print(a.grad)
""",
    ],
    "kink-used": [
        """
c = torch.tensor(0.0, requires_grad=True)
opt = torch.optim.SGD([c], lr=0.1)
(c.abs() - 1).pow(2).backward()
opt.step()
""",
        """
c = torch.zeros(2, requires_grad=True)
opt = torch.optim.SGD([c], lr=0.1)
(c.relu() - 1).pow(2).sum().backward()
opt.step()
""",
    ],
    "softmax-twice": [
        """
s = torch.randn(4, 3, requires_grad=True)
F.cross_entropy(F.softmax(s, dim=1), torch.tensor([0, 1, 2, 0])).backward()
""",
        """
net = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))
nn.CrossEntropyLoss()(net(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()
""",
    ],
    "sigmoid-twice": [
        """
net = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
nn.BCEWithLogitsLoss()(net(torch.randn(4, 2)), torch.ones(4, 1)).backward()
""",
        """
s = torch.randn(4, 1, requires_grad=True)
p = s.sigmoid().squeeze(1)
F.binary_cross_entropy_with_logits(p, torch.ones(4)).backward()
""",
    ],
    "log-missing": [
        """
lin = nn.Linear(2, 3)
F.nll_loss(lin(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()
""",
        """
net = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))
nn.NLLLoss()(net(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()
""",
    ],
    "broadcast-loss": [
        """
lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.randn(5)
F.mse_loss(lin(x), y).backward()
""",
        """
lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.randn(5)
nn.L1Loss()(lin(x), y).backward()
""",
    ],
    "eval-dropout": [
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
    def forward(self, x):
        return nn.Dropout(0.5)(self.a(x))
net = Net()
net.eval()
print(net(torch.ones(2, 3)))
""",
        """
class Inner(nn.Module):
    def forward(self, x):
        return nn.functional.dropout(x, p=0.1)

net = nn.Sequential(nn.Linear(2, 2), Inner())
net.eval()
with torch.no_grad():
    net(torch.ones(1, 2))
""",
    ],
    "train-mode-eval": [
        """
net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(3, 2)).sum().backward()
opt.step()
with torch.no_grad():
    print(net(torch.ones(3, 2)))
""",
        """
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.randn(3, 2)).sum().backward()
opt.step()
with torch.no_grad():
    out = net(torch.randn(3, 2))
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 3), nn.Linear(3, 1)

    def forward(self, x):
        return self.b(F.dropout(torch.relu(self.a(x)), 0.5, self.training))

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    net(torch.ones(4, 2)).mean().backward()
    opt.step()
acc = net(torch.ones(4, 2)).mean().item()
print(acc)
""",
    ],
    "batch-of-one": [
        """
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
net(torch.ones(1, 3))
""",
        """
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
for xb in torch.randn(5, 3).split(2):
    net(xb).sum().backward()
""",
    ],
    "not-registered": [
        """
net = nn.Linear(3, 1)
params = net.parameters()
opt = torch.optim.SGD(params, lr=0.1)
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
""",
        """
net, x, y = nn.Linear(3, 1), torch.randn(8, 3), torch.randn(8, 1)
weights = (p for p in net.parameters())
for _ in range(4):
    (net(x) - y).pow(2).mean().backward()
    with torch.no_grad():
        for p in weights:
            p -= 0.1 * p.grad
            p.grad.zero_()
""",
        """
encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
opt = torch.optim.Adam(encoder.parameters(), lr=0.01)
x = torch.randn(6, 4)
for _ in range(3):
    opt.zero_grad()
    (decoder(torch.tanh(encoder(x))) - x).pow(2).mean().backward()
    opt.step()
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(2, requires_grad=True)
        self.b = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x @ self.w + self.b

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(3, 2)).mean().backward()
opt.step()
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = [nn.Linear(2, 2), nn.Linear(2, 1)]

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(2, 1)
        self.blocks = []
        for _ in range(2):
            self.blocks.append(nn.Linear(2, 2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out(x)

net = Net()
opt = torch.optim.Adam(net.parameters())
net(torch.ones(3, 2)).mean().backward()
opt.step()
""",
        """
class Net(nn.Module):
    def _init_(self):
        super().__init__()
        self.a = nn.Linear(2, 1)

    def forward(self, x):
        return self.a(x)

net = Net()
net(torch.ones(1, 2))
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)

    def forward(self, x):
        return nn.Linear(2, 1)(self.a(x))

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    net(torch.ones(4, 2)).mean().backward()
    opt.step()
""",
    ],
    "optimizer-stale": [
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.head = nn.Linear(2, 3), nn.Linear(3, 9)

    def forward(self, x):
        return self.head(self.a(x))

net = Net()
opt = torch.optim.Adam(net.parameters())
net.head = nn.Linear(3, 1)
net(torch.ones(5, 2)).mean().backward()
opt.step()
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
w = torch.zeros(2, requires_grad=True)
for _ in range(2):
    opt.zero_grad()
    (w - 1).pow(2).sum().backward()
    opt.step()
""",
    ],
    "unused-parameter": [
        """
w, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.1)
(w * 3).sum().backward()
opt.step()
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        y = self.b(x)
        y = self.a(x)
        return y

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(3, 2)).mean().backward()
opt.step()
""",
        """
trunk, h1, h2 = nn.Linear(2, 3), nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.Adam([*trunk.parameters(), *h1.parameters(), *h2.parameters()])
for _ in range(3):
    z = trunk(torch.ones(4, 2))
    a, b = h1(z).mean(), h2(z).mean()
    loss = a
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    ],
    "dead-units": [
        """
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
nn.init.constant_(net[0].bias, -10.0)
net(torch.rand(6, 2)).mean().backward()
""",
        """
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=500.0)
nn.init.constant_(net[2].weight, 0.5)
x = torch.rand(6, 2)
for _ in range(4):
    opt.zero_grad()
    F.l1_loss(net(x), -torch.ones(6, 1)).backward()
    opt.step()
""",
        """
w1, w2 = (-torch.ones(2, 3)).requires_grad_(), torch.ones(3, 1, requires_grad=True)
x = torch.rand(5, 2)
(torch.relu(x @ w1) @ w2 - 1).pow(2).mean().backward()
""",
    ],
    "saturated": [
        """
a = torch.tensor(1.0, requires_grad=True)
p = torch.softmax(a * torch.tensor([900.0, -900.0]), dim=0)
(p * torch.tensor([1.0, 5.0])).sum().backward()
""",
        """
net = nn.Sequential(nn.Linear(2, 20), nn.Sigmoid(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters())
years = torch.tensor([[1990.0, 300.0], [2005.0, 900.0], [2020.0, 100.0]])
net(years).mean().backward()
opt.step()
""",
    ],
    "vanishing": [
        """
mats = [(0.02 * torch.randn(8, 8)).requires_grad_() for _ in range(8)]
x = torch.randn(4, 8)
for m in mats:
    x = torch.tanh(x @ m)
x.sum().backward()
""",
        """
net = nn.Sequential(*[nn.Linear(10, 10) for _ in range(9)])
for layer in net:
    nn.init.normal_(layer.weight, std=0.01)
net(torch.randn(4, 10)).sum().backward()
""",
    ],
    "exploding": [
        """
net = nn.Sequential(*[nn.Linear(20, 20, bias=False) for _ in range(9)])
for layer in net:
    nn.init.normal_(layer.weight, std=2.0)
net(torch.randn(4, 20)).sum().backward()
""",
        """
cell = nn.RNNCell(2, 4, nonlinearity="relu")
with torch.no_grad():
    cell.weight_hh.copy_(2 * torch.eye(4))
h = torch.ones(1, 4)
for x in torch.rand(25, 1, 2):
    h = cell(x, h)
h.sum().backward()
""",
    ],
    "diverging": [
        """
w = torch.tensor(1.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.3)
for _ in range(40):
    opt.zero_grad()
    loss = -((w - 3) ** 2)
    loss.backward()
    opt.step()
""",
        """
x = torch.arange(10.0)
y = 3 * x
w = torch.tensor(0.0, requires_grad=True)
for _ in range(20):
    loss = ((w * x - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
""",
        """
lin = nn.Linear(2, 1)
x = torch.tensor([[1.0, 20000.0], [2.0, 30000.0], [3.0, 10000.0]])
y = torch.ones(3, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for _ in range(5):
    opt.zero_grad()
    loss = F.mse_loss(lin(x), y)
    loss.backward()
    opt.step()
print(loss)
""",
    ],
    "flat": [
        """
x = torch.tensor(3.0, requires_grad=True)
y = (x - 1).abs() + 2 * x
(g,) = torch.autograd.grad(y, x, create_graph=True)
(h,) = torch.autograd.grad(g, x)
print(x - g / h)
""",
        """
x = torch.tensor([3.0], requires_grad=True)
y = torch.relu(x).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
(h,) = torch.autograd.grad(g.sum(), x)
step = g / h
""",
        """
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
slope = torch.autograd.grad(w * x, x, create_graph=True)[0]
torch.autograd.grad(slope, x)
""",
    ],
    "symmetric-start": [
        """
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
for p in net.parameters():
    nn.init.constant_(p, 0.5)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.rand(5, 2), torch.rand(5, 1)
for _ in range(3):
    opt.zero_grad()
    (net(x) - y).pow(2).mean().backward()
    opt.step()
""",
        """
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
nn.init.ones_(net[0].weight)
nn.init.zeros_(net[0].bias)
nn.init.ones_(net[2].weight)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
x, y = torch.rand(5, 2), torch.rand(5, 2)
for _ in range(3):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()
""",
        """
V = torch.full((2, 5), 0.3, requires_grad=True)
U = torch.full((5, 1), 0.2, requires_grad=True)
x, y = torch.randn(6, 2), torch.randn(6, 1)
for _ in range(4):
    loss = (torch.tanh(x @ V) @ U - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (V, U):
            p -= 0.1 * p.grad
            p.grad = None
""",
    ],
    "leaf-in-place": [
        """
w = torch.ones(2, requires_grad=True)
w += 1
w.sum().backward()
""",
        """
w = torch.ones(3, requires_grad=True)
w.mul_(2)
""",
    ],
    "function-wrong-factor": [
        """
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.cos(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.sin(x)

x = torch.tensor([0.5, 1.0], requires_grad=True)
Fn.apply(x).sum().backward()
""",
        """
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x**2

x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(Fn.apply, (x,)))
""",
    ],
    "function-drops-upstream": [
        """
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.exp(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.exp(x)

x = torch.tensor([0.5, 1.0], requires_grad=True)
(Fn.apply(x) * 3).sum().backward()
""",
        """
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        ctx.save_for_backward(inp)
        return inp.clamp(min=0)
    @staticmethod
    def backward(ctx, g):
        (inp,) = ctx.saved_tensors
        out = torch.ones_like(g)
        out[inp < 0] = 0
        return out
w = torch.randn(12, 9, requires_grad=True)
(Clip.apply(w) @ torch.randn(9, 2)).pow(2).sum().backward()
""",
    ],
    "function-wrong-input": [
        """
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return x.t() @ g, g @ w.t()

x = torch.randn(3, 3, requires_grad=True)
w = torch.randn(3, 3, requires_grad=True)
(Fn.apply(x, w) * torch.randn(3, 3)).sum().backward()
""",
    ],
    "function-misses-sum": [
        """
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.softmax(x, 0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.softmax(x, 0)

x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
(Fn.apply(x) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
""",
        """
class Rows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        e = z.exp()
        s = e / e.sum(dim=1, keepdim=True)
        ctx.save_for_backward(s)
        return s
    @staticmethod
    def backward(ctx, g):
        (s,) = ctx.saved_tensors
        return g * s * (1 - s)
z = torch.tensor([[0.2, 1.0, -0.5], [1.5, 0.3, 0.1]], requires_grad=True)
(-Rows.apply(z)[:, 1].log().sum()).backward()
""",
        """
class Centred(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x - x.mean(dim=1, keepdim=True)
    @staticmethod
    def backward(ctx, g):
        return g * 1.0
x = torch.randn(2, 3, requires_grad=True)
(Centred.apply(x) * torch.randn(2, 3)).sum().backward()
""",
    ],
    "function-returns-none": [
        """
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, None

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
opt = torch.optim.SGD([x, w], lr=0.1)
Fn.apply(x, w).sum().backward()
opt.step()
print(w.grad)
""",
    ],
    "function-not-checked": [
        """
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.autograd.gradcheck(torch.sin, (x,)))
""",
    ],
    "graph-growth": [
        """
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
total = 0.0
for _ in range(5):
    opt.zero_grad()
    loss = net(torch.randn(4, 3)).pow(2).mean()
    loss.backward()
    opt.step()
    total += loss
""",
        """
w, total = torch.ones(2, requires_grad=True), 0
for k in range(30):
    loss = (w * k).sum() ** 2
    loss.backward()
    w.grad = None
    total += loss
""",
        """
net, opt_total = nn.Linear(2, 1), torch.tensor(0.0)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(20):
    opt.zero_grad()
    fit = net(torch.randn(4, 2)).pow(2).mean()
    fit.backward()
    opt.step()
    opt_total += fit
print(opt_total / 20)
""",
    ],
    "softmax-axis": [
        """
scores, t = torch.randn(6, 3, requires_grad=True), torch.tensor([0, 2, 1, 1, 0, 2])
probs = torch.softmax(scores, dim=0)
(-probs[torch.arange(6), t].log().mean()).backward()
""",
        """
scores, t = torch.randn(6, 3, requires_grad=True), torch.tensor([0, 2, 1, 1, 0, 2])
logs = torch.log_softmax(scores, 0)
(-logs.gather(1, t.unsqueeze(1)).mean()).backward()
""",
    ],
}

WITHOUT = {
    "graph-growth": [
        """
w, total = torch.ones(2, requires_grad=True), 0
for k in range(30):
    total += (w * k).sum() ** 2
total.backward()
""",
        """
w, total = torch.ones(2, requires_grad=True), 0
for k in range(30):
    loss = (w * k).sum() ** 2
    loss.backward()
    w.grad = None
    total += loss.item()
""",
    ],
    "leaf-rebound": [
        """
w = torch.ones(3).double().requires_grad_()
w.sum().backward()
print(w.grad)
""",
    ],
    "left-graph": [
        """
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
t = torch.linspace(0, 1, 6).unsqueeze(1).requires_grad_()
for _ in range(3):
    u = net(t)
    slope = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    loss = (slope + 2 * u).pow(2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        """
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    x = torch.randn(6, 2, requires_grad=True)
    slope = torch.autograd.grad(net(x).sum(), x)[0]
    loss = net(x + 0.1 * slope.sign()).pow(2).mean() + net((x + 0.1 * slope).detach()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
        """
a = torch.tensor(2.0, requires_grad=True)
loss = a**2
loss.backward()
print(loss.item(), a.detach(), a.grad)
""",
        """
w = torch.tensor(2.0, requires_grad=True)
history = []
for _ in range(2):
    loss = w**2
    w.grad = None
    loss.backward()
    history.append(loss.item())
print(sum(history))
""",
        trained(
            """
size = net[0].weight.norm().item()
loss = fit * (1 / size) + 0.01 * sum(p.abs().sum() for p in net.parameters())
"""
        ),
        trained(
            """
eps = 1e-6
loss = fit + eps
"""
        ),
        """
w = torch.tensor([1.0, 2.0], requires_grad=True)
inner = (w * 3).pow(2).sum()
inner.backward()
fast = w - 0.1 * w.grad.clone()
w.grad = None
(fast * 2).sum().backward()
print(w.grad)
""",
        """
critic = nn.Linear(2, 1)
real, fake = torch.randn(4, 2), torch.randn(4, 2, requires_grad=True)
best = critic(real).max().item()
print(best)
(critic(fake).mean() * 2 - 1.5).backward()
""",
    ],
    "no-derivative": [
        """
s = torch.randn(4, 3, requires_grad=True)
y = torch.tensor([0, 1, 2, 0])
F.cross_entropy(s, y).backward()
print((s.argmax(1) == y).float().mean())
""",
        """
x = torch.randn(4, requires_grad=True)
torch.where(x > 0, x, 0.1 * x).sum().backward()
""",
        """
x = torch.tensor([0.3, 1.7], requires_grad=True)
(x + (torch.round(x) - x).detach()).pow(2).sum().backward()
print(x.grad)
""",
    ],
    "never-reached": [
        """
x = torch.zeros(2, requires_grad=True)
for _ in range(3):
    (g,) = torch.autograd.grad((x - 1).pow(2).sum(), x)
    x = (x.detach() - 0.1 * g).requires_grad_()
print(x, x.grad)
""",
        """
x = torch.tensor(3.0, requires_grad=True)
print(x.grad)
(x**2).backward()
print(x.grad)
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
w.sum().backward()
opt.step()
opt.zero_grad()
print(w.grad)
""",
    ],
    "accumulated": [
        """
body, left, right = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 2)
shared, first, second = (torch.optim.SGD(net.parameters(), lr=0.05) for net in (body, left, right))
for _ in range(3):
    for opt in (shared, first, second):
        opt.zero_grad()
    left(body(torch.randn(5, 3))).pow(2).mean().backward()
    first.step()
    F.cross_entropy(right(body(torch.randn(5, 3))), torch.tensor([0, 1, 1, 0, 1])).backward()
    second.step()
    shared.step()
""",
        """
actor, critic = nn.Linear(3, 2), nn.Linear(5, 1)
acts, judges = (torch.optim.SGD(net.parameters(), lr=0.05) for net in (actor, critic))
for _ in range(3):
    seen, done = torch.randn(4, 3), torch.randn(4, 2)
    judges.zero_grad()
    critic(torch.cat([seen, done], 1)).pow(2).mean().backward()
    judges.step()
    acts.zero_grad()
    (-critic(torch.cat([seen, actor(seen)], 1)).mean()).backward()
    acts.step()
""",
        """
x = torch.tensor([1.0, 2.0], requires_grad=True)
sums = []
for _ in range(3):
    (x ** 2).sum().backward()
    sums.append(x.grad.clone())
""",
        """
class Agent:
    def __init__(self):
        self.actor, self.critic = nn.Linear(3, 2), nn.Linear(3, 1)
        self.first = torch.optim.SGD(self.actor.parameters(), lr=0.05)
        self.second = torch.optim.SGD(self.critic.parameters(), lr=0.05)
    def learn(self, x):
        self.first.zero_grad()
        self.second.zero_grad()
        self.actor(x).pow(2).mean().backward()
        self.first.step()
        loss = (self.critic(x) - 1).pow(2).mean()
        loss.backward()
        self.second.step()
agent = Agent()
for _ in range(4):
    agent.learn(torch.randn(8, 3))
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(2):
    opt.zero_grad()
    for k in range(3):
        (w.sum() * k).backward()
    opt.step()
""",
        """
w = torch.ones(2, requires_grad=True)
for _ in range(3):
    w.sum().backward()
    w.data -= 0.1 * w.grad
    w.grad.zero_()
""",
        """
lin = nn.Linear(2, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for _ in range(3):
    loss = lin(torch.ones(1, 2)).sum()
    loss.backward()
    opt.step()
    opt.zero_grad()
""",
        """
v = torch.tensor([1.0, 2.0], requires_grad=True)
f = torch.stack([v[0] * v[1], v[0] + v[1]])
rows = []
for i in range(2):
    v.grad = None
    f[i].backward(retain_graph=True)
    rows.append(v.grad.clone())
""",
    ],
    "cleared-early": [
        """
lin = nn.Linear(2, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    lin(torch.ones(1, 2)).sum().backward()
    opt.step()
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
w.sum().backward()
print(w.grad)
opt.zero_grad()
w.pow(2).sum().backward()
opt.step()
""",
        """
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
one, two = torch.optim.SGD([a], lr=0.1), torch.optim.SGD([b], lr=0.1)
for _ in range(2):
    one.zero_grad()
    (a * b).sum().backward()
    one.step()
    two.zero_grad()
    (a * b).pow(2).sum().backward()
    two.step()
""",
    ],
    "step-without-backward": [
        """
lin = nn.Linear(3, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for _ in range(4):
    opt.step()
    opt.zero_grad()
    loss = lin(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=1.0)
plan = torch.optim.lr_scheduler.StepLR(opt, 2)
for _ in range(4):
    opt.step()
    plan.step()
    print(plan.get_last_lr())
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.LBFGS([w])

def closure():
    opt.zero_grad()
    loss = (w - 3).pow(2).sum()
    loss.backward()
    return loss

opt.step(closure)
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
w.grad = torch.ones(2)
opt.step()
""",
    ],
    "uneven-accumulation": [
        """
w = torch.tensor(0.5, requires_grad=True)
x = torch.arange(7.0)
for part in x.split(3):
    ((w * part - 1).pow(2).sum() / 7).backward()
""",
        """
w = torch.tensor(0.5, requires_grad=True)
x = torch.arange(7.0)
for part in x.split(3):
    ((w * part - 1).pow(2).mean() * len(part) / len(x)).backward()
""",
        """
w = torch.zeros(3, requires_grad=True)
x = torch.randn(4, 5, 3)
masks = [torch.tensor([[1.0, 1, 1, 1, 1], [1, 1, 1, 1, 0]]), torch.tensor([[1.0, 0, 0, 0, 0], [1, 1, 0, 0, 0]])]
n = sum(mask.sum() for mask in masks)
for part, mask in zip(x.split(2), masks):
    loss = ((part @ w - 1) ** 2 * mask).sum() / n
    loss.backward()
""",
    ],
    "freed-graph": [
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.state = nn.RNNCell(2, 3), torch.zeros(1, 3)
    def forward(self, x):
        self.state = self.cell(x, self.state.detach())
        return self.state
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = net(torch.randn(1, 2)).sum()
    loss.backward()
    opt.step()
""",
        """
w = torch.tensor(2.0, requires_grad=True)
y = w**2
y.backward(retain_graph=True)
y.backward()
print(w.grad)
""",
        """
w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1.0)
for _ in range(3):
    h = torch.tanh(w * h)
    w.grad = None
    (h - 1).pow(2).backward()
    h = h.detach()
""",
        """
w = torch.tensor(2.0, requires_grad=True)
z = w.sin()
(z * 2 + z * 3).backward()
""",
    ],
    "changed-after-saving": [
        """
x = torch.ones(3, requires_grad=True)
y = x * 2
y += 1
y.sum().backward()
""",
        """
x = torch.ones(3, requires_grad=True)
y = x.exp()
z = y.clone()
z[0] = 0
z.sum().backward()
""",
        """
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(2):
    opt.zero_grad()
    (w**2).sum().backward()
    opt.step()
""",
    ],
    "changed-behind-autograd": [
        """
import numpy as np

rows = np.empty((4, 2), dtype=np.float32)
w, b = torch.zeros(2, requires_grad=True), torch.zeros(4, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.1)
for turn in range(3):
    rows[:] = turn
    out = torch.from_numpy(rows) @ w
    out += b
    opt.zero_grad()
    (out - 1).pow(2).mean().backward()
    opt.step()
""",
        """
w = torch.ones(2, requires_grad=True)
for _ in range(2):
    w.grad = None
    (w**2).sum().backward()
    w.data -= 0.1 * w.grad
""",
        """
w = torch.ones(2, requires_grad=True)
y = (3 * w).sum()
w.data.zero_()
y.backward()
""",
        """
import numpy as np
store = np.zeros((2, 3), dtype=np.float32)
w = torch.ones(3, requires_grad=True)
terms = []
for k in range(3):
    pass
    terms.append((torch.from_numpy(store) @ w).pow(2).sum())
sum(terms).backward()
""",
    ],
    "masked-late": [
        """
x = torch.tensor([0.0, 4.0], requires_grad=True)
x[x > 0].log().sum().backward()
""",
    ],
    "nan-at-edge": [
        """
p = torch.zeros(2, requires_grad=True)
(p.pow(2).sum() + 1e-12).sqrt().backward()
""",
        """
x = torch.tensor([0.5, 2.0], requires_grad=True)
x.log().sum().backward()
""",
    ],
    "softmax-twice": [
        """
s = torch.randn(4, 3, requires_grad=True)
F.nll_loss(F.log_softmax(s, dim=1), torch.tensor([0, 1, 2, 0])).backward()
""",
        """
q, v = torch.randn(4, 3, requires_grad=True), torch.randn(3, 3)
F.cross_entropy(torch.softmax(q, 1) @ v, torch.tensor([0, 1, 2, 0])).backward()
""",
        """
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 3), nn.LogSoftmax(dim=1))
F.cross_entropy(net(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()
""",
    ],
    "sigmoid-twice": [
        """
s = torch.randn(4, requires_grad=True)
F.binary_cross_entropy_with_logits(s, torch.ones(4)).backward()
""",
        """
s = torch.randn(4, requires_grad=True)
F.binary_cross_entropy(torch.sigmoid(s), torch.ones(4)).backward()
""",
        """
h, w = torch.randn(4, 3, requires_grad=True), torch.randn(3)
F.binary_cross_entropy_with_logits(torch.sigmoid(h) @ w, torch.ones(4)).backward()
""",
    ],
    "log-missing": [
        """
s = torch.randn(4, 3, requires_grad=True)
F.nll_loss(torch.log(F.softmax(s, dim=1)), torch.tensor([0, 1, 2, 0])).backward()
""",
        """
net = nn.Sequential(nn.Linear(2, 3), nn.LogSoftmax(dim=1))
nn.NLLLoss()(net(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()
""",
        """
s = torch.randn(4, 3, requires_grad=True)
F.nll_loss(torch.log(F.softmax(s, dim=1) + 1e-9), torch.tensor([0, 1, 2, 0])).backward()
""",
    ],
    "broadcast-loss": [
        """
lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.randn(5)
F.mse_loss(lin(x).squeeze(1), y).backward()
""",
        """
p = torch.randn(5, requires_grad=True)
(p.unsqueeze(1) - p.unsqueeze(0)).pow(2).mean().backward()
""",
        """
x, w = torch.randn(5, 1), torch.randn(5, requires_grad=True)
(x * w).sum(1).pow(2).mean().backward()
""",
    ],
    "eval-dropout": [
        """
class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5)

net = Net()
net(torch.ones(1, 2))
""",
        """
class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5, training=True)

net = Net().eval()
net(torch.ones(1, 2))
""",
    ],
    "train-mode-eval": [
        """
net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(3, 2)).sum().backward()
opt.step()
net.train()
with torch.no_grad():
    print(torch.stack([net(torch.ones(3, 2)) for _ in range(5)]).std(0))
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 3), nn.Linear(3, 1)

    def forward(self, x):
        return self.b(F.dropout(torch.relu(self.a(x)), 0.5, training=True))

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(4, 2)).mean().backward()
opt.step()
with torch.no_grad():
    draws = torch.stack([net(torch.ones(4, 2)) for _ in range(20)])
""",
    ],
    "not-registered": [
        """
net = nn.Linear(3, 1)
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
params = net.parameters()
sizes = [p.numel() for p in params]
named = list(net.parameters())
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    nn.utils.clip_grad_norm_(named, 1.0)
    opt.step()
""",
        """
backbone, probe = nn.Linear(4, 3).eval(), nn.Linear(3, 2)
opt = torch.optim.SGD(probe.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    probe(backbone(torch.randn(6, 4))).pow(2).mean().backward()
    opt.step()
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(2)
        self.a = nn.Linear(2, 1)

    def forward(self, x):
        return self.a(x * self.mask)

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(3, 2)).mean().backward()
opt.step()
""",
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(2, requires_grad=True)

    def forward(self, x):
        return x @ self.w

net = Net()
opt = torch.optim.SGD([net.w], lr=0.1)
net(torch.ones(3, 2)).mean().backward()
opt.step()
""",
    ],
    "optimizer-stale": [
        """
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
opt = torch.optim.SGD(net[1].parameters(), lr=0.1)
net(torch.ones(5, 2)).mean().backward()
opt.step()
""",
        """
for _ in range(2):
    net = nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(5, 2)).mean().backward()
    opt.step()
""",
    ],
    "unused-parameter": [
        """
w, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.1)
(w * 3 + b).sum().backward()
opt.step()
""",
        """
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for p in net[0].parameters():
    p.requires_grad = False
opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
net(torch.ones(3, 2)).mean().backward()
opt.step()
""",
        """
a, b = nn.Linear(2, 2), nn.Linear(2, 1)
one, two = torch.optim.SGD(a.parameters(), lr=0.1), torch.optim.SGD(b.parameters(), lr=0.1)
a(torch.ones(1, 2)).sum().backward()
one.step()
b(torch.ones(1, 2)).sum().backward()
two.step()
""",
    ],
    "dead-units": [
        """
x = torch.tensor([[-1.0, 2.0], [3.0, -4.0]], requires_grad=True)
torch.relu(x).sum().backward()
""",
    ],
    "saturated": [
        """
mean, spread = torch.zeros(3, requires_grad=True), torch.zeros(3, requires_grad=True)
opt = torch.optim.Adam([mean, spread], lr=0.01)
for _ in range(3):
    opt.zero_grad()
    (mean + spread.clamp(-5, 2).exp() * torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
""",
        """
a = torch.tensor(1.0, requires_grad=True)
torch.sigmoid(a * torch.tensor([2.0, -3.0])).sum().backward()
""",
        """
s = torch.tensor([[30.0, -30.0]], requires_grad=True)
F.cross_entropy(s, torch.tensor([1])).backward()
""",
        """
a = torch.tensor([1.0, 2.0], requires_grad=True)
torch.softmax(a, 0).sum().backward()
""",
        """
net = nn.Sequential(nn.Linear(4, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
net(2 * torch.randn(16, 4)).pow(2).mean().backward()
opt.step()
""",
    ],
    "vanishing": [
        """
net = nn.Sequential(
    *[layer for _ in range(8) for layer in (nn.Linear(16, 16), nn.ReLU())], nn.Linear(16, 1)
)
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.kaiming_normal_(layer.weight)
net(torch.randn(16, 16)).mean().backward()
""",
        """
net = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Linear(4, 1))
net(torch.randn(16, 4)).mean().backward()
""",
    ],
    "diverging": [
        """
for k in range(5):
    x = torch.tensor(float(k), requires_grad=True)
    (x**2).backward()
    print(x.grad)
""",
    ],
    "symmetric-start": [
        """
down, up = torch.randn(3, 2, requires_grad=True), torch.zeros(2, 4, requires_grad=True)
same = torch.arange(4.0).expand(3, 4)
opt = torch.optim.SGD([down, up], lr=0.01)
for _ in range(4):
    opt.zero_grad()
    (down @ up - same).pow(2).mean().backward()
    opt.step()
""",
        """
w = torch.zeros(2, 3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
x, y = torch.rand(5, 2), torch.tensor([0, 1, 2, 0, 1])
for _ in range(3):
    opt.zero_grad()
    F.cross_entropy(x @ w, y).backward()
    opt.step()
""",
    ],
    "functions": [
        """
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w.sin()

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w.sin(), g * x * w.cos()

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
Fn.apply(x, w).sum().backward()
""",
        """
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sign(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g

x = torch.tensor([1.0, -2.0], requires_grad=True)
(Fn.apply(x) * 3).sum().backward()
""",
        """
class Rows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        s = z.softmax(dim=1)
        ctx.save_for_backward(s)
        return s
    @staticmethod
    def backward(ctx, g):
        (s,) = ctx.saved_tensors
        return s * (g - (g * s).sum(dim=1, keepdim=True))
z = torch.randn(20, 9, requires_grad=True)
Rows.apply(z)[:, 1].log().sum().backward()
""",
    ],
    "kink-used": [
        """
a = torch.ones(3, 2, requires_grad=True)
d = torch.norm(a[0] - a[1])
d.backward()
print(a.grad)
""",
    ],
    "clipped-late": [
        """
net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
plan = torch.optim.lr_scheduler.StepLR(opt, 2)
for _ in range(3):
    net.train()
    opt.zero_grad()
    net(torch.randn(5, 3)).pow(2).mean().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    plan.step()
    net.eval()
    with torch.no_grad():
        net(torch.randn(5, 3))
""",
    ],
    "softmax-axis": [
        """
scores, t = torch.randn(6, 3, requires_grad=True), torch.tensor([0, 2, 1])
probs = torch.softmax(scores, dim=0)  # of each column the chance of a row
(-probs.t()[torch.arange(3), t].log().mean()).backward()
""",
        """
q, k, v = (torch.randn(2, 5, 4, requires_grad=True) for _ in range(3))
weights = torch.softmax(q @ k.transpose(-1, -2) / 2, dim=-1)
pooled = torch.softmax(torch.randn(6, 1, requires_grad=True), dim=0).t() @ torch.randn(6, 3)
((weights @ v).sum() + pooled.sum()).backward()
""",
    ],
    "lost-digits": [
        """
x = torch.tensor([1.1, 2.7, 3.3])
w = torch.tensor(0.7, requires_grad=True)
loss = (w * x * 3 - 2.1 * x).pow(2).mean()
loss.backward()
""",
    ],
}
