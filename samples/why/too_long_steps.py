# Each step goes further beyond the minimum than it came from.
import torch

place = torch.tensor([1.0, -1.0], requires_grad=True)
descent = torch.optim.SGD([place], lr=0.3)
for _ in range(12):
    descent.zero_grad()
    height = (torch.tensor([1.0, 8.0]) * place**2).sum()
    height.backward()
    descent.step()
print(place)
