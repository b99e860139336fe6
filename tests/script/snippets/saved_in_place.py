"""Which in-place activations save their result: a change of it afterwards is an error only for them."""

import torch
import torch.nn.functional as F

x = torch.tensor([-1.0, 2.0], requires_grad=True)
CHANGES = {
    "elu": lambda y: F.elu(y, inplace=True),
    "selu": lambda y: F.selu(y, inplace=True),
    "leaky_relu": lambda y: F.leaky_relu(y, 0.1, inplace=True),
    "hardtanh": lambda y: F.hardtanh(y, inplace=True),
    "threshold": lambda y: F.threshold(y, 0.0, 1.0, inplace=True),
    "silu": lambda y: F.silu(y, inplace=True),
    "relu": lambda y: F.relu(y, inplace=True),
}
for name, change in CHANGES.items():
    y = x * 1
    change(y)
    print(name, y.grad_fn.name(), torch.autograd.grad(y.sum(), x))
    y = x * 1
    change(y)
    y.add_(1)
    try:
        y.sum().backward()
        print(name, "may be changed")
    except RuntimeError as error:
        print(error)
