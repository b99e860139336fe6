import torch
from torch.func import jacrev, jacfwd, hessian, vjp, jvp, grad


def f(x, y):
    return x**2 * y, x.sum() * y


x = torch.tensor([1.0, 2.0])
y = torch.tensor([3.0, 4.0])
print(jacrev(f)(x, y))
print(jacrev(f, argnums=1)(x, y))
print(jacrev(f, argnums=(0, 1))(x, y))
print(jacfwd(f, argnums=(0, 1))(x, y))
print(hessian(lambda x: (x**3).sum())(x))
print(hessian(lambda x, y: (x * y).sum() ** 2, argnums=(0, 1))(x, y))
print(jacfwd(lambda x: {"a": x**2, "b": x.sum()})(x))
print(jacrev(lambda x: (x**2, x.sum()), has_aux=True)(x))
out, fn = vjp(lambda x, y: (x * y, x + y), x, y)
print(out, fn((torch.ones(2), torch.ones(2))))
out, fn, aux = vjp(lambda x: (x * 2, x.sum()), x, has_aux=True)
print(out, aux, fn(torch.ones(2)))
print(jvp(lambda x, y: x * y, (x, y), (torch.ones(2), torch.zeros(2))))
print(jvp(lambda x: (x.sin(), x.exp().sum()), (x,), (torch.ones(2),)))
print(grad(lambda d: (d["w"] * d["b"]).sum())({"w": x, "b": y}))
print(grad(lambda x: torch.sin(x).sum())(x))
print(jacrev(lambda x: x.sum())(x))
print(jacfwd(lambda x: x[0] * x[1])(x))
print(jacrev(jacrev(lambda x: (x**3).sum()))(x))
print(jacfwd(jacfwd(lambda x: (x**3).sum()))(x))
print(jacrev(jacfwd(lambda x: (x**3).sum()))(x))
from torch.func import grad, vmap

torch.manual_seed(1)


def net(params, x):
    x = torch.nn.functional.linear(x, params[0], params[1])
    x = torch.relu(x)
    return torch.nn.functional.linear(x, params[2], params[3])


params = [torch.rand(4, 1) - 0.5, torch.zeros(4), torch.rand(1, 4) - 0.5, torch.zeros(1)]


def inner(params, x1, y1, x2, y2):
    def loss(params):
        return torch.nn.functional.mse_loss(net(params, x1), y1)

    g = grad(loss)(params)
    new = [p - 0.1 * gi for p, gi in zip(params, g)]
    return torch.nn.functional.mse_loss(net(new, x2), y2)


x1, y1, x2, y2 = (torch.rand(3, 5, 1) for _ in range(4))
print(inner(params, x1[0], y1[0], x2[0], y2[0]))


def total(params):
    return vmap(lambda a, b, c, d: inner(params, a, b, c, d))(x1, y1, x2, y2).mean()


g = grad(total)(params)
print([x.shape for x in g])
print(g[1])
