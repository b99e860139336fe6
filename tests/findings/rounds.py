"""Trainings that differ in the statements of a round, with a cause and without one, by code."""

from __future__ import annotations

from textwrap import indent

TRAINING = """
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x, y = torch.randn(8, 3), torch.randn(8, 1)
opt = torch.optim.{optimizer}
{before}
for turn in range(4):
{body}
"""
LOSS = "loss = (net(x) - y).pow(2).mean()"
STEP = f"opt.zero_grad()\n{LOSS}\nloss.backward()\nopt.step()"
CLIP = "nn.utils.clip_grad_norm_(net.parameters(), 1.0)"
LABELS = "labels = torch.randint(0, 4, (8,))\nlin = nn.Linear(3, 4)\nopt = torch.optim.SGD(lin.parameters(), lr=0.5)"
LOGS = "logs = torch.log_softmax(lin(x), 1)"
BY_HAND = "w = torch.full((3, 1), 0.1, requires_grad=True)"
PASS = "loss = (x @ w - y).pow(2).mean()\nloss.backward()"
DOWN = "opt.zero_grad()\nloss.backward()\nopt.step()"


def training(body: str, before: str = "", optimizer: str = "SGD(net.parameters(), lr=0.05)") -> str:
    return TRAINING.format(body=indent(body, "    "), before=before, optimizer=optimizer)


