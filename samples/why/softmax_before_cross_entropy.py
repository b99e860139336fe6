# cross_entropy takes the softmax itself.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
scores = torch.randn(4, 3, requires_grad=True)
chances = torch.softmax(scores, dim=1)
loss = F.cross_entropy(chances, torch.tensor([0, 2, 1, 1]))
loss.backward()
