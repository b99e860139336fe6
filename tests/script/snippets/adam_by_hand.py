import torch

w = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
target = torch.tensor([0.3, 0.6, -0.9])
m, v = torch.zeros_like(w), torch.zeros_like(w)
b1, b2, rate = 0.9, 0.999, 0.1
for t in range(1, 31):
    loss = ((w - target) ** 2).sum()
    (g,) = torch.autograd.grad(loss, w)
    m.mul_(b1).add_(g, alpha=1 - b1)
    v.mul_(b2).addcmul_(g, g, value=1 - b2)
    step = (m / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + 1e-8)
    with torch.no_grad():
        w.sub_(step, alpha=rate)
    if t in (1, 10, 30):
        print(t, f"{loss.item():.3f}", w)
print(m._version, v._version, w._version)
