import torch


class Round(torch.autograd.Function):
    """Rounds, and passes the gradient straight through."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


x = torch.tensor([0.2, 0.7, 1.4, 2.6], requires_grad=True)
torch.round(x).sum().backward()
print(x.grad)
x.grad = None
(Round.apply(x) * torch.arange(4.0)).sum().backward()
print(x.grad)
print(Round.apply(x))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, grad):
        return grad


try:
    Wrong.apply(x, x).sum().backward()
except RuntimeError as error:
    print(error)
