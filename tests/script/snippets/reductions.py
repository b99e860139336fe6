import torch

x = torch.tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]], requires_grad=True)
print(x.sum(), x.sum(dim=0), x.sum(1, keepdim=True))
print(x.mean(), x.mean(dim=-1), x.std(), x.var(dim=0, unbiased=False))
print(x.max(), x.max(dim=1))
print(x.min(0).indices, x.argmax(), x.argmin(dim=1))
values, indices = torch.sort(x.detach(), dim=1, descending=True)
print(values, indices)
print(torch.topk(x.detach(), 2))
print(x.prod(dim=0), x.cumsum(dim=1), x.norm())
x.max(dim=1).values.sum().backward()
print(x.grad)
x.grad = None
x.max().backward()
print(x.grad)
try:
    x.sum(dim=2)
except IndexError as error:
    print(error)
