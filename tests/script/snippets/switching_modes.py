import torch

x = torch.tensor(1.0, requires_grad=True)
with torch.no_grad():
    y = x * 2
    print(y.requires_grad, torch.is_grad_enabled())
    with torch.enable_grad():
        z = x * 2
        print(z.requires_grad, torch.is_grad_enabled())
    w = torch.tensor(1.0, requires_grad=True)
    print(w.requires_grad, w.is_leaf)
    print((w * 2).requires_grad)
print(torch.is_grad_enabled())


@torch.no_grad()
def f(x):
    return x * 2


print(f(x).requires_grad)


@torch.no_grad
def f(x):
    return x * 2


print(f(x).requires_grad, f.__name__)


@torch.enable_grad()
def g(x):
    return x * 2


with torch.no_grad():
    print(g(x).requires_grad)
torch.set_grad_enabled(False)
print((x * 2).requires_grad)
torch.set_grad_enabled(True)
for mode in [True, False]:
    with torch.set_grad_enabled(mode):
        print(mode, (x * 2).requires_grad)
print(torch.is_grad_enabled())
with torch.autograd.grad_mode.no_grad():
    print(torch.is_grad_enabled())


@torch.set_grad_enabled(False)
def h(x):
    return x * 2


print(h(x).requires_grad, torch.is_grad_enabled())
x = torch.tensor(1.0, requires_grad=True)


@torch.no_grad()
def gen():
    yield x * 2
    yield x * 3


for g in gen():
    print(g.requires_grad, torch.is_grad_enabled())
try:
    with torch.no_grad():
        raise ValueError("boo")
except ValueError as e:
    print(e, torch.is_grad_enabled())


@torch.no_grad()
def rec(n):
    if n == 0:
        return torch.is_grad_enabled()
    return rec(n - 1)


print(rec(3), torch.is_grad_enabled())
ng = torch.no_grad()
with ng:
    with ng:
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
