"""Lists as indices: of numbers they are one index, of anything else several."""

import warnings

import torch

warnings.simplefilter("ignore")
x = torch.arange(24).reshape(2, 3, 4)


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e)[:60])


t(lambda: x[[[0, 1], [1, 2]]].shape)
t(lambda: x[[slice(0, 1), 2]].shape)
t(lambda: x[[0, 1]].shape)
t(lambda: x[[None, 0]].shape)
t(lambda: x[[torch.tensor([0]), 1]].shape)
t(lambda: x[[..., 0]].shape)
t(lambda: x[[(0, 1), 1]].shape)
t(lambda: x[[[0, 1]]].shape)
t(lambda: x[[[[0, 1], [1, 0]]]].shape)
t(lambda: x[[[True, False], [0, 1]]].shape)
t(lambda: x[([[0, 1], [1, 0]], 0)].shape)
t(lambda: x[[[0, 1]] * 33].shape)
y = x.clone()
y[[[0, 1], [1, 2]]] = -1
print(y.sum())
