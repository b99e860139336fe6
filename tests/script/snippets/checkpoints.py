import torch
from torch.utils.checkpoint import checkpoint
import torch.nn as nn

x = torch.tensor([1.0, 2.0], requires_grad=True)


def f(a):
    print("running", torch.is_grad_enabled())
    b = a.exp()
    print("mid")
    c = b * 2
    print("end")
    return c


y = checkpoint(f, x, use_reentrant=False)
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2), nn.Dropout(0.5))
out = m[2:](checkpoint(m[:2], x, use_reentrant=False))
out.sum().backward()
print(m[0].weight.grad)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 4)
        self.b = nn.Linear(4, 1)

    def forward(self, x):
        x = checkpoint(self.a, x, use_reentrant=False)
        return self.b(torch.relu(x))


n = Net()
n(torch.ones(1, 2)).sum().backward()
print(n.a.weight.grad)
with torch.no_grad():
    print(checkpoint(f, x, use_reentrant=False))
import torch.utils.checkpoint as cp

x = torch.ones(2)
w = torch.ones(2, requires_grad=True)
y = cp.checkpoint(lambda a, k=1: a * w * k, x, k=3, use_reentrant=False)
print(y)
y.sum().backward()
print(w.grad)
z = torch.utils.checkpoint.checkpoint(torch.sin, w, use_reentrant=False)
(g,) = torch.autograd.grad(z.sum(), w, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), w))
