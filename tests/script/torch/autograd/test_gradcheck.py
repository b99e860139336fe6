"""`torch.autograd.gradcheck` finds the faults that torch's finds, in its words."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference

BEFORE = """
import torch, warnings
from torch.autograd import Function, gradcheck, gradgradcheck
from torch.autograd.gradcheck import GradcheckError

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
    x = torch.full((3,), 2.0, dtype=torch.double, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(name, check(FUNCTIONS[name], x, **options))
        except Exception as error:
            print(name, type(error), str(error).partition("NOTE")[0].strip())
        print(gradcheck(FUNCTIONS[name], x, raise_exception=False, **options) if name[:5] != "other" else "")
    print([str(w.message)[:60] for w in caught if w.category is UserWarning])
"""
OPTIONS = ("", "check_undefined_grad=False", "check_forward_ad=True", "nondet_tol=1.0", "atol=0.05")


@pytest.mark.parametrize("options", OPTIONS)
def test_faults(options: str) -> None:
    names = '("own", "wrong tangent")' if "forward" in options else "FUNCTIONS"
    program = f"{BEFORE}\nfor name in {names}:\n    tell(gradcheck, name, {options})\n"
    assert alike(ours(program), torchs(program)), difference(ours(program), torchs(program))


def test_several_inputs() -> None:
    program = f"""{BEFORE}
warnings.simplefilter("ignore")
a = torch.rand(2, 2, dtype=torch.double, requires_grad=True)
b = torch.rand(2, 2, dtype=torch.double, requires_grad=True)
print(gradcheck(lambda x, n, y: (x * n + y, x @ y), (a, 3, b), check_forward_ad=True))
print(gradgradcheck(lambda x, y: x @ y, (a, b)))
"""
    assert alike(ours(program), torchs(program)), difference(ours(program), torchs(program))


@pytest.mark.parametrize("option", ["fast_mode=True", "check_batched_grad=True"])
def test_rare_options_are_refused_by_name(option: str) -> None:
    text = "import torch\nx = torch.ones(1, dtype=torch.double, requires_grad=True)\n"
    assert "is not supported here" in ours(f"{text}torch.autograd.gradcheck(torch.sin, x, {option})")
