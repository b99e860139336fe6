import torch

torch.manual_seed(1)
points = torch.randn(20, 2)
labels = (points[:, 0] - points[:, 1] > 0).float()
w = torch.zeros(2, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)

for step in range(60):
    p = torch.sigmoid(points @ w + b)
    loss = -(labels * p.log() + (1 - labels) * (1 - p).log()).mean()
    gw, gb = torch.autograd.grad(loss, (w, b))
    w = (w - 1.0 * gw).detach().requires_grad_()
    b = (b - 1.0 * gb).detach().requires_grad_()
    if step % 20 == 0:
        print(step, f"{loss:.4f}")

print(w, b)
right = ((points @ w + b > 0).float() == labels).sum()
print(f"{right.item()} of {len(labels)} right")
