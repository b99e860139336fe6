import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.inference_mode():
    y = x * 2
    print(y.requires_grad, y.is_inference(), torch.is_inference_mode_enabled(), torch.is_grad_enabled())
print(y)
print(y.is_inference(), x.is_inference())
try:
    y.requires_grad_()
except RuntimeError as e:
    print(e)
try:
    z = y * x
except RuntimeError as e:
    print(e)
z = y * 3
print(z.is_inference(), z.requires_grad)
try:
    print(y._version)
except RuntimeError as e:
    print(e)
print(y.clone().is_inference())
c = y.clone()
(c * x).sum().backward()
print(x.grad)


@torch.inference_mode()
def f(x):
    return x + 1


print(f(x).is_inference())


@torch.inference_mode
def f(x):
    return x + 1


print(f(x).is_inference())
with torch.inference_mode(False):
    print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
with torch.inference_mode():
    with torch.enable_grad():
        print((x * 2).requires_grad)
    with torch.inference_mode(mode=False):
        print((x * 2).requires_grad)
    w = torch.ones(2, requires_grad=True)
    print(w.requires_grad, w.is_inference())
    q = x.view(2)
    print(q.is_inference())
    x2 = torch.zeros(2)
    x2 += 1
    print(x2)
