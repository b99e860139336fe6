import torch

x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)


def slope(function):
    (g,) = torch.autograd.grad(function(x).sum(), x)
    return g.tolist()


print("relu ", slope(torch.relu))
print("abs  ", slope(torch.abs))
print("clamp", slope(lambda t: t.clamp(0, 2)))
print("sign ", slope(torch.sign))
print("round", slope(torch.round))
print("max  ", slope(lambda t: torch.maximum(t, torch.zeros(3))))
print("sqrt ", slope(lambda t: t.abs().sqrt()))
print("where", slope(lambda t: torch.where(t > 0, t**2, t)))
print("max()", slope(lambda t: (t * t).max()))
tie = torch.tensor([3.0, 3.0, 1.0], requires_grad=True)
tie.max().backward()
print(tie.grad)
print(torch.autograd.grad(tie.max(dim=0).values, tie))
