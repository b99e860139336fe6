"""Snippets with a cause, and like ones without it, by code; each stands behind `finding.HEAD`."""

from __future__ import annotations

LOOP = """
for _ in range(4):
    {}
"""

WITH = {
    "leaf-rebound": [
        "w = torch.ones(3, requires_grad=True)\nfor _ in range(2):\n    (w * 2).sum().backward()\n    w = w - 0.1 * w.grad",
        "w = torch.randn(2, 2, requires_grad=True).view(4)\nw.sum().backward()\nprint(w.grad)",
        "w = (0.1 * torch.randn(3, requires_grad=True))\n(w ** 2).sum().backward()\nprint(w.grad is None, w.grad)",
        "w = torch.ones(3, requires_grad=True) / 3\nopt = torch.optim.SGD([w], lr=0.1)",
    ],
    "left-graph": [
        "a = torch.tensor(2.0, requires_grad=True)\nb = a.detach() * 3\nb.backward()",
        "a = torch.tensor(2.0, requires_grad=True)\nwith torch.no_grad():\n    b = a * 3\nb.backward()",
        "a = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(5.0, requires_grad=True)\n"
        "(torch.tensor([a, b]).sum() + b).backward()\nprint(a.grad)",
        "a = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(5.0, requires_grad=True)\n"
        "(float(a) * b).backward()\nprint(a.grad)",
        "lin, out = nn.Linear(2, 2), nn.Linear(2, 1)\nopt = torch.optim.SGD([*lin.parameters(), *out.parameters()], lr=0.1)\n"
        "h = lin(torch.ones(3, 2)).data\nout(h).mean().backward()\nopt.step()",
    ],
    "no-derivative": [
        "x = torch.tensor([0.3, 2.0], requires_grad=True)\n(x > 1).float().sum().backward()",
        "x = torch.tensor([0.3, 2.0], requires_grad=True)\ntorch.round(x).sum().backward()\nprint(x.grad)",
        "x = torch.randn(4, 3, requires_grad=True)\nx.argmax(1).float().mean().backward()",
        "x = torch.tensor([0.3, 2.0], requires_grad=True)\ns = torch.tensor(1.0, requires_grad=True)\n"
        "(s * x.long()).sum().backward()\nprint(x.grad)",
    ],
    "never-reached": [
        "x = torch.tensor(3.0, requires_grad=True)\ny = x ** 2\nprint(x.grad)",
        "x = torch.tensor(3.0, requires_grad=True)\ng = torch.autograd.grad(x ** 2, x)\nprint(x.grad)",
        "x = torch.tensor(3.0, requires_grad=True)\nz = torch.tensor(2.0, requires_grad=True)\n"
        "y = x ** 2\n(z * 3).backward()\nprint(x.grad)",
    ],
    "integer-leaf": [
        "x = torch.tensor([1, 2], requires_grad=True)",
        "x = torch.arange(3).requires_grad_()",
        "x = torch.tensor(3)\nx.requires_grad = True",
    ],
    "not-scalar": [
        "x = torch.ones(3, requires_grad=True)\n(x * 2).backward()",
        "x = torch.ones(2, 2, requires_grad=True)\ny = x ** 2\ny.backward()",
        "x = torch.ones(3, requires_grad=True)\ny = x * 2\ntry:\n    y.backward()\nexcept RuntimeError:\n    pass",
    ],
    "no-leaf": [
        "w = torch.tensor(2.0)\n(w ** 2).backward()",
        "x, w = torch.ones(3), torch.ones(3)\nloss = (x * w).sum()\nloss.backward()",
        "lin = nn.Linear(2, 1)\nfor p in lin.parameters():\n    p.requires_grad_(False)\nlin(torch.ones(1, 2)).sum().backward()",
    ],
    "accumulated": [
        "w = torch.tensor(1.0, requires_grad=True)\nfor _ in range(3):\n    (w - 3).pow(2).backward()\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad",
        "lin = nn.Linear(2, 1)\nopt = torch.optim.Adam(lin.parameters())\nfor _ in range(3):\n"
        "    lin(torch.ones(2, 2)).sum().backward()\n    opt.step()",
        "w = torch.tensor(1.0, requires_grad=True)\nfor _ in range(3):\n    (w - 3).pow(2).backward()\n"
        "    w.data = w.data - 0.1 * w.grad",
        "x = torch.tensor(2.0, requires_grad=True)\ny = x ** 2\nz = 5 * x\ny.backward()\nprint(x.grad)\nz.backward()\nprint(x.grad)",
    ],
    "wrong-tensor-cleared": [
        "x = torch.ones(3, requires_grad=True)\nw = torch.tensor(0.5, requires_grad=True)\nfor _ in range(4):\n"
        "    (w * x - 2).pow(2).mean().backward()\n    x.grad.zero_()\n    with torch.no_grad():\n        w -= 0.1 * w.grad",
        "x = torch.ones(3, requires_grad=True)\nw = torch.tensor(0.5, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n"
        "for _ in range(4):\n    x.grad = None\n    (w * x - 2).pow(2).mean().backward()\n    opt.step()",
        "a = torch.tensor(1.0, requires_grad=True)\nb = torch.tensor(2.0, requires_grad=True)\nfor _ in range(4):\n"
        "    (a * b).pow(2).backward()\n    b.data -= 0.01 * b.grad\n    a.grad = None",
    ],
    "cleared-early": [
        "lin = nn.Linear(2, 1)\nopt = torch.optim.SGD(lin.parameters(), lr=0.1)\nfor _ in range(3):\n"
        "    lin(torch.ones(2, 2)).sum().backward()\n    opt.zero_grad()\n    opt.step()",
        "lin = nn.Linear(2, 1)\nopt = torch.optim.SGD(lin.parameters(), lr=0.1)\nfor _ in range(3):\n"
        "    lin(torch.ones(2, 2)).sum().backward()\n    lin.zero_grad(set_to_none=False)\n    opt.step()",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nw.sum().backward()\nw.grad = None\nopt.step()",
    ],
    "step-without-backward": [
        "lin = nn.Linear(2, 1)\nopt = torch.optim.SGD(lin.parameters(), lr=0.1)\nfor _ in range(3):\n"
        "    opt.zero_grad()\n    loss = lin(torch.ones(2, 2)).mean()\n    opt.step()",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nloss = w.sum()\nopt.step()",
        "lin, train = nn.Linear(2, 1), False\nopt = torch.optim.SGD(lin.parameters(), lr=0.1)\nfor _ in range(3):\n"
        "    loss = lin(torch.ones(2, 2)).mean()\n    if train:\n        loss.backward()\n    opt.step()",
    ],
    "step-before-backward": [
        "lin = nn.Linear(2, 1)\nopt = torch.optim.SGD(lin.parameters(), lr=0.1)\nfor _ in range(3):\n"
        "    loss = lin(torch.ones(2, 2)).mean()\n    opt.zero_grad()\n    opt.step()\n    loss.backward()",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nloss = w.sum()\nopt.step()\nloss.backward()",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.Adam([w])\ndef turn():\n    loss = w.pow(2).sum()\n"
        "    opt.zero_grad()\n    opt.step()\n    loss.backward()\nfor _ in range(4):\n    turn()",
    ],
    "uneven-accumulation": [
        "w = torch.tensor(0.5, requires_grad=True)\nx = torch.arange(7.0)\nparts = x.split(3)\nfor part in parts:\n"
        "    ((w * part - 1).pow(2).mean() / len(parts)).backward()",
        "lin = nn.Linear(2, 1)\nx = torch.randn(9, 2)\nfor part in (x[:6], x[6:]):\n"
        "    loss = F.mse_loss(lin(part), torch.zeros(len(part), 1)) / 2\n    loss.backward()",
        "lin = nn.Linear(2, 3)\nx, y = torch.randn(9, 2), torch.arange(9) % 3\nfor s in (slice(0, 8), slice(8, 9)):\n"
        "    loss = F.cross_entropy(lin(x[s]), y[s])\n    (0.5 * loss).backward()",
    ],
    "freed-graph": [
        "w = torch.tensor(2.0, requires_grad=True)\ny = w ** 2\ny.backward()\ny.backward()",
        "w = torch.tensor(2.0, requires_grad=True)\ns = w.exp()\nfor _ in range(2):\n    (s * 3).backward()",
        "w = torch.tensor(0.5, requires_grad=True)\nh = torch.tensor(1.0)\nfor _ in range(3):\n    h = torch.tanh(w * h)\n    (h - 1).pow(2).backward()",
        "w = torch.tensor(2.0, requires_grad=True)\nz = w.sin()\na = z * 2\nb = z * 3\na.backward()\nb.backward()",
    ],
    "changed-after-saving": [
        "x = torch.ones(3, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()",
        "x = torch.ones(3, requires_grad=True)\ny = torch.tanh(x)\ny.mul_(2)\ny.sum().backward()",
        "x = torch.ones(3, requires_grad=True)\ny = x * 2\nz = y ** 2\ny[0] = 0\nz.sum().backward()",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nloss = (w ** 2).sum()\n"
        "loss.backward(retain_graph=True)\nopt.step()\nloss.backward()",
    ],
    "changed-behind-autograd": [
        "w = torch.tensor([1.0, 3.0], requires_grad=True)\nx = torch.tensor([2.0, 5.0], requires_grad=True)\n"
        "y = (w * x).sum()\nw.data.zero_()\ny.backward()",
        "w = torch.tensor([1.0, 3.0], requires_grad=True)\ny = (w ** 2).sum()\nw.data += 1\ny.backward()",
        "x = torch.ones(3, requires_grad=True)\ny = torch.exp(x)\ny.data[0] = 0\ny.sum().backward()",
    ],
    "masked-late": [
        "x = torch.tensor([0.0, 4.0], requires_grad=True)\ntorch.where(x > 0, x.log(), torch.zeros(2)).sum().backward()",
        "x = torch.tensor([0.0, 4.0], requires_grad=True)\ny = 1 / x\ny.masked_fill(x == 0, 0.0).sum().backward()",
        "x = torch.tensor([0.0, 4.0], requires_grad=True)\ny = x.sqrt() * (x > 0).float()\ny.sum().backward()",
    ],
    "nan-at-edge": [
        "p = torch.zeros(2, requires_grad=True)\np.pow(2).sum().sqrt().backward()",
        "p = torch.tensor([1.0, 2.0], requires_grad=True)\nq = p.detach().clone()\nF.mse_loss(p, q).sqrt().backward()",
        "x = torch.tensor([-1.0, 2.0], requires_grad=True)\nx.log().sum().backward()",
        "x = torch.tensor([3.0], requires_grad=True)\nx.std().backward()",
    ],
    "overflow": [
        "x = torch.tensor([100.0, 1.0], requires_grad=True)\n(x.exp() / x.exp().sum())[1].backward()",
        "x = torch.tensor([3e20], requires_grad=True)\n(x ** 2 - x ** 2).sum().backward()",
        "x = torch.tensor([200.0], requires_grad=True)\ny = torch.exp(x)\n(y - y).sum().backward()",
    ],
    "lost-digits": [
        "s = torch.tensor([150.0, 0.0], requires_grad=True)\n(-torch.log(torch.softmax(s, dim=0))[1]).backward()",
        "s = torch.tensor(-120.0, requires_grad=True)\ntorch.log(torch.sigmoid(s)).backward()",
        "s = torch.tensor([[0.0, 200.0]], requires_grad=True)\np = F.softmax(s, dim=1)\n(-p.log()[0, 0]).backward()",
    ],
    "huge-from-eps": [
        "v = torch.zeros(2, 3, requires_grad=True)\nF.normalize(v, dim=1).sum().backward()",
        "v = torch.tensor([[1.0, 2.0], [0.0, 0.0]], requires_grad=True)\nF.normalize(v, dim=1).sum().backward()",
        "e = nn.Embedding(3, 2, padding_idx=0)\nv = e(torch.tensor([0, 1]))\nw = v.detach().requires_grad_()\n"
        "F.normalize(w, dim=-1).sum().backward()",
    ],
    "kink-used": [
        "c = torch.tensor(0.0, requires_grad=True)\nopt = torch.optim.SGD([c], lr=0.1)\n(c.abs() - 1).pow(2).backward()\nopt.step()",
        "c = torch.zeros(2, requires_grad=True)\nopt = torch.optim.SGD([c], lr=0.1)\n(c.relu() - 1).pow(2).sum().backward()\nopt.step()",
        "c = torch.zeros(2, requires_grad=True)\nopt = torch.optim.SGD([c], lr=0.1)\n(torch.abs(c) - 2).pow(2).mean().backward()\nopt.step()",
    ],
    "softmax-twice": [
        "s = torch.randn(4, 3, requires_grad=True)\nF.cross_entropy(F.softmax(s, dim=1), torch.tensor([0, 1, 2, 0])).backward()",
        "net = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))\n"
        "nn.CrossEntropyLoss()(net(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()",
        "s = torch.randn(4, 3, requires_grad=True)\np = s.softmax(-1)\nF.cross_entropy(p, torch.tensor([0, 1, 2, 0])).backward()",
    ],
    "sigmoid-twice": [
        "s = torch.randn(4, requires_grad=True)\nF.binary_cross_entropy_with_logits(torch.sigmoid(s), torch.ones(4)).backward()",
        "net = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())\nnn.BCEWithLogitsLoss()(net(torch.randn(4, 2)), torch.ones(4, 1)).backward()",
        "s = torch.randn(4, 1, requires_grad=True)\np = s.sigmoid().squeeze(1)\nF.binary_cross_entropy_with_logits(p, torch.ones(4)).backward()",
    ],
    "log-missing": [
        "s = torch.randn(4, 3, requires_grad=True)\nF.nll_loss(F.softmax(s, dim=1), torch.tensor([0, 1, 2, 0])).backward()",
        "lin = nn.Linear(2, 3)\nF.nll_loss(lin(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()",
        "net = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))\nnn.NLLLoss()(net(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()",
    ],
    "broadcast-loss": [
        "lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.randn(5)\nF.mse_loss(lin(x), y).backward()",
        "lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.randn(5)\nloss = ((lin(x) - y) ** 2).mean()\nloss.backward()",
        "lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.randn(5)\ndef loss_of(a, b):\n    return (a - b).abs().mean()\n"
        "loss_of(y, lin(x)).backward()",
        "lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.randn(5)\nnn.L1Loss()(lin(x), y).backward()",
    ],
    "eval-dropout": [
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        return F.dropout(self.a(x), 0.5)\nnet = Net()\nnet.eval()\nnet(torch.ones(1, 2))",
        "class Net(nn.Module):\n    def forward(self, x):\n        x = F.dropout(x)\n        return x\nnet = Net().eval()\nnet(torch.ones(1, 2))",
        "class Inner(nn.Module):\n    def forward(self, x):\n        return nn.functional.dropout(x, p=0.1)\n"
        "net = nn.Sequential(nn.Linear(2, 2), Inner())\nnet.eval()\nwith torch.no_grad():\n    net(torch.ones(1, 2))",
    ],
    "train-mode-eval": [
        "net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.ones(3, 2)).sum().backward()\nopt.step()\nwith torch.no_grad():\n    print(net(torch.ones(3, 2)))",
        "net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.randn(3, 2)).sum().backward()\nopt.step()\nwith torch.no_grad():\n    out = net(torch.randn(3, 2))",
        "net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.ones(3, 2)).sum().backward()\nopt.step()\n@torch.no_grad()\ndef score(model):\n    return model(torch.ones(3, 2)).mean()\nscore(net)",
    ],
    "batch-of-one": [
        "net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))\nnet(torch.ones(1, 3))",
        "bn = nn.BatchNorm1d(3)\nfor row in torch.randn(3, 1, 3):\n    bn(row)",
        "net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))\nfor xb in torch.randn(5, 3).split(2):\n    net(xb).sum().backward()",
    ],
    "not-registered": [
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = torch.ones(2, requires_grad=True)\n"
        "        self.b = nn.Parameter(torch.zeros(1))\n    def forward(self, x):\n        return x @ self.w + self.b\nnet = Net()\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet(torch.ones(3, 2)).mean().backward()\nopt.step()",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.parts = [nn.Linear(2, 2), nn.Linear(2, 1)]\n"
        "    def forward(self, x):\n        for part in self.parts:\n            x = part(x)\n        return x\nnet = Net()\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.out = nn.Linear(2, 1)\n"
        "        self.blocks = []\n        for _ in range(2):\n            self.blocks.append(nn.Linear(2, 2))\n    def forward(self, x):\n"
        "        for block in self.blocks:\n            x = block(x)\n        return self.out(x)\nnet = Net()\n"
        "opt = torch.optim.Adam(net.parameters())\nnet(torch.ones(3, 2)).mean().backward()\nopt.step()",
    ],
    "optimizer-stale": [
        "net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet[1] = nn.Linear(3, 1)\n"
        "net(torch.ones(5, 2)).mean().backward()\nopt.step()",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a, self.head = nn.Linear(2, 3), nn.Linear(3, 9)\n"
        "    def forward(self, x):\n        return self.head(self.a(x))\nnet = Net()\nopt = torch.optim.Adam(net.parameters())\n"
        "net.head = nn.Linear(3, 1)\nnet(torch.ones(5, 2)).mean().backward()\nopt.step()",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nw = torch.zeros(2, requires_grad=True)\n"
        "for _ in range(2):\n    opt.zero_grad()\n    (w - 1).pow(2).sum().backward()\n    opt.step()",
    ],
    "unused-parameter": [
        "w, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)\nopt = torch.optim.SGD([w, b], lr=0.1)\n"
        "(w * 3).sum().backward()\nopt.step()",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        return self.a(x)\nnet = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.ones(3, 2)).mean().backward()\nopt.step()",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        y = self.b(x)\n        y = self.a(x)\n        return y\nnet = Net()\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet(torch.ones(3, 2)).mean().backward()\nopt.step()",
    ],
    "dead-units": [
        "net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))\nnn.init.constant_(net[0].bias, -10.0)\n"
        "net(torch.rand(6, 2)).mean().backward()",
        "net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))\nopt = torch.optim.SGD(net.parameters(), lr=500.0)\n"
        "nn.init.constant_(net[2].weight, 0.5)\nx = torch.rand(6, 2)\nfor _ in range(4):\n    opt.zero_grad()\n"
        "    F.l1_loss(net(x), -torch.ones(6, 1)).backward()\n    opt.step()",
        "w1, w2 = (-torch.ones(2, 3)).requires_grad_(), torch.ones(3, 1, requires_grad=True)\nx = torch.rand(5, 2)\n"
        "(torch.relu(x @ w1) @ w2 - 1).pow(2).mean().backward()",
    ],
    "saturated": [
        "a = torch.tensor(1.0, requires_grad=True)\ntorch.sigmoid(a * torch.tensor([400.0, -900.0])).sum().backward()",
        "w = torch.full((3,), 50.0, requires_grad=True)\nx = 10 * torch.ones(4, 3)\nout = torch.tanh(x @ w)\n(out - 0.5).pow(2).mean().backward()",
        "a = torch.tensor(1.0, requires_grad=True)\np = torch.softmax(a * torch.tensor([900.0, -900.0]), dim=0)\n"
        "(p * torch.tensor([1.0, 5.0])).sum().backward()",
    ],
    "vanishing": [
        "layers = []\nfor _ in range(12):\n    layers += [nn.Linear(8, 8), nn.Sigmoid()]\nnet = nn.Sequential(*layers, nn.Linear(8, 1))\n"
        "net(torch.randn(16, 8)).pow(2).mean().backward()",
        "mats = [(0.02 * torch.randn(8, 8)).requires_grad_() for _ in range(8)]\nx = torch.randn(4, 8)\nfor m in mats:\n"
        "    x = torch.tanh(x @ m)\nx.sum().backward()",
        "net = nn.Sequential(*[nn.Linear(10, 10) for _ in range(9)])\nfor layer in net:\n    nn.init.normal_(layer.weight, std=0.01)\n"
        "net(torch.randn(4, 10)).sum().backward()",
    ],
    "exploding": [
        "w = torch.tensor([[2.5, 0.0], [0.0, 2.5]], requires_grad=True)\nh = torch.ones(1, 2)\nfor _ in range(20):\n    h = torch.relu(h @ w)\nh.mean().backward()",
        "net = nn.Sequential(*[nn.Linear(20, 20, bias=False) for _ in range(9)])\nfor layer in net:\n    nn.init.normal_(layer.weight, std=2.0)\n"
        "net(torch.randn(4, 20)).sum().backward()",
        "cell = nn.RNNCell(2, 4, nonlinearity='relu')\nwith torch.no_grad():\n    cell.weight_hh.copy_(2 * torch.eye(4))\n"
        "h = torch.ones(1, 4)\nfor x in torch.rand(25, 1, 2):\n    h = cell(x, h)\nh.sum().backward()",
    ],
    "diverging": [
        "w = torch.tensor(1.0, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.3)\nfor _ in range(12):\n    opt.zero_grad()\n"
        "    loss = 10 * w ** 2\n    loss.backward()\n    opt.step()",
        "x = torch.arange(10.0)\ny = 3 * x\nw = torch.tensor(0.0, requires_grad=True)\nfor _ in range(20):\n"
        "    loss = ((w * x - y) ** 2).mean()\n    loss.backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad = None",
        "lin = nn.Linear(1, 1)\nx = torch.linspace(0, 50, 20).unsqueeze(1)\nopt = torch.optim.SGD(lin.parameters(), lr=0.01)\nfor _ in range(30):\n"
        "    opt.zero_grad()\n    loss = F.mse_loss(lin(x), 2 * x + 1)\n    loss.backward()\n    opt.step()",
    ],
    "flat": [
        "x = torch.tensor(3.0, requires_grad=True)\ny = (x - 1).abs() + 2 * x\ng, = torch.autograd.grad(y, x, create_graph=True)\n"
        "h, = torch.autograd.grad(g, x)\nprint(x - g / h)",
        "x = torch.tensor([3.0], requires_grad=True)\ny = torch.relu(x).sum()\ng, = torch.autograd.grad(y, x, create_graph=True)\n"
        "h, = torch.autograd.grad(g.sum(), x)\nstep = g / h",
    ],
    "symmetric-start": [
        "net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))\nfor p in net.parameters():\n    nn.init.constant_(p, 0.5)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nx, y = torch.rand(5, 2), torch.rand(5, 1)\nfor _ in range(3):\n"
        "    opt.zero_grad()\n    (net(x) - y).pow(2).mean().backward()\n    opt.step()",
        "w1, w2 = torch.ones(2, 4, requires_grad=True), torch.ones(4, 1, requires_grad=True)\nopt = torch.optim.SGD([w1, w2], lr=0.05)\n"
        "x, y = torch.rand(5, 2), torch.rand(5, 1)\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    (torch.sigmoid(x @ w1) @ w2 - y).pow(2).mean().backward()\n    opt.step()",
        "net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))\nnn.init.ones_(net[0].weight)\nnn.init.zeros_(net[0].bias)\n"
        "nn.init.ones_(net[2].weight)\nopt = torch.optim.Adam(net.parameters(), lr=0.1)\nx, y = torch.rand(5, 2), torch.rand(5, 2)\n"
        "for _ in range(3):\n    opt.zero_grad()\n    F.mse_loss(net(x), y).backward()\n    opt.step()",
    ],
}

