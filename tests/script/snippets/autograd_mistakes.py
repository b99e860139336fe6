import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = y.mean()
print(z.grad_fn(torch.tensor(1.0)))
print(y.grad_fn(torch.tensor([1.0, 2.0])))
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
print(y.grad_fn(torch.ones(2)))
print((x * x).grad_fn(torch.ones(2)))
acc = (x * 2).grad_fn.next_functions[0][0]
acc(torch.tensor([5.0, 6.0]))
print(x.grad)
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * 2).sum()


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: y.backward(retain=True))
t(lambda: torch.autograd.grad(y))
t(lambda: torch.autograd.grad())
t(lambda: torch.autograd.grad(y, x, foo=1))
t(lambda: x.grad())
t(lambda: x.is_leaf())
t(lambda: x.requires_grad_(1))
t(lambda: x.detach(1))
t(lambda: x.retain_grad(1))
t(lambda: torch.autograd.backward())
t(lambda: torch.autograd.backward(None))
t(lambda: y.backward(2))
t(lambda: y.backward(torch.tensor([1.0])))
t(lambda: y.backward(torch.tensor(1.0), True, True))
t(lambda: y.item().backward())
t(lambda: y.tolist())
t(lambda: x.tolist().backward())
t(lambda: (x > 1).backward())
t(lambda: (x * 2).backward(gradient=None))
t(lambda: torch.Tensor.backward(x.sum()))
t(lambda: x.grad)
t(lambda: torch.tensor(1.0).backward())
t(lambda: torch.ones(2).backward())
t(lambda: torch.ones(2).backward(torch.ones(2)))
t(lambda: x.data.sum().backward())
t(lambda: x.detach().sum().backward())
t(lambda: torch.autograd.grad(y, "x"))
t(lambda: torch.autograd.grad([y], [x], [1.0]))
t(lambda: torch.autograd.grad(y, x, torch.ones(2)))
t(lambda: torch.autograd.grad((y, y), x, grad_outputs=(None, torch.tensor(2.0)), retain_graph=True))
t(lambda: torch.autograd.grad(x, x, torch.ones(2)))
t(lambda: torch.autograd.grad(y, x, allow_unused=None))
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.register_hook(lambda g: print("c", g))
d = c + a
e = d * c
e.retain_grad()
d.retain_grad()
e.backward()
print(a.grad, b.grad, d.grad, e.grad)
