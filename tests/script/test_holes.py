"""Ways through the interpreter that were open once, by their kinds: nothing of Python comes out of any."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.script.limits import Limits
from gradcli.script.machine import Machine, running
from tests.script import canary
from tests.script.running import ours

IMPORTS = """
import abc, argparse, collections, contextlib, copy, dataclasses, enum, functools, json, operator, sys, textwrap
import types, typing, warnings
import numpy as np, torch
from torch import nn
got = []
class Equal:
    def __eq__(self, other): got.append(other); return False
    def __hash__(self): return 1
"""
DEEP = "t = ()\nfor i in range(60_000): t = (t,)\n"
KINDS = {
    "text of the snippet is compiled": [
        "collections.namedtuple('X', ['a', 'b=print(7)'])",
        "collections.namedtuple('X=print(7)', 'a')",
        "typing.NamedTuple('X', [('a: print(7)', int)])",
        "enum.Enum('X', {'a b': 1, '__class__': print})",
        "@dataclasses.dataclass\nclass X:\n    __class__: int\nX(1)",
    ],
    "classes of Python come out": [
        "try:\n    class A(metaclass=Equal()): pass\nfinally:\n    see(*got)",
        "try:\n    class A(Equal()): pass\nfinally:\n    see(*got)",
        "try:\n    type('A', (Equal(),), {})\nfinally:\n    see(*got)",
        "class S(contextlib.suppress): pass\nsee(S(ValueError)._kinds)",
        "see(contextlib.suppress(ValueError)._kinds)",
        "try: torch.ones(1).to(int)\nfinally: see(*got)",
        "see(collections.defaultdict(list).default_factory, torch.optim.SGD([torch.ones(1)], 1).state.default_factory)",
        "class K(int): pass\nf = functools.lru_cache(typed=True)(lambda *a: see(a))\nf(K(1), Equal())",
        "class E(Exception): pass\nsee(E.args, E.with_traceback)",
        "see(nn.Linear.in_features)",
        "class C: __slots__ = ('x',)\nsee(C.x)",
        "class A(metaclass=abc.ABCMeta): pass\nA._abc_impl",
        "class A(metaclass=abc.ABCMeta): pass\nA()._abc_impl",
        "class A(metaclass=abc.ABCMeta): pass\nA._abc_impl = 1",
        "class G(ExceptionGroup):\n    def split(self, kinds): print(7)\n"
        "try: raise G('x', [ValueError()])\nexcept* ValueError: pass\nraise ValueError",
        "class C:\n    def __next__(self): return 1\n    def throw(self, *a): see(*a, *map(type, a))\n"
        "@contextlib.contextmanager\ndef g(): return C()\nwith g(): raise ValueError",
    ],
    "a method takes any object for self": [
        "class C: pass\nnn.ParameterList.__getitem__(C, 0)",
        "class C:\n    def _name(self, i): return i\nsee(nn.ParameterList.__getitem__(C(), '__class__'))",
        "types.SimpleNamespace.__init__(int, construct=lambda *a: 42)\nsee(int('7'))",
        "types.SimpleNamespace.__init__(self=int, construct=lambda *a: 42)",
        "types.SimpleNamespace.__eq__(type, types.SimpleNamespace())",
        "types.MethodType(types.SimpleNamespace.__init__, int)(construct=lambda *a: 42)",
        "class C:\n    start = types.SimpleNamespace.__init__\nC().start(x=1)",
        "torch.Tensor.exp('x')",
        "@dataclasses.dataclass(frozen=True)\nclass C:\n    construct: int\nC.__init__(int, lambda *a: 42)",
        "@dataclasses.dataclass(frozen=True)\nclass C:\n    construct: int\n"
        "object.__setattr__(int, 'construct', lambda *a: 42)",
        "class C: pass\nsuper(nn.Linear, C()).forward(1)",
        "super(float, np.float64(1)).tofile",
        "class C:\n    parent = torch.utils.data.DataLoader.__len__\nC().parent()",
    ],
    "names of the snippet reach attributes": [
        "class P(nn.ParameterList):\n    def _name(self, i): return '__subclasses__'\nP([torch.ones(1)])[0]",
        "see(nn.ModuleDict({'a': nn.ReLU()})['__dict__'])",
        "nn.ModuleDict({'__class__': nn.ReLU()})",
        "nn.utils.weight_norm(nn.Linear(1, 1), '__class__')",
        "nn.Linear(1, 1).set_submodule('__class__', nn.ReLU())",
        "nn.Linear(1, 1)._forward_hooks['x'] = print",
        "nn.Linear(1, 1)._parameters['__class__'] = torch.ones(1)",
        "class L(nn.Module):\n    _modules = {}\n",
        "l = nn.LSTM(1, 1)\nl._flat_weights_names[0] = '__dict__'\nsee(l._flat_weights)",
        "l = nn.LSTM(1, 1)\nl._all_weights[0][0] = '__dict__'\nsee(l.all_weights)",
        "class L(nn.Module): pass\nl = L()\nl._modules = {'__class__': print}",
        "class L(nn.Module): pass\nsetattr(L, '_modules', {})",
        "class M: pass\nclass L(M, nn.Module): pass\nM._modules = {}",
        "class M:\n    _text = '{x}'\nclass L(M, nn.BatchNorm1d): pass",
        "p = argparse.ArgumentParser()\np.add_argument('--x', dest='__class__')\np.parse_args()",
        "class C(nn.Module):\n    def __call__(self): yield 1\nsee(contextlib.contextmanager(C())._modules)",
        "def f(): pass\nf._facts = lambda name: 1",
        "types.SimpleNamespace(_shown_as='{x}')",
        "class X(nn.Module): pass\nX().add_module('_call_impl', X())",
        "from torch.func import functional_call\n"
        "functional_call(nn.Linear(1, 1), {'forward.__func__.x': torch.ones(1)}, (torch.ones(1),))",
    ],
    "one of our classes writes what another keeps": [
        "class X(types.SimpleNamespace, nn.Linear): pass\nX(_modules={'__class__': 1})",
        "class X(nn.Dropout, types.SimpleNamespace): pass\n"
        "types.SimpleNamespace.__init__(X(), _text='{f.__globals__}')",
        "class X(argparse.Namespace, nn.Dropout): pass\nX(_text='{f.__globals__}')",
        "class X(nn.Dropout, ValueError): pass\nX()._modules['__class__'] = 1",
        "class M(ValueError): pass\nclass X(M, torch.optim.SGD): pass",
        "class X(nn.Dropout, torch.optim.lr_scheduler.StepLR): pass\n"
        "torch.optim.lr_scheduler.StepLR.load_state_dict(X(), {'_modules': {'__class__': 1}})",
    ],
    "texts of the snippet name parts of gradcli": [
        "raise ValueError('<gradcli.script.machine.running object at 0x7>')",
        "raise ValueError('<gradcli.ops.sinh object at 0x7>')",
    ],
    "texts of the snippet are templates": [
        "class B(nn.BatchNorm1d):\n    _text = '{f.__globals__}'\nb = B(3)\nb.f = torch.relu\nsee(str(b))",
        "class B(nn.Dropout):\n    pass\nb = B()\nb._text = '{f.__globals__}'",
        "'{0.__globals__}'.format(torch.relu)",
        "class A:\n    @functools.cached_property\n    def _text(self): return '{f.__globals__}'\n"
        "class B(nn.Dropout): pass\nB.foo = A._text\nb = B()\nb.f = torch.relu\nb.foo\nsee(str(b))",
        "class A:\n    @functools.cached_property\n    def _forward_hooks(self): return 1\n"
        "class B(nn.Dropout): pass\nB.foo = A._forward_hooks\nsee(B().foo)",
        "class B(nn.BatchNorm1d, enum.Enum): pass\n"
        "m = B('X', {'_text': '{f.__globals__}', 'A': 5}).A\nm.f = torch.relu\nsee(m.extra_repr())",
        "import logging\ndef f(): pass\nsee(logging.Formatter('%(_facts)s').format(f))",
        "import logging\nlogging.Formatter('%(asctime)s').format(int)",
        "type('B', (nn.Dropout,), {'_text': '{f.__globals__}'})()",
    ],
    "a value changes between two looks": [
        "class D(dict):\n    def items(self): return [('__getattribute__', lambda self, name: 42)]\n"
        "type('X', (), D())().anything",
        "class S:\n    n = 0\n    def __iter__(self):\n        self.n += 1\n"
        "        return iter(['a'] if self.n == 1 else ['__array_interface__'])\n"
        "class C:\n    __slots__ = S()\nC().__array_interface__",
        "class N(dict):\n    def items(self): return [('__array_interface__', 1)]\n"
        "enum.Enum('E', N(a=1)).__array_interface__",
    ],
    "numpy shows memory": [
        "np.ones(1).data", "np.ones(1).tofile", "np.float64(1).data", "np.ones(1)[0].tobytes",
        "np.ones(1).__array_interface__",
        "np.ones(1).ctypes", "see(np.ones(4)[:2].base)", "np.ones(1).getfield", "np.ones(1).setflags",
        "np.ones(1).dtype.type",
        "np.random.default_rng().bit_generator", "np.random.get_state()[1].data",
    ],
    "what all runs share is changed": [
        "abc.abstractmethod(torch.relu)",
        "abc.abstractmethod(nn.Linear)",
        "nn.Linear(1, 1)._modules = {}",
        "nn.Linear(1, 1)._forward_hooks = {}",
        "torch.optim.SGD([torch.ones(1)], 1)._lines = print",
        "copy.deepcopy(1, {id(1): 2})\nraise ValueError",
        "class T(str):\n    def expandtabs(self, size): return self\ntextwrap.wrap(T('a'))",
        "class T(str):\n    def __eq__(self, other): return True\nF.multi_margin_loss(x, x, reduction=T('__dict__'))",
    ],
    "C code works past the limits": [
        f"{DEEP}functools.lru_cache(lambda x: 1)(t)",
        f"{DEEP}functools.cache(lambda x: 1)(x=(1, t))",
        f"{DEEP}operator.getitem({{}}, t)",
        f"{DEEP}operator.itemgetter(t)({{}})",
        f"{DEEP}class T(tuple): pass\n{{}}[T((t,))] = 1",
        f"{DEEP}class A: pass\nvars(A()).get(t)",
        f"{DEEP}class A: pass\nt in vars(A())",
        f"{DEEP}class A: pass\ntry: vars(A())[t]\nexcept KeyError: print(7)",
        f"{DEEP}class E(enum.Enum): a = 1\ntry: E[t]\nexcept KeyError: print(7)",
        f"{DEEP}class E(enum.Enum): a = 1\ntry: E.__members__[t]\nexcept KeyError: print(7)",
        "class C:\n    p = property(len)\n    for i in range(9): p = p.getter(p)",
        "p = property(len, staticmethod(len))\nfor i in range(9): p = p.deleter(p)",
        "print((5).__round__(-10**9) or 1 / 0)",
    ],
    "what is no text is written": [
        "class T:\n    def __len__(self): return 1\n    def encode(self, *a): see(*a); print(7)\nsys.stdout.write(T())",
        "class T(str):\n    def __radd__(self, other): return got\nprint('a', end=T('b'))",
        "class T:\n    def __eq__(self, other): see(other); return True\n    def __hash__(self): return hash(('a'))\n"
        "warnings.warn('a')\nwarnings.warn(T())\nraise ValueError",
    ],
    "nothing catches how a snippet ends": [
        "def g(): yield 1\nx = g()\nnext(x)\nx.throw(ValueError, BaseException('b'))",
        "def g(): yield 1\nx = g()\nnext(x)\nx.throw(GeneratorExit)",
        "try: raise ExceptionGroup('x', [ValueError()])\nexcept* ValueError: raise KeyboardInterrupt",
        "class E(Exception):\n    def __str__(self): raise KeyboardInterrupt\nraise SystemExit(E())",
        "class E:\n    def __eq__(self, other): raise SystemExit\nraise SystemExit(E())",
    ],
    "the library calls a snippet whose limits are over": [
        "class F(Exception):\n    def __setattr__(self, name, value): see(value)\nraise F",
        "class M:\n    def __setattr__(self, name, value): see(value)\n"
        "class F(M, Exception): pass\nwith contextlib.suppress(KeyError): raise F",
    ],
}  # fmt: skip
PROOFS = [(kind, text) for kind, texts in KINDS.items() for text in texts]
CHECK = """
import abc, types, torch, enum, json, textwrap
assert int("7") == 7 and torch.relu(torch.tensor(-1.0)) == 0 and json.dumps([1]) == "[1]"
class A(abc.ABC):
    f = torch.relu
