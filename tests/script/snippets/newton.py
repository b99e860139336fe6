import torch

x = torch.tensor(3.0, requires_grad=True)
for step in range(5):
    f = x**3 - 2 * x - 5
    (slope,) = torch.autograd.grad(f, x)
    with torch.no_grad():
        x -= f / slope
    print(step, round(x.item(), 4), f"{f.item():.3f}")
print(x, x._version, x.is_leaf)
