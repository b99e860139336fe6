# After the first update the name means another tensor.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for _ in range(2):
    loss = (w**2).sum()
    loss.backward()
    w = w - 0.1 * w.grad
print(w)