A()
print("whole")
"""


def test_the_proofs_begin() -> None:
    assert ours(IMPORTS) == ""


@pytest.mark.parametrize(("kind", "text"), PROOFS)
def test_a_way_is_closed(kind: str, text: str) -> None:
    canary.install()
    canary.reports.clear()
    canary.listening.append(True)
    try:
        printed = ours(f"{IMPORTS}{text}\n", Limits(steps=200_000))
    finally:
        canary.listening.clear()
    assert canary.reports == []
    assert printed.startswith("Error: ") or "see(" in text, printed
    assert "7\n" not in printed
    assert "failed" not in printed
    assert ours(CHECK) == "whole\n"


def test_a_warning_does_not_say_where_gradcli_lies() -> None:
    program = "with warnings.catch_warnings(record=True) as heard: warnings.warn('x')\nprint(heard[0], str(heard[0]))\n"
    assert ours(IMPORTS + program).count("UserWarning('x')") == 2
    assert "/" not in ours(IMPORTS + program)


@pytest.mark.parametrize(
    "held", [object, type, [{1: int}], getattr, canary, str.format, memoryview(b""), (1).__reduce__, ValueError(type)]
)
def test_the_canary_hears_of_what_is_held(held: object) -> None:
    if isinstance(held, ValueError):  # whose arguments are shown as snippets know them
        assert canary.found_in(held) == ""
    else:
        assert canary.found_in(held)


def test_the_canary_hears_what_python_does() -> None:
    canary.install()
    canary.reports.clear()
    machine = Machine(Limits(), lambda text: None)
    machine.builtins = {"x": 1}
    before, running.machine = running.machine, machine
    canary.listening.append(True)
    try:
        for act in (lambda: (lambda: 0).__code__, lambda: exec("1"), lambda: Path("/dev/null").read_text()):
            act()
    finally:
        canary.listening.clear()
        running.machine = before
    assert {words.partition(" ")[0] for words in canary.reports} >= {"object.__getattr__", "exec", "open"}
