import torch

t = torch.tensor(0.5, requires_grad=True)
height = 20 * t - 5 * t**2 + t**4
(speed,) = torch.autograd.grad(height, t, create_graph=True)
(acceleration,) = torch.autograd.grad(speed, t, create_graph=True)
(jerk,) = torch.autograd.grad(acceleration, t)
print(height, speed, acceleration, jerk, sep="\n")

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x**3).sum()
y.backward(create_graph=True)
print(x.grad)
penalty = x.grad.pow(2).sum()
x.grad = None
penalty.backward()
print(x.grad)
