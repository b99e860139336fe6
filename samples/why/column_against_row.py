# Each prediction is compared with every target.
import torch

hours = torch.linspace(0, 4, 5).unsqueeze(1)
marks = torch.tensor([1.0, 2.5, 4.0, 5.5, 7.0])
slope = torch.tensor([[1.0]], requires_grad=True)
guess = hours @ slope
loss = ((guess - marks) ** 2).mean()
loss.backward()
print(slope.grad)
