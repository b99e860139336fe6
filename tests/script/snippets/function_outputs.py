import torch
from torch.autograd.function import once_differentiable


class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


x = torch.tensor(3.0, requires_grad=True)
y = Sq.apply(x) ** 2
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g.item(), g.requires_grad)
try:
    torch.autograd.grad(g, x)
except RuntimeError as e:
    print(e)
import torch


class GradScale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.s = s
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.s, None


def grl(x, s=-1.0):
    return GradScale.apply(x, s)


torch.manual_seed(0)
feat = torch.nn.Linear(2, 2)
cls = torch.nn.Linear(2, 1)
dom = torch.nn.Linear(2, 1)
x = torch.ones(3, 2)
h = torch.relu(feat(x))
l = cls(h).mean() + dom(grl(h)).mean()
l.backward()
print(feat.weight.grad)
