import torch

a = torch.tensor(0.5, requires_grad=True)
x = torch.tensor(1.0)
for turn in range(60):
    x = torch.cos(a * x)
print(f"x = cos(ax) at {x.item():.6f}")
x.backward()
print("through all turns:  ", f"{a.grad.item():.6f}")

# dx/da = -sin(ax) (x + a dx/da), solved for dx/da
with torch.no_grad():
    s = torch.sin(a * x)
    print("of the equation:    ", f"{(-s * x / (1 + a * s)).item():.6f}")

fixed = x.detach()
once = torch.cos(a * fixed)
print("through one turn:   ", f"{torch.autograd.grad(once, a)[0].item():.6f}")


class Settled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.tensor(1.0)
        for _ in range(60):
            x = torch.cos(a * x)
        ctx.save_for_backward(a, x)
        return x

    @staticmethod
    def backward(ctx, upstream):
        a, x = ctx.saved_tensors
        s = torch.sin(a * x)
        return upstream * -s * x / (1 + a * s)


y = Settled.apply(a) ** 2
print(y, y.grad_fn.next_functions[0][0].name())
print("with the rule above:", f"{torch.autograd.grad(y, a)[0].item():.6f}")
