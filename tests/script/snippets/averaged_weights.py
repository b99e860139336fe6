import torch
from torch import nn

torch.manual_seed(2)
model = nn.Linear(3, 1)
average = nn.Linear(3, 1)
average.load_state_dict(model.state_dict())
average.requires_grad_(False)


@torch.no_grad()
def follow(slow, fast, decay=0.9):
    for mean, value in zip(slow.parameters(), fast.parameters()):
        mean.mul_(decay).add_(value, alpha=1 - decay)


optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
truth = torch.tensor([[1.0, -2.0, 0.5]])
for step in range(60):
    x = torch.randn(4, 3)
    y = x @ truth.T + 0.5 * torch.randn(4, 1)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    follow(average, model)
    if step % 20 == 19:
        far, near = ((m.weight - truth).norm().item() for m in (model, average))
        print(f"{step + 1:2d} model {far:.3f} average {near:.3f}")
print(average.weight, average.weight._version)
print([p.grad is None for p in average.parameters()], [p.grad is None for p in model.parameters()])
try:
    average.weight.sum().backward()
except RuntimeError as error:
    print(error)
