import torch

weight = torch.ones(2, requires_grad=True)
weight -= 0.1
