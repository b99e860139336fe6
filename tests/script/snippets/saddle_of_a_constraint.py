import torch

point = torch.tensor([2.0, 2.0], requires_grad=True)
multiplier = torch.tensor(0.0, requires_grad=True)


def lagrangian(point, multiplier):
    x, y = point
    return (x - 3) ** 2 + (y + 1) ** 2 + multiplier * (x + y - 1)


for step in range(500):
    value = lagrangian(point, multiplier)
    down, up = torch.autograd.grad(value, (point, multiplier))
    with torch.no_grad():
        point -= 0.05 * down
        multiplier += 0.05 * up
    if step in (0, 9, 499):
        print(f"{step + 1:3d}", [f"{x:+.4f}" for x in point.tolist()], f"{multiplier.item():+.4f}")
x, y = point
print("on the line:", torch.isclose(x + y, torch.tensor(1.0)).item())
print(x.grad_fn.name(), down.requires_grad, value)
