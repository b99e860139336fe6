import torch

x = torch.arange(12.0).reshape(3, 4).requires_grad_()
print(x[1], x[-1, 2], x[:, 1], x[0:2, ::2], sep="\n")
picked = x[[0, 2, 0], [1, 3, 1]]
print(picked)
picked.sum().backward()
print(x.grad)
x.grad = None
x[x > 6].sum().backward()
print(x.grad)
x.grad = None
(x[..., -1] * x[None, :, 0]).sum().backward()
print(x.grad)
for wrong in (3, (0, 4)):
    try:
        x[wrong]
    except IndexError as error:
        print(error)
