"""Ways out of Python jails, as they are published: each ends in an error, and nothing of Python is reached.

A snippet that printed something, or ended well, would have found a way.
"""

from __future__ import annotations

import pytest

from gradcli.script.limits import Limits
from tests.script.running import ours

LIMITS = Limits(steps=200_000)  # what never ends is to end soon

WALKS = [
    "().__class__.__base__.__subclasses__()",
    "''.__class__.__mro__[1].__subclasses__()",
    "[].__class__.__bases__[0]",
    "type(1).__mro__",
    "type(1).__subclasses__()",
    "type(type(1))('X', (), {'__reduce_ex__': print})",
    "type('X', (), {'__reduce__': print})",
    "type('X', (object,), {'__array_interface__': {}})",
    "object.__subclasses__()",
    "object.__init__.__globals__",
    "print.__self__",
    "print.__globals__",
    "(lambda: 0).__globals__",
    "(lambda: 0).__code__",
    "(lambda: 0).__closure__",
    "(lambda: 0).code",
    "(lambda: 0).env",
    "(lambda: 0).__call__.__self__",
    "(x for x in ()).gi_frame",
    "(x for x in ()).gi_code",
    "''.join.__self__",
    "[].append.__self__.__class__",
    "''.format.__globals__",
    "'{0.__class__.__mro__}'.format('')",
    "'{x.__globals__}'.format(x=print)",
    "'{0[__class__]}'.format(print)",
    "'{:{}}'.format(1, print.__self__)",
    "'%(x)s' % print.__dict__",
    "f'{print.__self__!r}'",
    "''.format_map({})",
    "getattr(print, '__self__')",
    "getattr(torch, '__dict__')",
    "getattr(torch, '__loader__')",
    "setattr(torch, 'sum', print)",
    "setattr(torch.Tensor, 'backward', print)",
    "__import__('os').system('true')",
    "__import__('subprocess').run",
    "__builtins__",
    "__loader__",
    "__spec__.loader",
    "eval('1')",
    "exec('1')",
    "compile('1', '', 'eval')",
    "open('/etc/passwd')",
    "input()",
    "breakpoint()",
    "globals()",
    "locals()",
    "vars()",
    "vars(torch)",
    "dir(torch)",
    "help()",
    "memoryview(b'')",
    "ｅval('1')",
    "ｏpen('/etc/passwd')",
    "super.__init__",
    "super().__class__",
    "property(print).fget",
    "staticmethod(print).__func__",
    "torch.__dict__",
    "torch.sys",
    "torch.os",
    "torch.load('x')",
    "torch.hub.load('x', 'y')",
    "torch.utils.cpp_extension",
    "torch.nn.modules.module.sys",
    "torch.tensor(1).__class__.__mro__",
    "torch.tensor(1).__reduce__()",
    "torch.tensor(1).__dict__",
    "torch.tensor(1.0).numpy().tofile('x')",
    "torch.tensor(1.0).numpy().dump('x')",
    "torch.tensor(1.0).numpy().ctypes",
    "torch.tensor(1.0).numpy().data",
    "torch.tensor(1.0).numpy().base.__class__.__subclasses__()",
    "torch.nn.Linear(1, 1).__init__.__globals__",
    "torch.nn.Linear(1, 1).forward.__func__",
    "torch.nn.Linear(1, 1).forward.__globals__",
    "torch.nn.Linear.__subclasses__()",
    "torch.nn.Module.__dict__",
    "torch.nn.Linear(1, 1).__dict__['training']",
    "np.load('x')",
    "np.save('x', 1)",
    "np.fromfile('x')",
    "np.memmap('x')",
    "np.genfromtxt('x')",
    "np.lib",
    "np.ctypeslib",
    "np.os",
    "np.array(['x'], dtype=object)",
    "np.array(1).__array_interface__",
    "math.__loader__",
    "random._os",
    "random.Random.__init__",
    "random._inst",
    "time.__spec__",
    "collections.abc.sys",
    "functools.partial(print).func.__self__",
    "functools.wraps(print)(lambda: 0).__wrapped__",
    "warnings.sys",
    "copy.copyreg",
    "dataclasses.sys",
    "typing.sys",
    "sys.modules",
    "sys._getframe()",
    "sys.exc_info()[2]",
    "os.system('true')",
    "os.popen('true')",
    "os.environ['HOME']",
    "os.getcwd()",
]

