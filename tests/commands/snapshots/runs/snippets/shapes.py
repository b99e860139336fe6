import torch


def forward(x, weight):
    return x @ weight


x = torch.ones(2, 3)
weight = torch.ones(4, 5)
print("before")
forward(x, weight)
