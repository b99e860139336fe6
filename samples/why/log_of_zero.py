# The mask comes too late: 0 times infinity is nan.
import torch

counts = torch.tensor([4.0, 0.0, 1.0], requires_grad=True)
shares = counts / counts.sum()
entropy = -torch.where(shares > 0, shares * torch.log(shares), torch.zeros(3)).sum()
entropy.backward()
print(entropy.item(), counts.grad)
