import torch

torch.manual_seed(5)
half = torch.randn(4, 4, dtype=torch.float64)
matrix = (half @ half.T).requires_grad_()
v = torch.ones(4, dtype=torch.float64)
for turn in range(200):
    v = matrix @ v
    v = v / v.norm()
value = v @ matrix @ v
print(torch.allclose(value, torch.linalg.eigvalsh(matrix)[-1]))
value.backward()
outer = torch.outer(v, v).detach()
print("the gradient is the outer product of the vector with itself:", torch.allclose(matrix.grad, outer, atol=1e-6))
print(f"its trace is {matrix.grad.trace().item():.4f}, its rank {torch.linalg.matrix_rank(outer).item()}")
change = torch.zeros(4, 4, dtype=torch.float64)
change[0, 0] = 1e-6
moved = torch.linalg.eigvalsh(matrix.detach() + change)[-1] - value.detach()
print(f"moved by {moved / 1e-6:.4f}, predicted {matrix.grad[0, 0]:.4f}")
print(value.grad_fn.name(), v.requires_grad, v.is_leaf)
