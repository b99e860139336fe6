"""Hooks on unused parts, dimensions counted from the end, hooks that are not called after an error."""

import torch
from torch import nn

x = torch.arange(6.0).reshape(3, 2).requires_grad_()
for parts in (x.unbind(), x.split(1), (x * 2).chunk(2), x.split([1, 2])):
    for number, part in enumerate(parts):
        part.register_hook(lambda g, number=number: print(number, g) if g is not None else None)
    parts[-1].sum().backward()
print(x.grad)

layer = nn.Linear(2, 1)
print(layer._forward_hooks)
layer.register_forward_hook(lambda module, given, result: print("never"))
try:
    layer(torch.ones(3))
except RuntimeError as error:
    print(error)

a, b = torch.ones(1, 2, requires_grad=True) * 2, torch.ones(2, 1, requires_grad=True) * 2
product = a @ b
a += 1
b += 1
try:
    product.sum().backward()
except RuntimeError as error:
    print(str(error)[85:150])

with torch.inference_mode():
    inner = torch.ones(2)
for change in (lambda: inner.add_(1), lambda: inner.mul_(3)):
    try:
        change()
    except RuntimeError as error:
        print(str(error)[:70], inner.clone())

mean = torch.zeros(2, dtype=torch.int64)
try:
    nn.functional.batch_norm(torch.ones(2, 2, dtype=torch.int64), mean, mean + 1, training=True)
except (RuntimeError, NotImplementedError) as error:
    print(error, mean)
y = torch.tensor([1.0], dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(lambda v: v.long(), y))
