import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x**3

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        print("needs:", ctx.needs_input_grad, "upstream:", upstream)
        return upstream * ctx.scale * 3 * x**2, None


x = torch.tensor([1.0, -2.0], requires_grad=True)
y = Cube.apply(x, 0.5)
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad)

(first,) = torch.autograd.grad(Cube.apply(x, 1.0).sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
print(first, second)
try:
    y.sum().backward()
except RuntimeError as error:
    print(str(error)[:60])
