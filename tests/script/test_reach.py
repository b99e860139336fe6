"""What attributes lead to: from every value that a snippet starts with, name by name, nothing of Python is reached."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from types import FunctionType, MethodType
from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.interpreter import run
from gradcli.script.library import MODULES
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.attributes import attribute
from gradcli.script.python.values.kinds import Namespace, is_own_function
from gradcli.script.python.values.readonly import Held
from gradcli.script.python.values.special import is_settable
from gradcli.script.torch.nn.functional.module import KIND_OF
from gradcli.source import Source
from tests.script.canary import UNDRAWN, found_in, names_of
from tests.script.running import ours

DEPTH = 2  # attributes of attributes
VALUES = """
import torch, math, random, collections, functools, warnings, copy, dataclasses, sys, itertools, operator
import torch.nn as nn, numpy as np
class Own:
    kind = 1
    def method(self): return self
    @property
    def half(self): return 0.5
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)
    def forward(self, x): return self.inner(x)
class Wrong(Exception): pass
def function(x=1): return x
def generator():
    try: yield 1
    finally: pass
def caught(make):
    try: make()
    except Exception as error: return error
x = torch.ones(2, requires_grad=True)
y = (x * 2).sum()
layer = Layer()
sgd = torch.optim.SGD(layer.parameters(), lr=0.1)
with warnings.catch_warnings(record=True) as told:
    warnings.warn('x')
values = [
    1, 1.5, 'x', True, None, (), [1], {'a': 1}, {1}, range(3), slice(1), print, len, type, object, int, ...,
    function, lambda: 0, generator(), (i for i in ()), iter([]), zip(), map(print, []), [].append, 'x'.join,
    x, y, y.grad_fn, x.register_hook(print), x.shape, x.dtype, x.device, x.detach().numpy(), x.detach().numpy()[0],
    torch.max(torch.ones(2, 2), 0), torch.Generator(), torch.no_grad(), torch.finfo(torch.float32), torch.sum,
    layer, layer.inner, layer.forward, nn.Linear, nn.Module, Layer, sgd, sgd.state, sgd.step, torch.optim.SGD,
    torch.utils.data.DataLoader([1]), torch.autograd.Function, Own, Own(), Own().method, Own.half, Wrong, Wrong(1),
    caught(lambda: 1 / 0), caught(lambda: [].x), caught(lambda: torch.ones(2) @ torch.ones(3)), told[0],
    collections.deque(), collections.Counter(), collections.defaultdict(list), collections.namedtuple('P', 'a')(1),
    functools.partial(print), functools.lru_cache(function), itertools.count(), random.Random(), sys.stdout,
    np.ones(2), np.dtype('float32'), np.random.default_rng(), warnings.catch_warnings(), property(print),
    staticmethod(print), dataclasses.field(), super(Layer, layer),
]
"""


@cache
def reached() -> list[tuple[str, Any]]:
    return [*walked()]


def walked() -> Iterator[tuple[str, Any]]:
    """Every value that attributes lead to, with the way to it."""
    machine = Machine(Limits(), lambda text: None)
    run([Source(VALUES, "values.py")], machine)
    waiting = [(f"values[{n}]", value, 0) for n, value in enumerate(machine.globals["values"])]
    waiting += [(name, machine.modules.get(name), 0) for name in MODULES if name not in UNDRAWN]
    waiting += [(name, value, 0) for name, value in machine.builtins.items()]
    seen: set[Any] = set()
    while waiting:
        way, value, depth = waiting.pop()
        yield way, value
        key = value if isinstance(value, str | int | float | type(None)) else id(value)
        if key in seen or depth == DEPTH:
            continue
        seen.add(key)
        kept.append(value)
        for name in names_of(value):
            try:
                found = attribute(value, name)
            except Exception:
                continue
            waiting.append((f"{way}.{name}", found, depth + 1))


kept: list[Any] = []  # so that no id is given twice


@pytest.mark.slow
def test_attributes_lead_to_nothing_of_python() -> None:
    ways = reached()
    assert len(ways) > 2_000
    assert {way: found for way, value in ways if (found := found_in(value))} == {}
    made_of = ("__func__", "__wrapped__", "__globals__", "__code__", "__closure__", "__dict__", "__subclasses__")
    assert [way for way, value in ways if way.endswith(made_of) and not isinstance(value, Held)] == []


def test_no_module_has_anything_of_python() -> None:
    machine = Machine(Limits(), lambda text: None)
    run([Source("from torch.autograd.gradcheck import GradcheckError as e", "modules.py")], machine)
    assert found_in(machine.globals["e"]) == ""
    waiting = {name: machine.modules.get(name) for name in MODULES if name not in UNDRAWN}
    found, seen = dict[str, str](), dict[int, Any]()
    while waiting:
        way, module = waiting.popitem()
        seen[id(module)] = module
        for name in module.names:
            try:
                member = attribute(module, name)
            except UnsupportedError:  # a name that is recorded, and not here
                continue
            if isinstance(member, Namespace) and id(member) not in seen:
                waiting[f"{way}.{name}"] = member
            elif words := found_in(member):
                found[f"{way}.{name}"] = words
    assert len(seen) > 60
    assert found == {}


def changing() -> dict[int, tuple[str, Any]]:
    """Return the containers, and the objects whose attributes a snippet may set, that a run reaches."""
    found = [(way, value) for way, value in walked() if not isinstance(value, type)]
    kinds = (dict, list, set, Tensor, np.ndarray, Random)
    return {id(value): (way, value) for way, value in found if isinstance(value, kinds) or is_settable(value, "new")}


@pytest.mark.slow
def test_runs_share_nothing_that_changes() -> None:
    first, second = changing(), changing()  # both are held, so that no id is given twice
    shared = first.keys() & second.keys()
    assert {first[key][0] for key in shared if first[key][1] is second[key][1]} == set()


def own_name(value: Any) -> str:
    """The name of a function or class in Python's messages, where it is one that only gradcli knows."""
    if isinstance(value, type):
        return name if "gradcli." in (name := represent(value)) else ""
    function = value.__func__ if isinstance(value, MethodType) else value
    if not isinstance(function, FunctionType) or is_own_function(function):
        return ""
    return function.__qualname__ if "<" in function.__qualname__ else ""


@pytest.mark.slow
def test_names_are_those_that_snippets_know() -> None:
    """In Python's messages: `isfinite() missing 1 required positional argument: 'x'`."""
    found = {way: name for way, value in reached() if (name := own_name(value))}
    assert found == {}


def test_a_loss_in_a_message_is_named_as_it_was_called() -> None:
    calls = "".join(f"try: F.{name}(nothing=1)\nexcept Exception as e: print(e)\n" for name in KIND_OF)
    printed = ours(f"import torch.nn.functional as F\n{calls}")
    assert printed.count("\n") >= len(KIND_OF)
    assert "<locals>" not in printed
    assert "gradcli" not in printed