PROGRAMS = [
    "import subprocess\nsubprocess.run",
    "import socket\nsocket.socket",
    "import ctypes\nctypes.CDLL",
    "import builtins\nbuiltins.open",
    "import importlib\nimportlib.import_module",
    "import marshal\nmarshal.loads",
    "import gc\nprint(gc.get_objects())",
    "import inspect\ninspect.currentframe",
    "import pty\npty.spawn",
    "from os import system",
    "from sys import modules",
    "from torch import sys",
    "from numpy import os",
    "from math import __loader__",
    "import torch.serialization",
    "try:\n    1 / 0\nexcept Exception as error:\n    print(error.__traceback__)",
    "try:\n    1 / 0\nexcept Exception as error:\n    print(error.with_traceback(None).__traceback__)",
    "try:\n    1 / 0\nexcept Exception as error:\n    print(error.__traceback__.tb_frame.f_globals)",
    "class A:\n    def __getattribute__(self, name):\n        return print\nprint(A().x)",
    "class A:\n    def __reduce__(self):\n        return print\nprint(A().__reduce__())",
    "class A:\n    def __del__(self):\n        print(self.__class__.__subclasses__())\nA()\nprint(undefined)",
    "class A(type):\n    x = 1\nprint(A)",
    "class A(metaclass=print):\n    x = 1\nprint(A)",
    "class A(int):\n    def __index__(self):\n        return 2\nprint(A())",
    "class A(str):\n    x = 1\nprint(A('{0.__class__}').format_map({'0': 1}))",
    "class A(str):\n    x = 1\nprint(super(A, A('{0.__class__}')).format_map({}))",
    "class A(dict):\n    x = 1\nprint(A().__class__.__subclasses__())",
    "class A(dict):\n    x = 1\nprint(A().__reduce_ex__(2))",
    "class A(list):\n    def __len__(self):\n        return 0\nprint(A())",
    "class A(list):\n    def f(self):\n        return super().__reduce__()\nprint(A().f())",
    "class A(dict):\n    __getattr__ = dict.get\nprint(np.array(A(__array_interface__={'data': (1, True)})))",
    "class A(bool):\n    x = 1\nprint(A())",
    "class A(range):\n    x = 1\nprint(A())",
    "class A(torch.Tensor):\n    __array_interface__ = {'data': (1, True)}\nprint(A())",
    "class A(torch.Tensor):\n    x = 1\nprint(A().value)",
    "class A(torch.Tensor):\n    x = 1\nprint(A().history)",
    "class A(torch.Tensor):\n    x = 1\nprint(A.node)",
    "class A(torch.Tensor):\n    x = 1\nprint(A().__dict__)",
    "class A(torch.Tensor):\n    def f(self):\n        return super().array\nprint(A().f())",
    "class A(torch.Tensor):\n    x = 1\nA.__add__ = print",
    "class M:\n    value = 1\nclass A(M, torch.Tensor):\n    x = 1\nprint(A())",
    "class A(torch.nn.Parameter):\n    x = 1\nprint(A().value)",
    "def f(): ...\nclass A(torch.Tensor):\n    __torch_function__ = f\nprint((A() + 1).__func__)",
    "class A:\n    x = 1\nprint(A.__dict__)",
    "class A:\n    x = 1\nA.__init__ = print\nA.__bases__ = ()",
    "class A:\n    def f(self):\n        return super().__getattribute__('__class__')\nprint(A().f())",
    "class A:\n    def f(self):\n        return super().__init__.__globals__\nprint(A().f())",
    "class A:\n    def f(self):\n        return 1\nprint(A().f.__func__)",
    "class A:\n    def f(self):\n        return 1\nprint(A().f.__self__.__class__.__base__.__subclasses__)",
    "class A(torch.nn.Module):\n    def forward(self, x):\n        return super().forward.__globals__\nprint(A()(1))",
    "class A(Exception):\n    x = 1\ntry:\n    raise A()\nexcept A as error:\n    print(error.__traceback__)",
    "def f():\n    yield 1\ng = f()\nnext(g)\nprint(g.gi_frame)",
    "import torch as t\nt.Tensor.backward = print",
    "torch.nn.Module.forward = print",
    "torch.nn.functional.relu = print",
    "math.sqrt = print",
    "print.x = 1",
    "del torch.sum",
    "del print.__name__",
    "torch.tensor(1.0).__class__ = int",
    "with open('/etc/passwd') as file:\n    print(file)",
    "@eval\ndef f():\n    return 1",
    "@(lambda f: f.__globals__)\ndef f():\n    return 1\nprint(f)",
    "from torch.autograd import Function\nclass F(Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        return ctx.__init__.__globals__\nprint(F.apply(torch.tensor(1.0)))",
    "async def f():\n    return 1",
    "print(b'x'.decode.__self__)",
    "x = torch.tensor(1.0, requires_grad=True)\nx.register_hook(lambda g: print(g.__class__.__mro__))\nx.backward()",
]
# A text that lies about itself: as a name of an attribute it would pass for a plain one.
LIAR = (
    "class A(str):\n    def startswith(self, *a): return False\n    def endswith(self, *a): return False\n"
    "    def isidentifier(self): return True\n    def __getitem__(self, i): return 'x'\n"
    "class B:\n    def f(self): return 1\n"
)
LIES = [
    "print(getattr(B(), A('__reduce__'))())",
    "print(getattr(B.f, A('__globals__')))",
    "print(getattr(B().f, A('__func__')))",
    "print(getattr(torch.nn.Linear(1, 1), A('__dict__')))",
    "print(operator.attrgetter(A('__reduce__'))(B()))",
    "print(operator.methodcaller(A('__reduce__'))(B()))",
    "setattr(B(), A('__class__'), torch.nn.Linear)\nprint(1)",
    "setattr(B, A('__array_interface__'), 5)\nprint(1)",
    "object.__setattr__(B(), A('__class__'), torch.nn.Linear)\nprint(1)",
    "class C:\n    __slots__ = (A('__array_interface__'),)\nprint(C)",
    "class C:\n    __match_args__ = (A('__reduce__'),)\nmatch C():\n    case C(x): print(x)\nraise ValueError",
]
ADDRESS = "d = {'data': (94000000000, False), 'shape': (4,), 'typestr': '<f8', 'version': 3}\n"
# numpy follows this to any memory.
INTERFACES = [
    "import types\nprint(np.ones(4) * types.SimpleNamespace(__array_interface__=d))",
    "import argparse\nprint(np.ones(4) * argparse.Namespace(__array_interface__=d))",
    "import enum\nprint(np.ones(4) * enum.Enum('A', {'x': 1, '__array_interface__': d}).x)",
    "print(np.ones(4) * torch.nn.ModuleDict({'__array_interface__': torch.nn.ReLU()}))",
    "print(np.ones(4) * torch.nn.ParameterDict({'__array_interface__': d}))",
]
# What belongs to the interpreter stays as it is.
SHARED = [
    "object.__setattr__(torch, 'members', {})",
    "object.__setattr__(torch.ones(1), 'node', print)",
    "object.__setattr__(sys.stdout, 'name', 1)",
    "object.__setattr__(print, 'x', 1)",
    "object.__delattr__(torch, 'members')",
]


