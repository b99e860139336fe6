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


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, None, "text"

    @staticmethod
    def backward(ctx, *gs):
        print(gs)
        return gs[0]


x = torch.ones(2, requires_grad=True)
o = F.apply(x)
print(o)
o[0].sum().backward()


class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return [x * 2, x]

    @staticmethod
    def backward(ctx, *gs):
        return gs[0]


try:
    o = G.apply(x)
    print(o)
except Exception as e:
    print(type(e).__name__, e)
import torch


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print("in forward", torch.is_grad_enabled(), x.requires_grad, (x * 2).requires_grad)
        with torch.enable_grad():
            y = x.detach().requires_grad_() ** 2
            print(y.requires_grad)
        ctx.save_for_backward(x)
        return y.detach()

    @staticmethod
    def backward(ctx, g):
        print("in backward", torch.is_grad_enabled())
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            y = (x**2).sum()
        (gx,) = torch.autograd.grad(y, x)
        return gx * g


x = torch.tensor([1.0, 2.0], requires_grad=True)
F.apply(x).sum().backward()
print(x.grad)
(g,) = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
print(g, g.requires_grad)
import torch


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 10


x = torch.ones(2, requires_grad=True)
y = F.apply(x)
print(y is x, y, y._is_view())
y.sum().backward()
print(x.grad)
z = x * 1
w = F.apply(z)
print(w is z, w.grad_fn.name(), z.grad_fn.name())
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
import torch


class ReverseGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.alpha, None


x = torch.ones(3, requires_grad=True)
y = ReverseGrad.apply(x, 0.5)
print(y)
y.sum().backward()
print(x.grad)
try:
    y.add_(1)
except RuntimeError as e:
    print(e)
