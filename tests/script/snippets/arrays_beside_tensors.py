"""Tensors and arrays in one expression: numpy computes it, or one of them refuses; and numbers of few bits."""

import operator

import numpy as np
import torch

x, g = torch.ones(2), torch.ones(2, requires_grad=True)
a, whole = np.ones(2), np.arange(2)
signs = ["+", "-", "*", "/", "//", "%", "**", "&", "<", ">=", "==", "!="]
names = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "lt", "ge", "eq", "ne"]
for sign, name in zip(signs, names, strict=True):
    for first, second in ((x, a), (a, x), (a, g), (g, a), (torch.arange(1, 3), whole), (whole, x), (np.array(2.0), x)):
        try:
            print(sign, getattr(operator, name)(first, second))
        except (TypeError, RuntimeError) as error:
            print(sign, type(error).__name__, str(error)[:60])

few = [torch.tensor(1, dtype=torch.int8), torch.tensor([1], dtype=torch.uint8), torch.tensor([True, False])]
for first in few:
    print([(first + second).dtype for second in few], [torch.maximum(first, second).dtype for second in few])
