import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**3
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print(error)

x.grad = None
y = x**3
y.backward(retain_graph=True)
print(x.grad)
y.backward()
print(x.grad)

z = (x + 1).sum()
z.backward()
z.backward()
print("a sum saves nothing:", x.grad)
