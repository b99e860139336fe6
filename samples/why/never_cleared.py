# The gradients of all rounds add up.
import torch

rate = torch.tensor(0.0, requires_grad=True)
for day in range(5):
    loss = (rate - 2) ** 2
    loss.backward()
    with torch.no_grad():
        rate -= 0.2 * rate.grad
print(rate.item())