WITHOUT = {
    "leaf-rebound": [
        "w = torch.ones(3, requires_grad=True)\nfor _ in range(2):\n    w.grad = None\n    w.sum().backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad",
        "w = torch.ones(3).double().requires_grad_()\nw.sum().backward()\nprint(w.grad)",
        "x = torch.ones(3, requires_grad=True)\nx2 = x.view(3, 1)\nx2.sum().backward()\nprint(x.grad)",
    ],
    "left-graph": [
        "a = torch.tensor(2.0, requires_grad=True)\nloss = a ** 2\nloss.backward()\nprint(loss.item(), a.detach(), a.grad)",
        "w = torch.tensor(2.0, requires_grad=True)\ntarget = (w * 2).detach()\n(w - target).pow(2).backward()\nprint(w.grad)",
        "w = torch.tensor(2.0, requires_grad=True)\nhistory = []\nfor _ in range(2):\n    loss = w ** 2\n    w.grad = None\n    loss.backward()\n"
        "    history.append(loss.item())\nprint(sum(history))",
    ],
    "no-derivative": [
        "s = torch.randn(4, 3, requires_grad=True)\ny = torch.tensor([0, 1, 2, 0])\nF.cross_entropy(s, y).backward()\nprint((s.argmax(1) == y).float().mean())",
        "x = torch.randn(4, requires_grad=True)\ntorch.where(x > 0, x, 0.1 * x).sum().backward()",
        "x = torch.tensor([0.3, 1.7], requires_grad=True)\n(x + (torch.round(x) - x).detach()).pow(2).sum().backward()\nprint(x.grad)",
    ],
    "never-reached": [
        "x = torch.tensor(3.0, requires_grad=True)\nprint(x.grad)\n(x ** 2).backward()\nprint(x.grad)",
        "x = torch.tensor(3.0, requires_grad=True)\ng, = torch.autograd.grad(x ** 2, x)\nprint(g)",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nw.sum().backward()\nopt.step()\nopt.zero_grad()\nprint(w.grad)",
    ],
    "accumulated": [
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nfor _ in range(2):\n    opt.zero_grad()\n"
        "    for k in range(3):\n        (w.sum() * k).backward()\n    opt.step()",
        "w = torch.ones(2, requires_grad=True)\nfor _ in range(3):\n    w.sum().backward()\n    w.data -= 0.1 * w.grad\n    w.grad.zero_()",
        "lin = nn.Linear(2, 1)\nopt = torch.optim.SGD(lin.parameters(), lr=0.1)\nfor _ in range(3):\n"
        "    loss = lin(torch.ones(1, 2)).sum()\n    loss.backward()\n    opt.step()\n    opt.zero_grad()",
    ],
    "cleared-early": [
        "lin = nn.Linear(2, 1)\nopt = torch.optim.SGD(lin.parameters(), lr=0.1)\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    lin(torch.ones(1, 2)).sum().backward()\n    opt.step()",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nw.sum().backward()\nprint(w.grad)\nopt.zero_grad()\nw.pow(2).sum().backward()\nopt.step()",
        "a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\none, two = torch.optim.SGD([a], lr=0.1), torch.optim.SGD([b], lr=0.1)\n"
        "for _ in range(2):\n    one.zero_grad()\n    (a * b).sum().backward()\n    one.step()\n    two.zero_grad()\n    (a * b).pow(2).sum().backward()\n    two.step()",
    ],
    "step-without-backward": [
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=1.0)\nplan = torch.optim.lr_scheduler.StepLR(opt, 2)\n"
        "for _ in range(4):\n    opt.step()\n    plan.step()\n    print(plan.get_last_lr())",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.LBFGS([w])\ndef closure():\n    opt.zero_grad()\n"
        "    loss = (w - 3).pow(2).sum()\n    loss.backward()\n    return loss\nopt.step(closure)",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nw.grad = torch.ones(2)\nopt.step()",
    ],
    "uneven-accumulation": [
        "w = torch.tensor(0.5, requires_grad=True)\nx = torch.arange(6.0)\nfor part in x.split(3):\n    ((w * part - 1).pow(2).mean() / 2).backward()",
        "w = torch.tensor(0.5, requires_grad=True)\nx = torch.arange(7.0)\nfor part in x.split(3):\n    ((w * part - 1).pow(2).sum() / 7).backward()",
        "w = torch.tensor(0.5, requires_grad=True)\nx = torch.arange(7.0)\nfor part in x.split(3):\n"
        "    ((w * part - 1).pow(2).mean() * len(part) / len(x)).backward()",
    ],
    "freed-graph": [
        "w = torch.tensor(2.0, requires_grad=True)\ny = w ** 2\ny.backward(retain_graph=True)\ny.backward()\nprint(w.grad)",
        "w = torch.tensor(0.5, requires_grad=True)\nh = torch.tensor(1.0)\nfor _ in range(3):\n    h = torch.tanh(w * h)\n"
        "    w.grad = None\n    (h - 1).pow(2).backward()\n    h = h.detach()",
        "w = torch.tensor(2.0, requires_grad=True)\nz = w.sin()\n(z * 2 + z * 3).backward()",
    ],
    "changed-after-saving": [
        "x = torch.ones(3, requires_grad=True)\ny = x * 2\ny += 1\ny.sum().backward()",
        "x = torch.ones(3, requires_grad=True)\ny = x.exp()\nz = y.clone()\nz[0] = 0\nz.sum().backward()",
        "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nfor _ in range(2):\n    opt.zero_grad()\n    (w ** 2).sum().backward()\n    opt.step()",
    ],
    "changed-behind-autograd": [
        "w = torch.ones(2, requires_grad=True)\nfor _ in range(2):\n    w.grad = None\n    (w ** 2).sum().backward()\n    w.data -= 0.1 * w.grad",
        "w = torch.ones(2, requires_grad=True)\nw.data.fill_(3.0)\n(w ** 2).sum().backward()",
        "w = torch.ones(2, requires_grad=True)\ny = (3 * w).sum()\nw.data.zero_()\ny.backward()",
    ],
    "masked-late": [
        "x = torch.tensor([0.0, 4.0], requires_grad=True)\nsafe = torch.where(x > 0, x, 1.0)\ntorch.where(x > 0, safe.log(), torch.zeros(2)).sum().backward()",
        "x = torch.tensor([1.0, 4.0], requires_grad=True)\ntorch.where(x > 0, x.log(), torch.zeros(2)).sum().backward()",
        "x = torch.tensor([0.0, 4.0], requires_grad=True)\nx[x > 0].log().sum().backward()",
    ],
    "nan-at-edge": [
        "p = torch.zeros(2, requires_grad=True)\n(p.pow(2).sum() + 1e-12).sqrt().backward()",
        "x = torch.tensor([0.5, 2.0], requires_grad=True)\nx.log().sum().backward()",
        "x = torch.tensor([3.0, 4.0], requires_grad=True)\nx.std().backward()",
    ],
    "softmax-twice": [
        "s = torch.randn(4, 3, requires_grad=True)\nF.cross_entropy(s, torch.tensor([0, 1, 2, 0])).backward()\nprint(s.softmax(1))",
        "s = torch.randn(4, 3, requires_grad=True)\nF.nll_loss(F.log_softmax(s, dim=1), torch.tensor([0, 1, 2, 0])).backward()",
        "q, v = torch.randn(4, 3, requires_grad=True), torch.randn(3, 3)\nF.cross_entropy(torch.softmax(q, 1) @ v, torch.tensor([0, 1, 2, 0])).backward()",
    ],
    "sigmoid-twice": [
        "s = torch.randn(4, requires_grad=True)\nF.binary_cross_entropy_with_logits(s, torch.ones(4)).backward()",
        "s = torch.randn(4, requires_grad=True)\nF.binary_cross_entropy(torch.sigmoid(s), torch.ones(4)).backward()",
        "h, w = torch.randn(4, 3, requires_grad=True), torch.randn(3)\nF.binary_cross_entropy_with_logits(torch.sigmoid(h) @ w, torch.ones(4)).backward()",
    ],
    "log-missing": [
        "s = torch.randn(4, 3, requires_grad=True)\nF.nll_loss(torch.log(F.softmax(s, dim=1)), torch.tensor([0, 1, 2, 0])).backward()",
        "net = nn.Sequential(nn.Linear(2, 3), nn.LogSoftmax(dim=1))\nnn.NLLLoss()(net(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0])).backward()",
        "s = torch.randn(4, 3, requires_grad=True)\nF.nll_loss(torch.log(F.softmax(s, dim=1) + 1e-9), torch.tensor([0, 1, 2, 0])).backward()",
    ],
    "broadcast-loss": [
        "lin, x, y = nn.Linear(2, 1), torch.randn(5, 2), torch.randn(5)\nF.mse_loss(lin(x).squeeze(1), y).backward()",
        "p = torch.randn(5, requires_grad=True)\n(p.unsqueeze(1) - p.unsqueeze(0)).pow(2).mean().backward()",
        "x, w = torch.randn(5, 1), torch.randn(5, requires_grad=True)\n(x * w).sum(1).pow(2).mean().backward()",
    ],
    "eval-dropout": [
        "class Net(nn.Module):\n    def forward(self, x):\n        return F.dropout(x, 0.5, training=self.training)\nnet = Net().eval()\nnet(torch.ones(1, 2))",
        "class Net(nn.Module):\n    def forward(self, x):\n        return F.dropout(x, 0.5)\nnet = Net()\nnet(torch.ones(1, 2))",
        "class Net(nn.Module):\n    def forward(self, x):\n        return F.dropout(x, 0.5, training=True)\nnet = Net().eval()\nnet(torch.ones(1, 2))",
    ],
    "train-mode-eval": [
        "net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.ones(3, 2)).sum().backward()\nopt.step()\nnet.eval()\nwith torch.no_grad():\n    print(net(torch.ones(3, 2)))",
        "net = nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet(torch.ones(3, 2)).sum().backward()\nopt.step()\n"
        "with torch.no_grad():\n    print(net(torch.ones(3, 2)))",
        "net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.ones(3, 2)).sum().backward()\nopt.step()\nnet.train()\nwith torch.no_grad():\n    print(torch.stack([net(torch.ones(3, 2)) for _ in range(5)]).std(0))",
    ],
    "not-registered": [
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.parts = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 1)])\n"
        "    def forward(self, x):\n        for part in self.parts:\n            x = part(x)\n        return x\nnet = Net()\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet(torch.ones(3, 2)).mean().backward()\nopt.step()",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.mask = torch.ones(2)\n        self.a = nn.Linear(2, 1)\n"
        "    def forward(self, x):\n        return self.a(x * self.mask)\nnet = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.ones(3, 2)).mean().backward()\nopt.step()",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = torch.ones(2, requires_grad=True)\n"
        "    def forward(self, x):\n        return x @ self.w\nnet = Net()\nopt = torch.optim.SGD([net.w], lr=0.1)\n"
        "net(torch.ones(3, 2)).mean().backward()\nopt.step()",
    ],
    "optimizer-stale": [
        "net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4))\nnet[1] = nn.Linear(3, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.ones(5, 2)).mean().backward()\nopt.step()",
        "net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))\nopt = torch.optim.SGD(net[1].parameters(), lr=0.1)\n"
        "net(torch.ones(5, 2)).mean().backward()\nopt.step()",
        "for _ in range(2):\n    net = nn.Linear(2, 1)\n    opt = torch.optim.SGD(net.parameters(), lr=0.1)\n    net(torch.ones(5, 2)).mean().backward()\n    opt.step()",
    ],
    "unused-parameter": [
        "w, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)\nopt = torch.optim.SGD([w, b], lr=0.1)\n"
        "(w * 3 + b).sum().backward()\nopt.step()",
        "net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))\nfor p in net[0].parameters():\n    p.requires_grad = False\n"
        "opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)\nnet(torch.ones(3, 2)).mean().backward()\nopt.step()",
        "a, b = nn.Linear(2, 2), nn.Linear(2, 1)\none, two = torch.optim.SGD(a.parameters(), lr=0.1), torch.optim.SGD(b.parameters(), lr=0.1)\n"
        "a(torch.ones(1, 2)).sum().backward()\none.step()\nb(torch.ones(1, 2)).sum().backward()\ntwo.step()",
    ],
    "dead-units": [
        "net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))\nnet(torch.randn(6, 2)).mean().backward()",
        "x = torch.tensor([[-1.0, 2.0], [3.0, -4.0]], requires_grad=True)\ntorch.relu(x).sum().backward()",
        "net = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1))\nnn.init.constant_(net[0].bias, -10.0)\nnet(torch.randn(6, 2)).mean().backward()",
    ],
    "saturated": [
        "a = torch.tensor(1.0, requires_grad=True)\ntorch.sigmoid(a * torch.tensor([2.0, -3.0])).sum().backward()",
        "s = torch.tensor([[30.0, -30.0]], requires_grad=True)\nF.cross_entropy(s, torch.tensor([1])).backward()",
        "a = torch.tensor([1.0, 2.0], requires_grad=True)\ntorch.softmax(a, 0).sum().backward()",
    ],
    "vanishing": [
        "net = nn.Sequential(*[layer for _ in range(8) for layer in (nn.Linear(16, 16), nn.ReLU())], nn.Linear(16, 1))\n"
        "for layer in net:\n    if isinstance(layer, nn.Linear):\n        nn.init.kaiming_normal_(layer.weight)\nnet(torch.randn(16, 16)).mean().backward()",
        "net = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Linear(4, 1))\nnet(torch.randn(16, 4)).mean().backward()",
        "mats = [(0.35 * torch.randn(8, 8)).requires_grad_() for _ in range(8)]\nx = torch.randn(4, 8)\nfor m in mats:\n    x = torch.tanh(x @ m)\nx.sum().backward()",
    ],
    "diverging": [
        "w = torch.tensor(1.0, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.01)\nfor _ in range(12):\n    opt.zero_grad()\n"
        "    loss = 10 * w ** 2\n    loss.backward()\n    opt.step()",
        "w = torch.tensor(1.0, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1, maximize=True)\nfor _ in range(5):\n    opt.zero_grad()\n"
        "    loss = torch.sin(w)\n    loss.backward()\n    opt.step()",
        "for k in range(5):\n    x = torch.tensor(float(k), requires_grad=True)\n    (x ** 2).backward()\n    print(x.grad)",
    ],
    "symmetric-start": [
        "net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "x, y = torch.rand(5, 2), torch.rand(5, 1)\nfor _ in range(3):\n    opt.zero_grad()\n    (net(x) - y).pow(2).mean().backward()\n    opt.step()",
        "w = torch.zeros(2, 3, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nx, y = torch.rand(5, 2), torch.tensor([0, 1, 2, 0, 1])\n"
        "for _ in range(3):\n    opt.zero_grad()\n    F.cross_entropy(x @ w, y).backward()\n    opt.step()",
        "lin = nn.Linear(3, 1)\nnn.init.zeros_(lin.weight)\nopt = torch.optim.SGD(lin.parameters(), lr=0.1)\nx, y = torch.rand(5, 3), torch.rand(5, 1)\n"
        "for _ in range(3):\n    opt.zero_grad()\n    F.mse_loss(lin(x), y).backward()\n    opt.step()",
    ],
}
