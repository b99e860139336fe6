import torch


def f(x):
    return (torch.sin(x) * x**2).sum()


x = torch.tensor([0.3, 1.2, -0.7], dtype=torch.float64, requires_grad=True)
f(x).backward()
h = 1e-6
for i in range(3):
    step = torch.zeros(3, dtype=torch.float64)
    step[i] = h
    estimate = (f(x.detach() + step) - f(x.detach() - step)) / (2 * h)
    print(f"{x.grad[i]:.6f} {estimate:.6f}", torch.isclose(x.grad[i], estimate, atol=1e-6).item())
print(torch.autograd.gradcheck(f, (x,)), torch.allclose(x.grad, x.grad + 1e-9))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, g):
        return g * 2


try:
    torch.autograd.gradcheck(Wrong.apply, (x,))
except RuntimeError as error:
    print(error)
