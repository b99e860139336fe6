# The state of one part still has the graph of the part before, which is freed.
import torch
from torch import nn

torch.manual_seed(0)
cell = nn.RNN(2, 3, batch_first=True)
memory = torch.zeros(1, 1, 3)
for part in torch.randn(3, 1, 4, 2):
    answers, memory = cell(part, memory)
    answers.pow(2).mean().backward()
