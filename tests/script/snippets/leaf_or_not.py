import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.ones(2)
c = a * 3
d = b * 3
e = a.detach()
f = torch.zeros(2, requires_grad=True) + 1
g = c.clone().detach().requires_grad_()

for name, t in [("a", a), ("b", b), ("c", c), ("d", d), ("e", e), ("f", f), ("g", g)]:
    print(name, t.is_leaf, t.requires_grad, t.grad_fn is None)

try:
    c.requires_grad = False
except RuntimeError as error:
    print(error)
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as error:
    print(error)
try:
    torch.tensor([1, 2]).requires_grad_()
except RuntimeError as error:
    print(error)
