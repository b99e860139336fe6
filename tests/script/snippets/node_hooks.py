import torch

x = torch.tensor(2.0, requires_grad=True)
y = x.exp()
z = y * y
z.grad_fn.register_prehook(lambda grads: print("before z:", grads))
z.grad_fn.register_hook(lambda inputs, outputs: print("after z:", inputs, outputs))
y.grad_fn.register_hook(lambda inputs, outputs: print("after y:", inputs, outputs))
y.register_hook(lambda g: print("tensor hook:", g))
z.backward()
print(x.grad)

u = torch.ones(2, requires_grad=True)
v = u * 2
t = v * 2
v.register_hook(lambda g: g * 10)
v.grad_fn.register_hook(lambda inputs, outputs: print("after v:", inputs, outputs))
print(torch.autograd.grad(t.sum(), [v, u], retain_graph=True))
print(torch.autograd.grad(t.sum(), v, retain_graph=True))
t.sum().backward(inputs=[v])
print(v.grad)
