import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.register_hook(lambda g: print("hook", g))
y = x * x
h2 = y.register_hook(lambda g: g * 2)
y.sum().backward()
print(x.grad)
h.remove()
h2.remove()
h2.remove()
x.grad = None
(x * x).sum().backward()
print(x.grad)
try:
    torch.ones(2).register_hook(print)
except RuntimeError as e:
    print(e)
v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)
v.backward(torch.tensor([1.0, 2.0, 3.0]))
print(v.grad)
h.remove()
x = torch.tensor(1.0, requires_grad=True)
x.register_hook(lambda g: g + 1)
x.register_hook(lambda g: g * 10)
(x * 2).backward()
print(x.grad)
y = x * 1


def bad(g):
    return torch.ones(5)


y.register_hook(bad)
try:
    y.backward()
except RuntimeError as e:
    print(e)
y = x * 1
y.register_hook(lambda g: 5)
try:
    y.backward()
except Exception as e:
    print(type(e).__name__, e)
y = x * 1
y.register_hook(lambda g: g.double())
try:
    y.backward()
    print(x.grad)
except Exception as e:
    print(type(e).__name__, e)
x = torch.tensor(3.0, requires_grad=True)
y = x**2
z = y * 4


def pre(grads):
    print("pre", grads)


def post(gi, go):
    print("post", gi, go)


z.grad_fn.register_hook(post)
z.grad_fn.register_prehook(pre)
y.grad_fn.register_hook(lambda gi, go: (gi[0] * 100,))
y.register_hook(lambda g: print("tensor", g))
z.backward()
print(x.grad)
x = torch.tensor([1.0, 2.0], requires_grad=True)


def hook(p):
    print("accumulated", p.grad, p is x)
    p.grad = None


h = x.register_post_accumulate_grad_hook(hook)
(x * 3).sum().backward()
print(x.grad)
h.remove()
(x * 3).sum().backward()
print(x.grad)
try:
    (x * 2).register_post_accumulate_grad_hook(hook)
except RuntimeError as e:
    print(e)
try:
    torch.ones(2).register_post_accumulate_grad_hook(hook)
except RuntimeError as e:
    print(e)
