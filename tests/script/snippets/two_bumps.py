import torch
from torch.distributions import Categorical, Normal

torch.manual_seed(3)
data = torch.cat([torch.randn(30) * 0.5 - 2, torch.randn(20) * 0.8 + 1])
weights = torch.zeros(2, requires_grad=True)
centres = torch.tensor([-1.0, 0.5], requires_grad=True)
widths = torch.zeros(2, requires_grad=True)


def log_likelihood(x):
    parts = Normal(centres, widths.exp()).log_prob(x[:, None])
    return torch.logsumexp(Categorical(logits=weights).logits + parts, dim=1)


optimizer = torch.optim.Adam([weights, centres, widths], lr=0.05)
for step in range(120):
    loss = -log_likelihood(data).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(step, f"{loss.item():.4f}", [f"{c:.2f}" for c in centres.tolist()])
print(loss.grad_fn.next_functions[0][0].name(), centres.grad.shape)
print(f"shares {weights.softmax(0).tolist()[0]:.2f}, widths {widths.exp().min().item():.2f}")
print(Normal(centres.detach(), 1.0))
