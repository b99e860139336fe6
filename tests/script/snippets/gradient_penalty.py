import torch

torch.manual_seed(3)
w = torch.randn(4, requires_grad=True)
x = torch.randn(6, 4)
score = torch.tanh(x @ w)
(slope,) = torch.autograd.grad(score.sum(), w, create_graph=True)
print(slope)
loss = score.mean() + 0.1 * (slope.norm() - 1) ** 2
loss.backward()
print(f"{loss.item():.5f}")
print(w.grad)
print(type(loss.grad_fn).__name__)
