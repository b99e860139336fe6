"""Hooks on the outputs of one function, in their order; saved tensors with hooks of their own; gradients that stop."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Two(Function):
    @staticmethod
    def forward(ctx, x):
        ctx._note = "kept"
        ctx.save_for_backward(x)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, first, second):
        (x,) = ctx.saved_tensors
        print("backward", ctx._note, first, second, x)
        return first * 2 + second * 3


a = torch.tensor([1.0], requires_grad=True)
b, c = Two.apply(a)
c.register_hook(lambda g: print("second", g))
b.register_hook(lambda g: print("first", g))
(b + c).sum().backward(retain_graph=True)
b.sum().backward()


class Once(Function):
    @staticmethod
    def forward(ctx, x, scale, y):
        return x * scale + y

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g * 2, None, g


def written(node):
    return "None" if node is None else f"{type(node).__name__}({', '.join(written(n) for n, _ in node.next_functions)})"


x, z = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
Once.apply(x, 2, z).sum().backward(torch.ones((), requires_grad=True), create_graph=True)
print(written(x.grad.grad_fn))
try:
    x.grad.sum().backward()
except RuntimeError as error:
    print(error)


u = torch.ones(2, requires_grad=True)
v = u * 2
t = v * 2
v.grad_fn.register_hook(lambda given, upstream: print("posthook", given, upstream))
t.sum().backward(inputs=[v])
with torch.inference_mode(), torch.enable_grad():
    print(torch.is_grad_enabled(), (u * 2).requires_grad)
print(torch.is_grad_enabled())
