"""Weak references, `gc` and `__del__`: what is gone, and when, as in Python and torch."""

from __future__ import annotations

import gc
import re

import pytest

from gradcli.script.errors import UnsupportedError
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.timeline.recorder import Recorder
from gradcli.source import Source
from tests.script.running import ours, torchs

HEAD = "import gc, weakref\nimport torch\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"

# Operations on results `a` and `b` of shape (2, 3), by what torch's node of them saves.
OPERATIONS = """
a.sin(); a.exp(); a.log(); a.sigmoid(); a.relu(); a.abs(); a.sqrt(); a.square(); a.sum(); a.mean(); a.prod(); a.clone()
a.t(); a.view(-1); a.reshape(3, 2); a.reshape(6).sin(); a.cumsum(0); a.max(0)[0]; a.softmax(0); a.std(); a.norm()
a.pow(2); a.clamp(0, 1); a.expand(2, 3); a.select(0, 1); a.narrow(0, 0, 1); a.unbind()[0]; a.split(1)[0]; a.sort()[0]
a.masked_fill(a > 0, 0.0); a.gather(0, torch.zeros(1, 3, dtype=torch.long)); a[0]; a[[0, 1]]; a.double(); a.median()
a + b; a * b; a / b; a - 2 * b; a @ b.t(); torch.where(a > 0, a, b); torch.maximum(a, b); torch.cat([a, b]); a ** b
torch.lerp(a, b, 0.3); torch.addcmul(b, a, b); F.mse_loss(a, b); F.l1_loss(a, b); F.linear(a, b); torch.dot(a[0], b[0])
F.layer_norm(a, (3,)); F.cross_entropy(a, torch.tensor([0, 1])); torch.cdist(a, b); torch.outer(a[0], b[0]); 2 / a
a * a; F.gelu(a); F.silu(a); F.elu(a); F.softplus(a); F.leaky_relu(a); F.dropout(a, 0.5); torch.atan2(a, b)
torch.stack([a, b])
"""
EXPRESSIONS = [one.strip() for one in OPERATIONS.replace("\n", ";").split(";") if one.strip()]
GRAPH = """
def made(f):
    p, q = torch.rand(2, 3, requires_grad=True), torch.rand(2, 3, requires_grad=SECOND)
    a, b = p * 1, q * 1
    c = f(a, b)
    return c.sum(), weakref.ref(a), weakref.ref(b)
"""


@pytest.fixture(scope="module", autouse=True)
def few_objects() -> None:
    """Let each collection of garbage look at the objects of these tests alone, of which there are few."""
    pytest.importorskip("torch")
    gc.freeze()


@pytest.mark.parametrize("second", [True, False])
def test_what_a_graph_holds(second: bool) -> None:
    text = HEAD + GRAPH.replace("SECOND", str(second))
    text += f"made_of = [{', '.join(f'lambda a, b: {one}' for one in EXPRESSIONS)}]\n"
    text += "kept = [made(f) for f in made_of]\nprint([(r() is None, s() is None) for _, r, s in kept])\n"
    assert ours(text) == torchs(text)


