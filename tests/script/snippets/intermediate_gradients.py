import warnings

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
y = (h**2).sum()
y.backward()
print(h.retains_grad, h.grad)
print(x.retains_grad, x.grad)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(y.grad)
print(len(caught), str(caught[0].message)[:70])
try:
    torch.ones(1).retain_grad()
except RuntimeError as error:
    print(error)
