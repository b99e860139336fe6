import torch

x = torch.arange(1.0, 5.0, requires_grad=True)
y = x**2
try:
    y.backward()
except RuntimeError as error:
    print(error)

y.backward(torch.tensor([1.0, 0.0, 0.0, 0.5]), retain_graph=True)
print(x.grad)
x.grad = None
y.backward(gradient=torch.ones_like(y), retain_graph=True)
print(x.grad)
try:
    y.backward(torch.ones(3))
except RuntimeError as error:
    print(error)
rows = [torch.autograd.grad(y, x, unit, retain_graph=True)[0] for unit in torch.eye(4)]
print(torch.stack(rows))
