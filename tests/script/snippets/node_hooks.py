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
