import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vjp


def turn(p):
    return torch.stack([p[0] * torch.cos(p[1]), p[0] * torch.sin(p[1])])


def bowl(p):
    return p[0] ** 2 + 3 * p[0] * p[1] + 2 * p[1] ** 2


p = torch.tensor([2.0, 0.5])
print(jacobian(turn, p))
print(hessian(bowl, p))
print(vjp(turn, p, torch.tensor([1.0, 0.0])))
print(jvp(turn, p, torch.tensor([1.0, 0.0])))
print(hvp(bowl, p, torch.tensor([1.0, -1.0])))
print(jacobian(lambda a, b: a.sum() * b, (p, torch.tensor([3.0]))))
