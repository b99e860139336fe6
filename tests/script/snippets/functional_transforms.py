import torch
from torch.func import grad, hessian, jacrev, vjp


def energy(x):
    return (x**3).sum()


x = torch.tensor([1.0, 2.0])
print(grad(energy)(x))
print(grad(lambda t: grad(torch.sin)(t))(torch.tensor(0.5)))
print(jacrev(lambda t: t**2)(x))
print(hessian(energy)(x))
out, pull = vjp(lambda t: t * 3, x)
print(out, pull(torch.ones(2)))
print(grad(lambda a, b: a * b, argnums=1)(torch.tensor(3.0), torch.tensor(4.0)))
print(x.requires_grad, x.grad)
