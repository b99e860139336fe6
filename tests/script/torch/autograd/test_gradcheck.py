"""`torch.autograd.gradcheck` finds the faults that torch's finds, in its words, fast and slow."""

from __future__ import annotations

from itertools import product

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference

pytest.importorskip("torch")

BEFORE = """
import torch, warnings
from torch.autograd import Function, gradcheck, gradgradcheck
from torch.autograd.gradcheck import GradcheckError, get_analytical_jacobian, get_numerical_jacobian
calls = []

def hooked(hook):
    def f(x):
        y = x * x
        y.register_hook(hook)
        return y
    return f

class Same(Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.slope = slope
        return x * 2

    @staticmethod
    def vjp(ctx, g):
        return g * 2, None

    @staticmethod
    def jvp(ctx, tangent, _):
        calls.append(tangent is None)
        return tangent * ctx.slope

def refuse(g):
    if g is None:
        raise RuntimeError("nothing came")

torch.manual_seed(0)
FUNCTIONS = {
    "right": lambda x: (x.sin() * x, x.exp()),
    "shifted": hooked(lambda g: g + 0.01),
    "scaled": hooked(lambda g: g * 1.5),
    "small": hooked(lambda g: g * (1 + 1e-4)),
    "noisy": hooked(lambda g: g * (1 + torch.rand_like(g) * 1e-3)),
    "refusing": hooked(refuse),
    "other shape": lambda x: torch.cat([x, x]) if (x >= 2).all() else x,
    "other dtype": lambda x: x.float() if (x >= 2).all() else x,
    "constant": lambda x: torch.tensor(x.tolist()),
    "nothing": lambda x: (),
    "own": lambda x: Same.apply(x, 2),
    "wrong tangent": lambda x: Same.apply(x, 3),
}

def tell(check, name, **options):
    calls.clear()
    x = torch.full((3,), 2.0, dtype=torch.double, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(name, check(FUNCTIONS[name], x, **options))
        except Exception as error:
            print(name, type(error), error)
        print(gradcheck(FUNCTIONS[name], x, raise_exception=False, **options) if name[:5] != "other" else "")
    print(len(calls), [str(w.message)[:60] for w in caught if w.category is UserWarning])
"""
OPTIONS = ("", "check_undefined_grad=False", "check_forward_ad=True", "nondet_tol=1.0", "atol=0.05")


@pytest.mark.parametrize(("fast", "options"), list(product((False, True), OPTIONS)))
def test_faults(fast: bool, options: str) -> None:
    names = '("own", "wrong tangent")' if "forward" in options else "FUNCTIONS"
    program = f"{BEFORE}\nfor name in {names}:\n    tell(gradcheck, name, fast_mode={fast}, {options})\n"
    assert alike(ours(program), torchs(program)), difference(ours(program), torchs(program))


def test_several_inputs_and_the_private_jacobians() -> None:
    program = f"""{BEFORE}
warnings.simplefilter("ignore")
a = torch.rand(2, 2, dtype=torch.double, requires_grad=True)
b = torch.rand(2, 2, dtype=torch.double, requires_grad=True)
for fast in (False, True):
    print(gradcheck(lambda x, n, y: (x * n + y, x @ y), (a, 3, b), fast_mode=fast, check_forward_ad=True))
    print(gradgradcheck(lambda x, y: x @ y, (a, b), fast_mode=fast))
pair = lambda given: (2 * given[0] + given[1], given[0])
print(get_numerical_jacobian(pair, (a, b)), get_numerical_jacobian(pair, (a, b), target=a))
print(get_analytical_jacobian((a, b), pair((a, b))[0]))
for jacobian, given in ((get_numerical_jacobian, (pair, (a, b))), (get_analytical_jacobian, (a, a))):
    try:
        jacobian(*given, grad_out=2.0)
    except ValueError as error:
        print(error)
"""
    assert alike(ours(program), torchs(program)), difference(ours(program), torchs(program))
