# A module does not see what is in a plain list.
import torch
from torch import nn

torch.manual_seed(0)


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.last(x)


model = Stack()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(6, 3)).pow(2).mean().backward()
optimizer.step()
