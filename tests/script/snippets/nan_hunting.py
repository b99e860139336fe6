import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), torch.zeros(2))
y.sum().backward()
print(x.grad)

safe = torch.where(x > 0, x, torch.ones(2))
x.grad = None
torch.where(x > 0, safe.sqrt(), torch.zeros(2)).sum().backward()
print(x.grad)

with torch.autograd.set_detect_anomaly(True):
    try:
        (x * 0).sqrt().mul(0).sum().backward()
    except RuntimeError as error:
        print(error)
print(torch.isnan(torch.tensor([1.0, float("nan")])), torch.isfinite(torch.tensor([1.0, float("inf")])))
print(torch.tensor(1.0) / 0, torch.tensor(0.0) / 0, torch.log(torch.tensor(-1.0)))
