import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**2).sum()
for kw in [
    dict(),
    dict(allow_unused=True),
    dict(materialize_grads=True),
    dict(allow_unused=False, materialize_grads=True),
]:
    try:
        print(torch.autograd.grad(y, [x, z], retain_graph=True, **kw))
    except Exception as e:
        print(type(e).__name__, e)
try:
    torch.autograd.grad(y, torch.ones(2))
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.autograd.grad(x * 2, x)
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.autograd.grad([y, y], x, grad_outputs=[torch.tensor(1.0)])
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.autograd.grad(torch.ones(1), x)
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.autograd.grad(y, [])
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.autograd.grad(y, 3)
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.autograd.grad(3, x)
except Exception as e:
    print(type(e).__name__, e)
print(torch.autograd.grad([y, (x * 3).sum()], x, retain_graph=True))
print(torch.autograd.grad(outputs=x * 3, inputs=x, grad_outputs=torch.ones(2)))
print(torch.autograd.grad(y, y, retain_graph=True))
print(torch.autograd.grad(x.sum(), x))
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
v = torch.eye(3)
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
A = torch.arange(6.0).view(2, 3)
y = torch.exp(A @ x / 10)
print(torch.autograd.functional.jacobian(lambda t: torch.exp(A @ t / 10), x))
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
x = torch.randn(5, 2, requires_grad=True)
out = net(x)
(g,) = torch.autograd.grad(out, x, torch.ones_like(out), create_graph=True, retain_graph=True, only_inputs=True)
pen = ((g.norm(2, dim=1) - 1) ** 2).mean()
print(pen)
pen.backward()
for n, p in net.named_parameters():
    print(n, p.grad)
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
c = a * b
d = c * 3
d.backward(inputs=[a], retain_graph=True)
print(a.grad, b.grad)
d.backward(inputs=b, retain_graph=True)
print(a.grad, b.grad)
try:
    d.backward(inputs=[], retain_graph=True)
except RuntimeError as e:
    print(e)
d.backward(inputs=[c], retain_graph=True)
print(c.grad)
try:
    d.backward(inputs=[torch.ones(1)])
except RuntimeError as e:
    print(e)
e = torch.ones(1, requires_grad=True)
d.backward(inputs=[e])
print(e.grad)
x = torch.tensor([1.0, 2.0], requires_grad=True)
a = (x * 2).sum()
b = (x * 3).sum()
torch.autograd.backward([a, b])
print(x.grad)
y = x * 2
z = x * 3
torch.autograd.backward([y, z], [torch.ones(2), torch.ones(2)])
print(x.grad)
torch.autograd.backward(tensors=(x * 2), grad_tensors=torch.ones(2))
print(x.grad)
try:
    torch.autograd.backward([y, z])
except RuntimeError as e:
    print(e)
try:
    torch.autograd.backward([y], [torch.ones(2), torch.ones(2)])
except RuntimeError as e:
    print(e)
try:
    torch.autograd.backward([])
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.autograd.backward(3)
except Exception as e:
    print(type(e).__name__, e)
torch.autograd.backward((a * 0 if False else (x * 2).sum(), (x * 3)), (None, torch.ones(2)))
print(x.grad)
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.backward(torch.tensor([1.0, 0.1, 0.01]))
print(x.grad)
y = x * 2
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    y.backward(torch.ones(2))
except RuntimeError as e:
    print(e)
try:
    y.backward([1.0, 2.0, 3.0])
except Exception as e:
    print(type(e).__name__, e)
try:
    y.backward(1.0)
except Exception as e:
    print(type(e).__name__, e)
try:
    y.backward(torch.tensor([1, 2, 3]))
except Exception as e:
    print(type(e).__name__, e)
try:
    y.backward(torch.ones(3).double())
    print(x.grad.dtype)
except Exception as e:
    print(type(e).__name__, e)
y = x * 2
y.backward(gradient=torch.ones_like(y), retain_graph=True)
print(x.grad)
