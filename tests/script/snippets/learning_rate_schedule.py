import torch

x = torch.tensor([5.0, -3.0], requires_grad=True)
velocity = torch.zeros(2)
for step in range(1, 13):
    loss = x[0] ** 2 + 10 * x[1] ** 2
    x.grad = None
    loss.backward()
    rate = 0.05 * 0.9 ** (step // 4)
    velocity = 0.8 * velocity - rate * x.grad
    with torch.no_grad():
        x += velocity
    if step % 3 == 0:
        print(f"{step:2d} rate {rate:.4f} loss {loss.item():8.4f} x {[round(v, 3) for v in x.tolist()]}")
print(x, velocity.requires_grad)
