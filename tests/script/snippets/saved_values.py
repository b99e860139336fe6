import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
print(y.grad_fn._saved_result, y.grad_fn._saved_result is y)
z = x * y
print(z.grad_fn._saved_self, z.grad_fn._saved_other)
print(z.grad_fn._saved_self is x)
p = x**3
print(p.grad_fn._saved_self, p.grad_fn._saved_exponent)
m = x.softmax(0)
print(m.grad_fn._saved_result)
print(x.log().grad_fn._saved_self)
w = x * 2
print(w.grad_fn._saved_self, w.grad_fn._saved_other)
y.sum().backward()
try:
    print(y.grad_fn._saved_result)
except RuntimeError as e:
    print(e)
x = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)
y = torch.relu(x * 3 + b).sum()


def walk(fn, depth=0):
    if fn is None:
        return
    print(" " * depth + fn.name(), type(fn).__name__)
    for nf, i in fn.next_functions:
        walk(nf, depth + 2)


walk(y.grad_fn)
n = y.grad_fn.next_functions[0][0]
acc = n.next_functions[0][0].next_functions[1][0]
print(type(acc).__name__, acc.name(), hasattr(acc, "variable"))


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.shape = x.shape
        ctx.const = 5
        return x.sum()

    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors, ctx.shape, ctx.const, g)
        print(type(ctx).__name__, isinstance(ctx, torch.autograd.function.FunctionCtx))
        print(ctx.name(), len(ctx.next_functions), ctx.needs_input_grad)
        return g.expand(ctx.shape) * ctx.const


x = torch.ones(2, requires_grad=True)
y = F.apply(x)
print(y.grad_fn.const, y.grad_fn.shape)
y.backward()
print(x.grad)
