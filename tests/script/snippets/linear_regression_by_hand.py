import torch

torch.manual_seed(0)
x = torch.linspace(0, 1, 8)
y = 3 * x - 1 + 0.1 * torch.randn(8)
slope = torch.zeros(1, requires_grad=True)
offset = torch.zeros(1, requires_grad=True)

for epoch in range(41):
    error = slope * x + offset - y
    loss = (error**2).mean()
    loss.backward()
    with torch.no_grad():
        slope -= 0.5 * slope.grad
        offset -= 0.5 * offset.grad
    if epoch % 10 == 0:
        print(f"{epoch:3d} loss {loss.item():.4f} slope {slope.item():.3f} offset {offset.item():.3f}")
    slope.grad.zero_()
    offset.grad.zero_()

print(slope, offset)