WITH = {
    "freed-graph": [  # after rounds that are looked at in brief
        training("opt.zero_grad()\nloss = net(x).mean()\nloss.backward()\nopt.step()").replace("(4)", "(200)")
        + "loss.backward()",
    ],
    "clipped-early": [
        training(f"opt.zero_grad()\n{LOSS}\n{CLIP}\nloss.backward()\nopt.step()"),
        training(f"opt.zero_grad()\n{CLIP}\n{LOSS}\nloss.backward()\nopt.step()"),
        training(f"nn.utils.clip_grad_value_(net.parameters(), 0.5)\n{STEP}", optimizer="Adam(net.parameters())"),
    ],
    "not-called": [  # also where that lets gradients add up, the loss grow or nothing move
        *(training(STEP.replace(f"{call}()", call)) for call in ("opt.zero_grad", "loss.backward", "opt.step")),
        training(STEP.replace("()", "", 1), optimizer="SGD(net.parameters(), lr=9.0)").replace("(4)", "(40)"),
        training(f"{PASS}\nw.data -= 0.1 * w.grad\nw.grad.zero_", BY_HAND),
        training(STEP, "net.eval"),
    ],
    "broadcast-loss": [  # before the growth that comes of it
        training(STEP.replace("net(x) - y", "8 * net(x) - y[:, 0]").replace("mean", "sum")).replace("(4)", "(60)"),
    ],
    "never-stepped": [
        training(f"opt.zero_grad()\n{LOSS}\nloss.backward()\n{CLIP}"),
        training(f"opt.zero_grad()\n{LOSS}\nloss.backward()"),
        training(f"{LOSS}\nloss.backward()\nopt.zero_grad()", optimizer="Adam(net.parameters())"),
    ],
    "not-frozen": [
        training(STEP, "net[0].requires_grad = False"),
        training(STEP, "net[0].weight.require_grad = False"),
        training(STEP, "for p in net[0].parameters():\n    p.requires_grads = False"),
    ],
    "log-missing": [
        training(
            f"logs = F.softmax(lin(x), 1)\nloss = F.kl_div(logs, F.softmax(torch.randn(8, 4), 1))\n{DOWN}", LABELS
        ),
        training(f"loss = nn.KLDivLoss()(lin(x).softmax(1), torch.full((8, 4), 0.25))\n{DOWN}", LABELS),
        training(f"q = lin(x).softmax(1)\nloss = F.kl_div(q, q.detach() ** 2, reduction='sum')\n{DOWN}", LABELS),
    ],
    "diverging": [
        training(
            f"for _ in range(25):\n{indent(PASS, '    ')}\n    with torch.no_grad():\n        w += 0.3 * w.grad\n"
            "    w.grad = None",
            BY_HAND,
        ),
    ],
    "saturated": [
        training(f"loss = (net(x).softmax(1) - y).pow(2).mean()\n{DOWN}"),
        training(f"loss = F.cross_entropy(net(x), torch.zeros(8, dtype=torch.long))\n{DOWN}"),
        training(
            f"loss = (norm(net(x)) - y).pow(2).mean()\n{DOWN}", "norm = nn.LayerNorm(1, elementwise_affine=False)"
        ),
    ],
    "leaf-rebound": [
        training(f"{PASS}\nfor p in [w]:\n    p = p - 0.1 * p.grad\nw.grad = None", BY_HAND),
        training(f"{PASS}\nfor p in (w,):\n    p = p + -0.1 * p.grad\nw.grad.zero_()", BY_HAND),
        training(f"{LOSS}\nloss.backward()\nfor p in net.parameters():\n    p = p - 0.1 * p.grad\nnet.zero_grad()"),
        training(PASS, "w = 0.1 * torch.randn(3, 1, requires_grad=True)"),
    ],
    "nan-at-edge": [
        "w = torch.ones(1, requires_grad=True)\nfor turn in range(200):\n    far = w * float(turn != 150)\n"
        "    (far**2).sum().sqrt().backward()\n",
        training(STEP, "x[:, 1] = 2.0\nx = (x - x.mean(0)) / x.std(0)"),
        training(STEP, "y = torch.log(torch.zeros(8, 1)) - torch.log(torch.zeros(8, 1))"),
        training(STEP, "x = (x - 1e3).sqrt()"),
        training(STEP, "x[2, 1] = float('nan')"),
        training(STEP, "y[0] = float('inf')"),
    ],
    "vanishing": [
        "nets = nn.ModuleList([nn.Linear(8, 8) for _ in range(9)])\nh = torch.randn(4, 8)\nfor net in nets:\n"
        "    nn.init.xavier_uniform_(net.weight)\n    h = torch.sigmoid(net(h))\nh.pow(2).mean().backward()\n",
    ],
    "exploding": [
        "a = torch.rand(30, 30)\nw = torch.randn(30, 4, requires_grad=True)\nh = w\nfor _ in range(8):\n    h = a @ h\n"
        "h.pow(2).mean().backward()\n",
        "w = torch.randn(8, 8, requires_grad=True)\nh = torch.randn(8)\nfor _ in range(70):\n    h = w @ h\n"
        "h.pow(2).sum().backward()\n",
        "state, data = 2 * torch.eye(4), 4 * torch.randn(4, 4)\nw = state.requires_grad_()\nv = data.requires_grad_()\n"
        "h = torch.zeros(1, 4)\nfor x in torch.randn(40, 1, 4):\n    h = x @ v + h @ w\nh.mean().backward()\n",
        "nets = [nn.Linear(16, 16) for _ in range(6)]\nh = 4 * torch.randn(2, 8, 16)\nfor net in nets:\n"
        "    scores = net(h) @ h.transpose(-2, -1)\n    h = scores @ h\nh.mean().backward()\n",
    ],
}

