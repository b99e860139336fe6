import torch

x = torch.randn(2, requires_grad=True)


def pack_hook(x):
    print("Packing", x.shape)
    return x


def unpack_hook(x):
    print("Unpacking", x.shape)
    return x


a = torch.ones(5, requires_grad=True)
b = torch.full((5,), 2.0)
with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
    y = a * b
y.sum().backward()
print(a.grad)
log = []


def pack(t):
    log.append("pack " + str(tuple(t.shape)))
    return t.detach() * 1


def unpack(t):
    log.append("unpack")
    return t


x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    h = torch.tanh(x * w)
    l = (h**2).sum()
l.backward()
print(log)
print(x.grad, w.grad)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
    y = x * w
y.sum().backward()
print(x.grad, w.grad)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 5, lambda t: t):
    y = x * w
try:
    y.sum().backward()
except Exception as e:
    print(type(e).__name__, e)
