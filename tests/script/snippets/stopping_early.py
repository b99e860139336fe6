import copy

import torch
from torch import nn

torch.manual_seed(11)
x, held_out = torch.linspace(-1, 1, 8).unsqueeze(1), torch.linspace(-0.9, 0.9, 7).unsqueeze(1)
y = x.square() + 0.1 * torch.randn(8, 1)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
best, best_state, patience = float("inf"), None, 0
for epoch in range(400):
    net.train()
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.eval()
    with torch.no_grad():
        check = nn.functional.mse_loss(net(held_out), held_out.square()).item()
    if check < best - 1e-4:
        best, best_state, patience = check, copy.deepcopy(net.state_dict()), 0
    else:
        patience += 1
        if patience == 20:
            break
print("stopped:", epoch < 399, "well:", best < 0.02)
kept = best_state["0.weight"].clone()
print("the copy is what the weights are now:", torch.equal(kept, net[0].weight))
print(net.load_state_dict(best_state), torch.equal(kept, net[0].weight))
print(list(best_state), best_state["2.bias"].requires_grad, net[2].bias.requires_grad)
