import torch

i = torch.tensor([1, 2, 3])
f = torch.tensor([0.5, 1.5, 2.5])
d = torch.tensor([1.0], dtype=torch.float64)
print(i.dtype, (i + 1).dtype, (i / 2).dtype, (i * f).dtype, (f * d).dtype, (i > 1).dtype)
print(i // 2, i % 2, i**2, -i)
print(f.int(), i.float(), f.to(torch.float64), i.bool(), f.half())
print(torch.result_type(i, f))
print(torch.finfo(torch.float32).eps, torch.iinfo(torch.int32).max)
try:
    i.mean()
except RuntimeError as error:
    print(error)
try:
    i += 0.5
except RuntimeError as error:
    print(error)
w = torch.tensor([1.0, 2.0], requires_grad=True)
w.double().sum().backward()
print(w.grad, w.grad.dtype, w.double().grad_fn.name())
