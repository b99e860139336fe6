import torch

ends = torch.tensor([[0.0, 0.0], [4.0, 0.0]])
beads = torch.tensor([[1.0, 1.0], [2.0, -1.0], [3.0, 0.5]], requires_grad=True)


def energy(beads):
    chain = torch.cat([ends[:1], beads, ends[1:]])
    lengths = (chain[1:] - chain[:-1]).norm(dim=1)
    return 5 * (lengths - 0.8).square().sum() + beads[:, 1].sum()


start = energy(beads)
start.backward()
print("forces at first:")
print(-beads.grad)
for step in range(400):
    beads.grad = None
    energy(beads).backward()
    with torch.no_grad():
        beads -= 0.03 * beads.grad
print(f"energy {start.item():.4f} -> {energy(beads).item():.4f}")
print(beads.detach().numpy().round(3).tolist())
print("largest force left is small:", bool(beads.grad.abs().max() < 1e-3))

hessian = torch.autograd.functional.hessian(energy, beads.detach()).reshape(6, 6)
print(torch.allclose(hessian, hessian.T, atol=1e-5), bool((torch.linalg.eigvalsh(hessian) > 0).all()))
