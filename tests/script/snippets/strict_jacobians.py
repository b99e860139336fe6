import torch
from torch.autograd.functional import jacobian, hessian, vjp, jvp, hvp, vhp

x = torch.tensor([1.0, 2.0])


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: jacobian(lambda x: 3, x))
t(lambda: jacobian(lambda x: x * 2, 3))
t(lambda: jacobian(lambda x: [x * 2], x))
t(lambda: hessian(lambda x: x * 2, x))
t(lambda: hessian(lambda x: x.sum(), x))
t(lambda: hessian(lambda x: (x.sum(), x.sum()), x))
t(lambda: vjp(lambda x: x * 2, x))
t(lambda: vjp(lambda x: x * 2, x, torch.ones(3)))
t(lambda: jvp(lambda x: x * 2, x))
t(lambda: hvp(lambda x: x * 2, x, torch.ones(2)))
t(lambda: hvp(lambda x: x.sum(), x, torch.ones(2)))
t(lambda: jacobian(lambda x: torch.ones(2), x))
t(lambda: jacobian(lambda x: torch.ones(2), x, strict=True))
t(lambda: jacobian(lambda x: x.detach() * 2, x, strict=True))
t(lambda: hessian(lambda x: x.sum(), x, strict=True))
t(lambda: jacobian(lambda x: x * 2, x, strict=True, create_graph=True))
t(lambda: jacobian(lambda x: x**2, x.clone().requires_grad_(), create_graph=True))
t(lambda: jacobian(lambda x: x**2, x.clone().requires_grad_()))
t(lambda: jacobian(lambda x, y: (x + y, x * y), (x, x)))
t(lambda: jacobian(lambda x: (x.sum(),), x))
t(lambda: jacobian(lambda x: x**2, (x,)))
t(lambda: jacobian(lambda x: x**2, x, vectorize=True))
t(lambda: jacobian(lambda x: x**2, x, strategy="foo"))
