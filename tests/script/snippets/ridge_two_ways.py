import torch

torch.manual_seed(9)
x = torch.linspace(-1, 1, 9, dtype=torch.float64)
powers = torch.stack([x**k for k in range(4)], dim=1)
y = torch.sin(2 * x) + 0.1 * torch.randn(9, dtype=torch.float64)
print(powers.shape, powers[0])

strength = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
system = powers.T @ powers + strength * torch.eye(4, dtype=torch.float64)
solved = torch.linalg.solve(system, powers.T @ y)

w = torch.zeros(4, dtype=torch.float64, requires_grad=True)
for step in range(900):
    loss = (powers @ w - y).square().sum() + 0.1 * w.square().sum()
    (slope,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w -= 0.05 * slope
print("the same weights:", torch.allclose(w, solved, atol=1e-6))
print(solved)

left_out = torch.tensor([0.25, -0.75], dtype=torch.float64)
guess = torch.stack([left_out**k for k in range(4)], dim=1) @ solved
error = (guess - torch.sin(2 * left_out)).square().mean()
error.backward()
print("less regularisation would help:", strength.grad.item() > 0, guess.grad_fn.name())
