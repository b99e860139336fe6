import torch
from torch.func import vmap

x = torch.arange(6.0).reshape(2, 3)
print(vmap(lambda x, y: (x + y, x * y), in_dims=(0, None))(x, torch.ones(3)))
print(vmap(lambda x: x.sum(), in_dims=1)(x))
print(vmap(lambda x: x * 2, out_dims=1)(x))
print(vmap(lambda t: {"s": t.sum(), "m": t.max()})(x))
print(vmap(torch.linalg.norm)(x))
print(torch.vmap(torch.sub, in_dims=(0, 0))(x, x + 1))
print(vmap(lambda x, k: x * k, in_dims=(0, None))(x, 3))
print(vmap(lambda x, k=2: x * k)(x))
print(vmap(lambda tup: tup[0] + tup[1], in_dims=((0, 1),))((x, x.t())))
y = x.clone().requires_grad_()
o = vmap(lambda r: (r**2).sum())(y)
print(o.requires_grad, o.detach())
o.sum().backward()
print(y.grad)
print(vmap(lambda x: torch.ones(3) * x.sum())(x))
f = vmap(lambda a: a + 1)
print(f(torch.zeros(2)), f(torch.ones(3)))
try:
    print(vmap(lambda x: (x, 3))(x))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(vmap(lambda: 3)())
except Exception as e:
    print(type(e).__name__, e)
try:
    print(vmap(lambda x: x, in_dims=2)(x))
except Exception as e:
    print(type(e).__name__, e)
from torch.func import stack_module_state, functional_call, vmap
import torch.nn as nn, copy

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 3)
        self.fc2 = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


models = [MLP() for _ in range(3)]
params, buffers = stack_module_state(models)
print({k: v.shape for k, v in params.items()}, buffers)
base = copy.deepcopy(models[0])
data = torch.randn(5, 4)


def fmodel(params, buffers, x):
    return functional_call(base, (params, buffers), (x,))


out = vmap(fmodel, in_dims=(0, 0, None))(params, buffers, data)
print(out.shape)
print(torch.allclose(out, torch.stack([m(data) for m in models])))
mini = data.repeat(3, 1, 1)
print(vmap(fmodel)(params, buffers, mini).shape)
from torch.func import functional_call, vmap, vjp, jvp, jacrev
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
params = {k: v.detach() for k, v in net.named_parameters()}


def fnet_single(params, x):
    return functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)


x1 = torch.randn(4, 3)
x2 = torch.randn(2, 3)


def ntk(f, params, x1, x2):
    jac1 = vmap(jacrev(f), (None, 0))(params, x1)
    jac1 = jac1.values()
    jac1 = [j.flatten(2) for j in jac1]
    jac2 = vmap(jacrev(f), (None, 0))(params, x2)
    jac2 = [j.flatten(2) for j in jac2.values()]
    result = torch.stack([torch.einsum("Naf,Mbf->NMab", j1, j2) for j1, j2 in zip(jac1, jac2)])
    return result.sum(0)


r = ntk(fnet_single, params, x1, x2)
print(r.shape)
print(r[0, 0])
