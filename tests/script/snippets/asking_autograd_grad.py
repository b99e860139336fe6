import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(5.0, requires_grad=True)
unused = torch.tensor(1.0, requires_grad=True)
out = a * b + a.log()

print(torch.autograd.grad(out, [a, b], retain_graph=True))
print(a.grad, b.grad)
try:
    torch.autograd.grad(out, unused, retain_graph=True)
except RuntimeError as error:
    print(error)
print(torch.autograd.grad(out, (a, unused), allow_unused=True, retain_graph=True))
print(torch.autograd.grad(out, (a, unused), materialize_grads=True, retain_graph=True))
try:
    torch.autograd.grad(out, torch.ones(1), retain_graph=True)
except RuntimeError as error:
    print(error)
try:
    torch.autograd.grad(torch.ones(1), a)
except RuntimeError as error:
    print(error)
