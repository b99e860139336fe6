"""Hostile items through every command that takes a text of strangers: none reaches a file, a secret or a process."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.served import served
from tests.programs import some

CANARY = "canary-5b1d"  # in a file, in a module and in the environment
START = "import torch, numpy as np\nfrom torch import nn\nx = torch.tensor(2.0, requires_grad=True)\n"
HOSTILE = {
    # files
    "open a file": "print(open('SECRET').read())",
    "open through numpy": "print(np.loadtxt('SECRET', dtype=str), np.fromfile('SECRET'), np.genfromtxt('SECRET'))",
    "memory map": "print(np.memmap('SECRET', dtype='u1')[:])",
    "load of torch": "print(torch.load('SECRET'))",
    "save of torch": "torch.save(torch.ones(2), 'WRITTEN')",
    "save of numpy": "np.save('WRITTEN', np.ones(2)); np.savetxt('WRITTEN', np.ones(2))",
    "a path reads": "import pathlib\nprint(pathlib.Path('SECRET').read_text())",
    "a path writes": "import pathlib\npathlib.Path('WRITTEN').write_text('x')",
    "linecache": "import linecache\nprint(linecache.getline('SECRET', 1))",
    "a module of the folder": "import secret_module\nprint(secret_module.VALUE)",
    "fileinput": "import fileinput\nprint(list(fileinput.input('SECRET')))",
    "print to a file": "print('x', file=open('WRITTEN', 'w'))",
    "argparse reads arguments from a file": "import argparse\n"
    "p = argparse.ArgumentParser(fromfile_prefix_chars='@')\n"
    "p.add_argument('--x')\nprint(p.parse_args(['@SECRET']))",
    "a type of argparse opens": "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('f', type=argparse.FileType('r'))\nprint(p.parse_args(['SECRET']).f.read())",
    "logging to a file": "import logging\nlogging.basicConfig(filename='WRITTEN', level=10)\nlogging.info('x')",
    # environment and processes
    "the environment": "import os\nprint(os.environ, os.getenv('CI_SECRET'), dict(os.environ))",
    "expand variables": "import os\nprint(os.path.expandvars('$CI_SECRET'), os.path.expanduser('~'))",
    "/proc": "print(open('/proc/self/environ').read(), open('/proc/self/maps').read())",
    "a socket": "import socket\nsocket.create_connection(('127.0.0.1', 9))",
    "an address": "import urllib.request\nprint(urllib.request.urlopen('file://SECRET').read())",
    "torch.hub": "torch.hub.load('SECRET', 'x', source='local')",
    "a shell": "import os\nos.system('cat SECRET; touch WRITTEN')",
    "subprocess": "import subprocess\nprint(subprocess.run(['cat', 'SECRET'], capture_output=True).stdout)",
    "fork": "import os\nwhile True: os.fork()",
    "signals": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "threads": "import threading\nthreading.Thread(target=print, args=('x',)).start()",
    "multiprocessing": "import multiprocessing\nmultiprocessing.Process(target=print).start()",
    "workers of a loader": "from torch.utils.data import DataLoader\n"
    "print(list(DataLoader([1, 2], num_workers=2, multiprocessing_context='fork')))",
    # resources
    "memory": "a = [torch.ones(1000, 1000) for _ in range(10**6)]",
    "a long text": "s = 'x'\nwhile True: s += s",
    "a large number": "print(9**9**9)",
    "a large shape": "print(torch.zeros(10**6, 10**6, 10**6).sum())",
    "endless output": "while True: print('x' * 10**6)",
    "endless output on one line": "while True: print('x' * 1000, end='')",
    "recursion": "def f(n): return f(n + 1)\nf(0)",
    "recursion in a comparison": "a = []\na.append(a)\nb = []\nb.append(b)\nprint(a == b)",
    "a deep value": "a = []\nfor _ in range(10**6): a = [a]\nprint(a)",
    "a regular expression": "import re\nprint(re.match('(a+)+$', 'a' * 100 + 'b'))",
    "a width": "print(f'{1:{10**9}}', '%1000000000d' % 1)",
    # what comes back
    "nan in frames": "x.register_hook(lambda g: g * float('nan'))\n(x * float('inf')).backward()\nprint(x.grad)",
    "controls": "print('\\x1b]0;SECRET\\x07\\x1b[2J\\x9b31m\\0\\x07')",
    "surrogates": "print('\\ud800')\nraise ValueError('\\udfff')",
    "frames of a pipe": "print('\\0\\0\\0\\0\\7\\1\\0\\0\\0' * 100, end='')",
    "an exit code": "import sys\nsys.exit(10**30)",
    "an exit text": "raise SystemExit('\\x1b[31mSECRET')",
    # the way to Python
    "subclasses": "print(().__class__.__base__.__subclasses__())",
    "globals of a function": "print(torch.relu.__globals__, (lambda: 0).__code__, print.__self__)",
    "a traceback": "try: 1 / 0\nexcept Exception as e: print(e.__traceback__.tb_frame.f_back.f_globals)",
    "a frame of a generator": "g = (i for i in [1])\nprint(g.gi_frame.f_builtins)",
    "code generation": "from dataclasses import make_dataclass\n"
    "make_dataclass('X', [('a', 'print(open(\"SECRET\").read())')])",
    "annotations": "import typing\ndef f(x: 'open(\"SECRET\").read()'): pass\nprint(typing.get_type_hints(f))",
    "a named tuple": "from collections import namedtuple\nnamedtuple('X', 'a, b=open(\"WRITTEN\", \"w\")')",
    "eval and exec": 'eval(\'__import__("os").system("touch WRITTEN")\')',
    "compile": "exec(compile('open(\"WRITTEN\", \"w\")', 'x', 'exec'))",
    "pickle": "import pickle\nclass E:\n    def __reduce__(self): return open, ('WRITTEN', 'w')\n"
    "pickle.loads(pickle.dumps(E()))",
    "a format": "print('{0.__class__.__init__.__globals__}'.format(torch.nn.Linear(1, 1)))",
    "a format of a class": "class F(str):\n"
    "    def __format__(self, spec): return spec.__class__.__mro__[1].__subclasses__()\n"
    "print(f'{F():x}')",
    "an equality": "got = []\nclass E:\n    def __eq__(self, o): got.append(o); return True\n"
    "    def __hash__(self): return 1\n"
    "{E(): 1} == {1: E()}; x == E(); E() in [torch, nn]\nprint([g.__class__.__mro__ for g in got])",
    "an item of a class": "class C:\n    def __class_getitem__(cls, k): return k.__globals__\nprint(C[torch.relu])",
    "a method without its object": "nn.Module.__setattr__(torch, 'relu', print)\n"
    "print(nn.Module.__getattr__(int, '__dict__'))",
    "super of a façade": "class L(nn.Linear):\n    def __init__(self): super().__init__(1, 1)\n"
    "    def __getattribute__(self, n): return object.__getattribute__(self, n)\n"
    "print(L().__class__.__mro__[-1].__subclasses__())",
    "set a class": "class A: pass\na = A()\na.__class__ = nn.Linear\nprint(a.__dict__.__class__.__mro__)",
    "a descriptor": "class D:\n    def __get__(self, o, k): return k.__base__.__subclasses__()\nclass C:\n"
    "    d = D()\nprint(C.d)",
    "a metaclass": "class M(type):\n    def __call__(cls, *a): return cls.__mro__\nclass C(metaclass=M): pass\n"
    "print(C()[1].__subclasses__())",
    "a hook of a module": "m = nn.Linear(1, 1)\n"
    "m.register_forward_hook(lambda *a: print([v.__init__.__globals__ for v in a]))\nm(torch.ones(1))",
    "a function of autograd": "class F(torch.autograd.Function):\n    @staticmethod\n"
    "    def forward(ctx, x): return ctx.__class__.__mro__\n"
    "print(F.apply(x)[-1].__subclasses__())",
    "a buffer": "print(bytes(memoryview(np.ones(3)))); print(torch.ones(2).numpy().__array_interface__)",
    "ctypes": "import ctypes\nprint(ctypes.string_at(id(1), 100))",
    "garbage": "import gc\nprint(gc.get_objects())",
    "modules": "import sys\nprint(sys.modules['os'].environ, sys._getframe())",
    "builtins": "import builtins\nprint(builtins.__dict__['open']('SECRET').read())",
    "importlib": "import importlib\nprint(importlib.import_module('os').environ)",
    "inspect": "import inspect\nprint(inspect.currentframe().f_back, inspect.getsource(torch.relu))",
}

OF_PYTHON = (  # what only Python has
    CANARY, "<frame ", "BuiltinImporter", "os._Environ", "<code object", "wrapper_descriptor", "site-packages",
    "_frozen_importlib", "__builtins__", "<class 'object'>, <class", "Traceback", "a bug in gradcli",
)  # fmt: skip


def command_lines(text: str) -> Iterator[tuple[list[str], str]]:
    """Each command with what it reads from standard input."""
    yield ["run", "-", "--timeout", "0.5", "--max-memory", "300M", "--max-output", "1M"], text
    yield ["why", "-", "--timeout", "0.5", "--max-memory", "300M"], text
    limits = ["--item-timeout", "0.3", "--item-memory", "300M"]
    yield ["check", "-", "ada.txt", *limits], week_of(text)
    yield ["check", "--key", "week.toml", *limits], ""
    yield ["check", "week.toml", "--report", "gift", *limits], ""
    yield ["practice", "week.toml", *limits], "1\n?\n\n1\n"
    records = [
        {"program": text, "at": {"x": 2}},
        {"program": "y = x", "at": {"x": text}},
        {"program": "x", "at": {text: 1}},
    ]
    yield ["batch", "--each", *limits], "\n".join(map(json.dumps, records))


def week_of(text: str) -> str:
    return f"[[question]]\nid = 'q'\nscript = {json.dumps(text)}\nask = ['x.grad', {{ quantity = 'printed' }}]\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", some(HOSTILE, 6))
def test_a_hostile_item_reaches_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.txt").write_text(CANARY)
    (tmp_path / "secret_module.py").write_text(f"VALUE = '{CANARY}'")
    (tmp_path / "ada.txt").write_text("[q]\nx.grad = 1\n")
    text = HOSTILE[name].replace("SECRET", str(tmp_path / "secret.txt")).replace("WRITTEN", str(tmp_path / "written"))
    text = f"{START}{text}\n"
    (tmp_path / "week.toml").write_text(week_of(text), encoding="utf-8")
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    for arguments, given in command_lines(text):
        done = subprocess.run(
            [*served(), *arguments], cwd=tmp_path, input=given.encode("utf-8", "surrogatepass"), capture_output=True,
            check=False, timeout=60, env={**os.environ, "CI_SECRET": CANARY},
        )  # fmt: skip
        told = (done.stdout + done.stderr).decode("utf-8", "replace")
        assert not [one for one in OF_PYTHON if one in told], f"{arguments[0]}: {told[-1500:]}"
        assert done.returncode in (0, 1, 2, 3, 4), f"{arguments[0]}: {told[-500:]}"
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
