"""Hooks of all modules, of registrations, and of the last node of a module, against torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

EVERYWHERE = """
import warnings
import torch
import torch.nn as nn
from torch.nn.modules import module as every

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
told = []
def note(name, result=None):
    def hook(module, *rest):
        told.append((name, type(module).__name__, len(rest)))
        return result
    return hook

own = [net[1].register_forward_pre_hook(note("own before")), net[1].register_forward_hook(note("own after"))]
own.append(net[1].register_{back}(note("own back")))
all = [every.register_module_forward_pre_hook(note("before")), every.register_module_forward_hook(note("after"))]
all.append(every.register_module_{back}(note("back")))
print([handle.id - own[0].id for handle in own + all])
x = torch.ones(1, 2, requires_grad=True)
for handle in (None, *all, *own):
    if handle:
        handle.remove()
    net(x).sum().backward()
    print(told, x.grad)
    told.clear()

def negative(module, args, result): return -result
def half(module, inputs, outputs): return tuple(g / 2 for g in inputs)
with every.register_module_forward_hook(negative), every.register_module_full_backward_hook(half):
    x.grad = None
    y = net(x)
    y.sum().backward()
    print(y, x.grad)
try:
    every.register_module_backward_hook(half)
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize("back", ["full_backward_hook", "full_backward_pre_hook"])
def test_hooks_of_all_modules(back: str) -> None:
    """Hooks of every module run before those of one, and handles are counted as in torch."""
    text = EVERYWHERE.replace("{back}", back)
    assert ours(text) == torchs(text)


REGISTRATIONS = """
import torch
import torch.nn as nn
from torch.nn.modules import module as every

told = []
def note(kind):
    def hook(module, name, member):
        told.append((kind, type(module).__name__, name, type(member).__name__))
        return nn.Parameter(torch.zeros(3)) if name == "other" else None
    return hook

handles = [getattr(every, f"register_module_{kind}_registration_hook")(note(kind))
           for kind in ("parameter", "buffer", "module")]
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
net.other = nn.Parameter(torch.ones(1))
net[1].running_mean = torch.ones(2)
net.child = nn.ReLU()
print(told, net.other)
for handle in handles:
    handle.remove()
told.clear()
nn.Linear(2, 2)
print(told)
"""


def test_registrations() -> None:
    assert ours(REGISTRATIONS) == torchs(REGISTRATIONS)


LAST_NODE = """
import warnings
import torch
import torch.nn as nn

class M(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f
    def forward(self, *args):
        return self.f(*args)

a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
for f, args in (
    (lambda l: l[0] * l[1], ([a, b],)),
    (lambda a, b: [a * 2, b * 2], (a, b)),
    (lambda a, b: (a * 2, b * 2), (a, b)),
    (lambda a, b: (a * b, 1), (a, b)),
    (lambda a: {"x": a * 2}, (a,)),
    (lambda a: a * 2 * 3, (a,)),
    (lambda a: a * 2, (a,)),
    (lambda a: a * 2, (a * 3,)),
):
    module = M(f)
    module.register_backward_hook(lambda module, into, out: print(into, out))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        result = module(*args)
        first = next(iter(result.values())) if isinstance(result, dict) else result
        (first if isinstance(first, torch.Tensor) else first[0]).sum().backward()
    print([(w.category.__name__, str(w.message)) for w in heard])

def wrong(module, into, out): return into[:-1]
for register in (nn.Module.register_backward_hook, nn.Module.register_full_backward_hook):
    module = M(lambda a: a * 2)
    with register(module, wrong), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module(a).sum().backward()
        except RuntimeError as error:
            print(error)
    module.register_full_backward_pre_hook(lambda module, out: (out[0] * 2,))
    module(a).sum().backward()
    print(a.grad)
"""


def test_hooks_of_the_last_node() -> None:
    """The hooks of old warn of all that they do not see, and go together with the early ones."""
    assert ours(LAST_NODE) == torchs(LAST_NODE)
