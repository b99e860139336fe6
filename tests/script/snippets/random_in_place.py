import torch

torch.manual_seed(0)
x = torch.ones(3, requires_grad=True)
for n in ["normal_", "uniform_", "bernoulli_"]:
    y = x * 2
    x.grad = None
    getattr(y, n)()
    print(n, y)
    y.sum().backward()
    print(x.grad)
    try:
        getattr(x, n)()
    except RuntimeError as e:
        print(e)
y = x * 2
y[0].normal_()
print(y.grad_fn.name())
y.sum().backward()
print(x.grad)
