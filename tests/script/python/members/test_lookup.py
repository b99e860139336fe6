"""Attributes are read from tables: no name of a snippet reaches Python's own `getattr`, but where a reason is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import gradcli.script
from gradcli.script.library import MODULES
from gradcli.script.python.members.lookup import shown_members
from gradcli.script.python.values.kinds import Defined, Facade
from gradcli.script.python.values.parents import parent
from gradcli.script.python.values.special import BUILTIN
from tests.script.running import ours

FOLDER = Path(gradcli.script.__file__).parent
READERS = {"getattr": 1, "setattr": 1, "hasattr": 1, "delattr": 1, "attrgetter": 0, "methodcaller": 0}
OWN = "the object is one of a snippet's class: it is the snippet's own, or in a table of ours, as a test below shows"
LISTED = "the names are those of a list in the file"
OURS = "the names are those of a table or signature of ours"
REVIEWED = {
    "python/values/attributes.py attribute": OWN,
    "python/functions/calls.py callable_of": OWN,
    "python/syntax/expressions.py evaluate": OWN,
    "python/syntax/statements.py attribute_changed": OWN,
    "python/syntax/targets.py store": OWN,
    "python/values/reflection.py set_attribute": "set where `is_settable` lets the snippet",
    "python/values/reflection.py delete_attribute": "deleted where `is_settable` lets the snippet",
    "python/values/failures.py set_attribute": "an exception, by a plain name: Python checks what it needs itself",
    "python/members/tables.py": "tables of kinds of values are made, once",
    "python/members/reserved.py reserved_in": "a constant",
    "python/syntax/scopes.py mangle": "a field of a node of the syntax",
    "python/values/builtins.py builtins": LISTED,
    "python/values/natives.py call": LISTED,
    "python/values/parents.py _inherited": "what Python's own type has is refused or measured, name by name",
    "stdlib/callables.py __init__": LISTED,
    "numpy/": OURS,
    "torch/": OURS,
}


def readers() -> Iterator[str]:
    """Yield the files and functions in which attributes are read or set by names that are no literals."""
    for path in sorted(FOLDER.rglob("*.py")):
        waiting: list[tuple[ast.AST, str]] = [(ast.parse(path.read_text("utf-8")), "")]
        while waiting:
            node, within = waiting.pop()
            if isinstance(node, ast.FunctionDef):
                within = node.name
            if isinstance(node, ast.Call) and within:  # else it is done once, as the file is imported
                word = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                names = node.args[READERS[word] :][:1] if word in READERS else []
                if not all(isinstance(name, ast.Constant) for name in names):
                    yield f"{path.relative_to(FOLDER).as_posix()} {within}"
            waiting += [(child, within) for child in ast.iter_child_nodes(node)]


def test_each_reader_by_name_has_a_reason() -> None:
    places = set(readers())
    assert [place for place in places if not place.startswith(tuple(REVIEWED))] == []
    assert [place for place in REVIEWED if not any(found.startswith(place) for found in places)] == []


def test_what_a_snippet_derives_from_shows_what_is_in_tables_alone() -> None:
    """So a plain name of such an object leads to what is the snippet's own, or in a table."""
    for module in MODULES.values():
        import_module(module)
    ours("from torch import nn\n" + "".join(f"nn.{name}\n" for name in ("Linear", "Conv2d", "LSTM", "Transformer")))
    waiting, seen = [Facade, *map(parent, BUILTIN)], set[type]()
    while waiting:
        kind = waiting.pop()
        seen.add(kind)
        if isinstance(kind, Defined):  # of the snippet of another test
            continue
        waiting += [below for below in type.__subclasses__(kind) if below not in seen]
        named = {name for base in kind.__mro__ for name in shown_members(base)}
        assert {name for name in dir(kind) if name[0] != "_"} <= named, kind
    assert len(seen) > 80


DERIVED = """
import torch
from torch import nn
class Above:
    kind = 'above'
    def train(self, mode=True): return 'mine'
class Net(Above, nn.Linear):
    @property
    def half(self): return self.in_features / 2
    @classmethod
    def made(cls): return cls.__name__
    def double(self): return 2 * self.in_features
    def eval(self): return super().eval()
    def __getattr__(self, name): return super().__getattr__(name) if name != 'more' else 7
net = Net(2, 1)
net.double = lambda: 'own'
net.forward = lambda x: 'forward'
"""


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        ("net.half, net.made(), Net.made()", "1.0 Net Net"),
        ("net.double(), Net.double(net)", "own 4"),
        ("net.train(), net.kind, super(Net, net).eval()", "mine above mine"),
        ("net.forward(1), net.more, net.weight.shape", "forward 7 torch.Size([1, 2])"),
        ("nn.Linear.train(net) is net, Net.kind, Net.half.fget(net)", "Error"),
    ],
)
def test_what_derives_from_ours_has_its_attributes_in_the_order_of_python(expression: str, printed: str) -> None:
    assert ours(f"{DERIVED}print({expression})\n").startswith(printed)
