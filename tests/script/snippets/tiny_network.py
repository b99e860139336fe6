import torch

torch.manual_seed(7)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
w1 = torch.randn(2, 5).requires_grad_()
b1 = torch.zeros(5, requires_grad=True)
w2 = torch.randn(5, 1).requires_grad_()
parameters = [w1, b1, w2]

for step in range(301):
    hidden = torch.tanh(x @ w1 + b1)
    loss = ((hidden @ w2 - y) ** 2).mean()
    for p in parameters:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in parameters:
            p -= 0.1 * p.grad
    if step % 100 == 0:
        print(step, f"{loss.item():.3f}")

print([tuple(p.shape) for p in parameters], sum(p.numel() for p in parameters))
print(hidden.shape, loss.grad_fn.name())
