import torch

x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
y = x * 2
z = y.relu()

shown = y.register_hook(lambda g: print("y gets", g))
halved = x.register_hook(lambda g: g / 2)
z.sum().backward()
print(x.grad)

shown.remove()
halved.remove()
x.grad = None
z = (x * 2).relu()
z.retain_grad()
z.sum().backward()
print(z.grad, x.grad)

x.grad = None
done = x.register_post_accumulate_grad_hook(lambda t: print("arrived:", t.grad))
(x**2).sum().backward()
done.remove()
try:
    torch.ones(2).register_hook(print)
except RuntimeError as error:
    print(error)