# ---- each prints which references are dead, after each step
LIVES = {
    "leaf": "x = torch.rand(3, requires_grad=True)\nr = weakref.ref(x)\ny = x * 2\ndel x\nSHOW\ndel y\nSHOW",
    "leaf after backward": (
        "x = torch.rand(3, requires_grad=True)\nr = weakref.ref(x)\ny = (x * x).sum()\ndel x\ny.backward()\nSHOW\n"
        "del y\nSHOW"
    ),
    "gradient": (
        "x = torch.rand(3, requires_grad=True)\n(x * x).sum().backward()\nr = weakref.ref(x.grad)\nSHOW\n"
        "x.grad = None\nSHOW"
    ),
    "retained": (
        "x = torch.rand(3, requires_grad=True)\ny = x * 2\ny.retain_grad()\nr = weakref.ref(y)\nz = y.exp()\n"
        "del y\nSHOW\nz.sum().backward()\nSHOW"
    ),
    "view": "x = torch.rand(3)\ny = x[1:]\nr = weakref.ref(x)\ndel x\nSHOW\ndel y\nSHOW",
    "changed view": (
        "x = torch.rand(3, requires_grad=True).clone()\ny = x.view(3)\ny.mul_(2)\nr = weakref.ref(x)\ndel x\nSHOW\n"
        "del y\nSHOW"
    ),
    "detached": "x = torch.rand(3, requires_grad=True)\nr = weakref.ref(x)\ny = x.detach()\ndel x\nSHOW",
    "hook": (
        "class Hook:\n    def __call__(self, g):\n        return None\nx = torch.rand(3, requires_grad=True)\n"
        "y = x * 2\nhook = Hook()\nr = weakref.ref(hook)\nhandle = y.register_hook(hook)\ndel hook\nSHOW\ndel y\nSHOW\n"
        "handle.remove()"
    ),
    "hook of a leaf": (
        "class Hook:\n    def __call__(self, g):\n        return None\nx = torch.rand(3, requires_grad=True)\n"
        "hook = Hook()\nr = weakref.ref(hook)\nhandle = x.register_post_accumulate_grad_hook(hook)\ndel hook\nSHOW\n"
        "del x\nSHOW\nprint(handle.hooks_dict_ref())"
    ),
    "module": (
        "m = torch.nn.Linear(2, 2)\nr = weakref.ref(m.weight)\ny = m(torch.ones(1, 2))\ndel m\nSHOW\ndel y\nSHOW"
    ),
    "metadata": (
        "class Note:\n    pass\nx = torch.rand(3, requires_grad=True)\ny = x.exp()\nnote = Note()\n"
        "y.grad_fn.metadata['n'] = note\nr = weakref.ref(note)\ndel note\nSHOW\ndel y\nSHOW"
    ),
    "attribute": (
        "class Note:\n    pass\nx = torch.rand(3, requires_grad=True)\nx.note = Note()\nr = weakref.ref(x.note)\nSHOW\n"
        "del x\nSHOW"
    ),
    "cycle": "class A:\n    pass\na = A()\na.me = a\nr = weakref.ref(a)\ndel a\nSHOW\ngc.collect()\nSHOW",
    "tensor in a cycle": (
        "x = torch.rand(3)\nitems = [x]\nitems.append(items)\nr = weakref.ref(x)\ndel x, items\nSHOW\ngc.collect()\n"
        "SHOW"
    ),
    "function": "def f():\n    def g():\n        return 1\n    return weakref.ref(g)\nr = f()\nSHOW",
    "function with a variable": (
        "def f():\n    x, z = torch.rand(3), torch.rand(3)\n    def g():\n        return x\n"
        "    return g, weakref.ref(x), weakref.ref(z)\ng, r, s = f()\nSHOW\nprint(s() is None)\ndel g\nSHOW"
    ),
    "function that calls itself": (
        "def f():\n    def g(n):\n        return g(n - 1) if n else n\n    return weakref.ref(g)\nr = f()\nSHOW\n"
        "gc.collect()\nSHOW"
    ),
    "comprehension": (
        "def f():\n    x = torch.rand(3)\n    [x + i for i in range(2)]\n    return weakref.ref(x)\nr = f()\nSHOW"
    ),
    "exception": (
        "def f():\n    x = torch.rand(3)\n    try:\n        raise ValueError(x.shape)\n    except ValueError as e:\n"
        "        print(e)\n    return weakref.ref(x)\nr = f()\nSHOW"
    ),
}
TWO = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(SAVED)
        return y
    @staticmethod
    def backward(ctx, g):
        print(len(ctx.saved_tensors), ctx.saved_tensors[0].grad_fn is not None)
        return g * ctx.saved_tensors[0]
x = torch.rand(3, requires_grad=True)
a = x * 1
y = Double.apply(a)
z = y.sum()
r, s, node = weakref.ref(a), weakref.ref(y), weakref.ref(y.grad_fn)
del a, y
SHOW
print(s() is None, node() is None)
z.backward(retain_graph=True)
SHOW
del z
SHOW
print(node() is None)
"""
LIVES.update({f"a function saves {one}": TWO.replace("SAVED", one) for one in ("x", "y")})


@pytest.mark.parametrize("name", LIVES)
def test_what_is_gone(name: str) -> None:
    text = HEAD + "gc.collect()\ngc.disable()\n" + LIVES[name].replace("SHOW", "print(r() is None)") + "\ngc.enable()\n"
    assert ours(text) == torchs(text)


OBJECTS = """
x = torch.ones(2, requires_grad=True)
class A:
    pass
class Slots:
    __slots__ = ("a",)
def f():
    return 1
held = (1, 1.5, "a", None, [1], (1,), {}, x.shape, (x * 2).grad_fn, Slots(), ValueError(), range(2), True)
for value in held:
    try:
        print(weakref.ref(value))
    except TypeError as error:
        print(error)
for value in (x, A(), f, A, {1}, frozenset((1,)), torch.nn.Linear(1, 1), x.register_hook(print)):
    print(weakref.ref(value)() is value)
dead = weakref.ref(A())
print(weakref.ref(x), dead, weakref.ref(f), weakref.ref(f) == weakref.ref(f))
"""


def test_what_can_be_referred_to() -> None:
    found, expected = (re.sub("0x[0-9a-f]+", "0x", run_it(HEAD + OBJECTS)) for run_it in (ours, torchs))
    assert found == expected


DELETED = """
import gc
class Noisy:
    def __init__(self, name):
        self.name = name
    def __del__(self):
        print("gone", self.name)
a = Noisy("a")
b = a
del a
print("held")
b = None
def f():
    Noisy("at once")
    c = Noisy("c")
    print("in")
f()
d = Noisy("d")
d.me = d
del d
print("cycle")
gc.collect()
class Bad:
    def __del__(self):
        raise ValueError("no")
Bad()
x = [Noisy("first"), Noisy("second")]
x.pop()
_e = Noisy("early")
print("end")
"""


def test_finalizers_run_when_the_last_reference_goes() -> None:
    lines = "held; gone a; gone at once; in; gone c; cycle; gone d; gone second; end; gone early; gone first; "
    assert ours(DELETED).split("\n") == lines.split("; ")


def test_an_explanation_refuses_to_tell() -> None:
    machine = Machine(Limits(), lambda text: None)
    machine.timeline = Recorder(machine)
    with pytest.raises(UnsupportedError, match="looking at what is gone"):
        run([Source("import weakref, torch\nr = weakref.ref(torch.ones(2))\nprint(r())\n")], machine)
    with pytest.raises(UnsupportedError, match="__del__"):
        run([Source("class A:\n    def __del__(self):\n        pass\n")], machine)