@pytest.mark.parametrize("program", LIES)
def test_texts_that_lie(program: str) -> None:
    refused(f"{IMPORTS}import operator\n{LIAR}{program}\n")


@pytest.mark.parametrize("program", INTERFACES)
def test_memory_is_not_followed(program: str) -> None:
    refused(f"{IMPORTS}{ADDRESS}{program}\n")


@pytest.mark.parametrize("program", SHARED)
def test_what_everybody_has_is_not_set(program: str) -> None:
    refused(f"{IMPORTS}{program}\nprint(1)\n")


def test_functions_of_all_keep_their_names() -> None:
    ours(f"{IMPORTS}functools.wraps(lambda: 0)(torch.relu)\nfunctools.wraps(lambda: 0)(print)\n")
    assert ours("import torch\nprint(torch.relu.__name__, print.__name__)\n") == "relu print\n"


# What snippets may ask the class of: they get the name that they know it by, from which nothing leads on.
CLASSES = [
    "().__class__",
    "(1).__class__.__class__",
    "int.__class__",
    "getattr((), '__cla' + 'ss__')",
    "type(torch.tensor(1).numpy())",
    "[x.__class__ for x in [()]][0]",
    "type(type)",
    "type(torch)",
    "type(print)",
    "type(lambda: 0)",
    "type(x for x in ())",
    "torch.Tensor",
    "torch.nn.Linear",
    "type(torch.ones(1).grad_fn)",
    "ValueError",
]
FURTHER = "__subclasses__() __base__ __dict__ __init__.__globals__ __call__.__self__ __reduce__ __weakref__"
IMPORTS = "import torch, math, random, time, collections, functools, warnings, copy, dataclasses, typing, sys, os\n"
IMPORTS += "import numpy as np\n"


@pytest.mark.slow
@pytest.mark.parametrize("walk", WALKS)
def test_walks(walk: str) -> None:
    refused(f"{IMPORTS}print({walk})\n")


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program: str) -> None:
    refused(f"{IMPORTS}{program}\n")


@pytest.mark.parametrize("walk", WALKS)
def test_nothing_is_hidden_from_view_by_catching(walk: str) -> None:
    """What a snippet catches, it cannot use either."""
    printed = ours(f"{IMPORTS}x = None\ntry:\n    x = {walk}\nexcept BaseException:\n    x = None\nprint(x)\n")
    assert printed == "None\n" or "Error: " in printed


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("step", FURTHER.split())
def test_classes_lead_nowhere(kind: str, step: str) -> None:
    refused(f"{IMPORTS}({kind}).{step}\n")


def refused(text: str) -> None:
    printed = ours(text, LIMITS)
    assert printed.startswith("Error: "), printed
    assert "<built-in" not in printed
    assert "Traceback" not in printed


def test_facades_are_the_same_for_the_next_snippet() -> None:
    for program in PROGRAMS:
        ours(IMPORTS + program, LIMITS)
    assert ours("import torch, math\nprint(torch.ones(2).sum(), math.sqrt(4), torch.relu(torch.tensor(-1.)))\n") == (
        "tensor(2.) 2.0 tensor(0.)\n"
    )
