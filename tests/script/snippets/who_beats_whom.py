import torch
from torch import nn

names = ["Ada", "Bea", "Cem", "Dan"]
games = torch.tensor([[0, 1], [0, 2], [1, 2], [2, 3], [1, 3], [3, 0], [0, 3]])
strength = nn.Embedding(4, 1)
nn.init.zeros_(strength.weight)
optimizer = torch.optim.SGD(strength.parameters(), lr=0.5)
print(strength(games).shape, strength)
for season in range(30):
    winner, loser = strength(games).squeeze(-1).unbind(1)
    loss = -nn.functional.logsigmoid(winner - loser).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if season % 10 == 0:
        print(season, f"{loss.item():.4f}", strength.weight.grad.flatten())
order = strength.weight.flatten().argsort(descending=True)
print([names[i] for i in order])
first, second = strength.weight[order[:2], 0]
print(f"{names[order[0]]} beats {names[order[1]]} with {torch.sigmoid(first - second):.2f}")
print(winner.grad_fn.name(), strength.weight.grad.sum().abs() < 1e-6)
