"""Calls that torch refuses, in its words, and how often a checkpoint runs."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)


def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


def delete(name):
    if name == "data":
        del x.data
    elif name == "requires_grad":
        del x.requires_grad
    else:
        del x._backward_hooks


refused(lambda: nn.GroupNorm(2, 2)(x.view(1, 2)))
refused(lambda: x.expand(-1, 3))
refused(lambda: x.expand(-1, 2))
refused(lambda: x.view(1, 2).scatter(0, torch.tensor([0]), 1.0))
refused(lambda: x.view(1, 2).gather(0, torch.tensor([0])))
refused(lambda: forward_ad.exit_dual_level())
refused(lambda: setattr(x, "data", None))
for name in ("data", "requires_grad", "_backward_hooks"):
    refused(lambda name=name: delete(name))


runs = []


def twice(x):
    y = x.sin().cos()
    runs.append(y)
    return y + 1


y = checkpoint(twice, x, use_reentrant=False)
y.sum().backward()
print(x.grad, len(runs))
