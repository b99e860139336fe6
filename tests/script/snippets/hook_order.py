import torch


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, name):
        ctx.name = name
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(ctx.name, type(ctx).__name__)
        return g * 2, None


x = torch.tensor(1.0, requires_grad=True)
y = F.apply(x, "hi")
print(y)
y.backward()
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
h1 = y.register_hook(lambda g: print("1") or g * 2)
h2 = y.register_hook(lambda g: print("2") or g + 1)
h1.remove()
h3 = y.register_hook(lambda g: print("3"))
y.sum().backward()
print(x.grad)
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
order = []
y = x * 2
z = y * 3
w = z.sum()
for n, t in [("x", x), ("y", y), ("z", z), ("w", w)]:
    t.register_hook(lambda g, n=n: order.append(n))
for n, t in [("y", y), ("z", z), ("w", w)]:
    t.grad_fn.register_hook(lambda a, b, n=n: order.append("post " + n))
    t.grad_fn.register_prehook(lambda a, n=n: order.append("pre " + n))
x.register_post_accumulate_grad_hook(lambda p: order.append("acc"))
y.retain_grad()
w.backward()
print(order)
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
calls = []


def hook(g):
    calls.append(torch.is_grad_enabled())
    z = x.detach().requires_grad_() * 2
    with torch.enable_grad():
        w = torch.tensor(2.0, requires_grad=True)
        (w**2).backward()
        calls.append(w.grad.item())


x.register_hook(hook)
(x * 2).sum().backward()
print(calls)