WITHOUT = {
    "not-called": [
        training(STEP, "clear = opt.zero_grad\nclear()"),
        training(STEP, "net.training\nx.shape\nx.T"),
        training(STEP, "hooks = [opt.step, opt.zero_grad]"),
    ],
    "clipped-early": [
        training(f"opt.zero_grad()\n{LOSS}\nloss.backward(); {CLIP}\nopt.step()"),
        training(f"opt.zero_grad()\n{LOSS}\nloss.backward()\n{CLIP}\nopt.step()"),
        training(f"{CLIP}\nopt.zero_grad()\n{LOSS}\nloss.backward()\n{CLIP}\nopt.step()"),
        training(STEP, f"{LOSS}\nloss.backward()\n{CLIP}\nnet.zero_grad()"),
    ],
    "never-stepped": [
        training(STEP),
        training(f"opt.zero_grad()\n{LOSS}\nloss.backward()\nprint(net[0].weight.grad.norm())"),
        training(
            f"{LOSS}\nloss.backward()\nwith torch.no_grad():\n    for p in net.parameters():\n"
            "        p -= 0.1 * p.grad\nopt.zero_grad()"
        ),
    ],
    "not-frozen": [
        training(STEP, "net[0].requires_grad_(False)"),
        training(STEP, "net[0].weight.requires_grad = False"),
        training(STEP, "net.required = False"),
    ],
    "log-missing": [
        training(f"logs = F.log_softmax(lin(x), 1)\nloss = F.kl_div(logs, torch.full((8, 4), 0.25))\n{DOWN}", LABELS),
        training(f"loss = F.kl_div(lin(x).softmax(1).log(), torch.full((8, 4), 0.25))\n{DOWN}", LABELS),
        training(f"{LOGS}\nloss = F.kl_div(logs, logs.detach(), log_target=True)\n{DOWN}", LABELS),
    ],
    "diverging": [
        training(f"loss = 100 * net[2].bias.sum() ** 3\n{DOWN}", optimizer="SGD([net[2].bias], lr=1.0, maximize=True)"),
        training(f"{LOGS}\nloss = F.nll_loss(logs, labels)\n{DOWN}", LABELS),
        training(f"{LOGS}\nloss = (logs.exp() * logs).sum(1).mean()\n{DOWN}", LABELS),
    ],
    "saturated": [
        training(f"loss = (torch.sigmoid(net(x)) - y).pow(2).mean()\n{DOWN}"),
        training(f"loss = (net(x).softmax(0) - y).pow(2).mean()\n{DOWN}"),
        training(
            f"loss = (net[2](norm(net[:2](x))) - y).pow(2).mean()\n{DOWN}",
            "norm = nn.LayerNorm(4, elementwise_affine=False)",
        ),
    ],
    "not-registered": [
        training(STEP, "other = torch.optim.Adam(net.parameters())"),
        training(
            f"{STEP}\n(lin(x).mean() ** 2).backward()\ndown.step()\ndown.zero_grad()",
            "lin = nn.Linear(3, 2)\ndown = torch.optim.SGD(lin.parameters(), lr=0.1)",
        ),
        training(STEP, "fixed = nn.Linear(3, 4)\nx = fixed(x).detach()[:, :3]"),
    ],
    "leaf-rebound": [
        training(f"{PASS}\nfor p in [w]:\n    p.data = p.data - 0.1 * p.grad\nw.grad = None", BY_HAND),
        training(
            f"{PASS}\nwith torch.no_grad():\n    for p in [w]:\n        p -= 0.1 * p.grad\nw.grad = None", BY_HAND
        ),
        training(f"{STEP}\nfor p in net.parameters():\n    p = p - 0.1 * p.grad\n    print(p.sum())"),
    ],
    "nan-at-edge": [
        training(STEP, "mean = torch.tensor([]).mean()"),
        training(STEP, "x = (x - x.mean(0)) / (x.std(0) + 1e-6)"),
        training(STEP, "ratio = torch.zeros(2) / torch.zeros(2)"),
        training(
            f"opt.zero_grad()\nloss = net(x).minimum(top).pow(2).mean()\n{DOWN}", "top = torch.full((8, 1), 1e999)"
        ),
    ],
    "exploding": [
        "a = torch.rand(30, 30)\na = a / a.sum(1, keepdim=True)\nw = torch.randn(30, 4, requires_grad=True)\nh = w\n"
        "for _ in range(8):\n    h = a @ h\nh.pow(2).mean().backward()\n",
        "w = torch.randn(8, 8, requires_grad=True)\nwith torch.no_grad():\n    w *= 0.25\nh = torch.randn(8)\n"
        "for _ in range(70):\n    h = w @ h\nh.pow(2).sum().backward()\n",
        "nets = [nn.Linear(16, 16) for _ in range(6)]\nh = 4 * torch.randn(2, 8, 16)\nfor net in nets:\n"
        "    scores = (net(h) @ h.transpose(-2, -1) / 4).softmax(-1)\n    h = scores @ h\nh.mean().backward()\n",
    ],
}
