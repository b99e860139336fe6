# A second backward pass needs retain_graph=True in the first, and adds to the gradients that are there.
# gradcli run samples/snippets/backward_twice.py --explain
import torch

u = torch.tensor(2.0, requires_grad=True)
k = torch.tensor(3.0, requires_grad=True)
inner = u * k + 1
inner.retain_grad()
outer = inner**2

outer.backward(retain_graph=True)
print("first", u.grad, k.grad, inner.grad)
outer.backward()
print("second", u.grad, k.grad, inner.grad)
try:
    outer.backward()
except RuntimeError as error:
    print("third:", error)
