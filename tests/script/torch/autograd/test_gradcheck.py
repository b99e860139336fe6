"""`torch.autograd.gradcheck` finds the faults that torch's finds, in its words."""

from __future__ import annotations

import pytest

from tests.script.agreement import agree

BEFORE = """
import torch, warnings
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.gradcheck import GradcheckError

def hooked(hook):
    def f(x):
        y = x * x
        y.register_hook(hook)
        return y
    return f

torch.manual_seed(0)
FUNCTIONS = {
    "right": lambda x: (x.sin() * x, x.exp()),
    "scaled": hooked(lambda g: g * 1.5),
    "small": hooked(lambda g: g * (1 + 1e-4)),
    "constant": lambda x: torch.tensor(x.tolist()),
    "nothing": lambda x: (),
}

def tell(check, name, **options):
    x = torch.full((3,), 2.0, dtype=torch.double, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(name, check(FUNCTIONS[name], x, **options))
        except Exception as error:
            print(name, type(error), str(error).partition("NOTE")[0].strip())
        print(gradcheck(FUNCTIONS[name], x, raise_exception=False, **options))
"""
OPTIONS = ("check_undefined_grad=False", "check_undefined_grad=False, atol=0.05")


@pytest.mark.parametrize("options", OPTIONS)
def test_faults(options: str) -> None:
    program = f"{BEFORE}\nfor name in FUNCTIONS:\n    tell(gradcheck, name, {options})\n"
    agree(program)


def test_several_inputs() -> None:
    program = f"""{BEFORE}
warnings.simplefilter("ignore")
a = torch.rand(2, 2, dtype=torch.double, requires_grad=True)
b = torch.rand(2, 2, dtype=torch.double, requires_grad=True)
print(gradcheck(lambda x, n, y: (x * n + y, x @ y), (a, 3, b)))
print(gradgradcheck(lambda x, y: x @ y, (a, b)))
"""
    agree(program)
