"""What can be reached of torch's modules and tensors is what torch has: nothing of the engine leaks."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import pytest

import gradcli.ops
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import UnsupportedError
from gradcli.script.library import modules
from gradcli.script.originals import torch_names
from gradcli.script.python.members.absence import known_names
from gradcli.script.python.values.attributes import Namespace, attribute
from gradcli.script.python.values.reflection import python_hasattr
from gradcli.script.torch.operations import facade
from gradcli.script.torch.tensor import attributes  # noqa: F401  those of tensors, which are to be looked at
from tests.script.running import ours, torchs

MODULES = [name for name in torch_names() if name.rpartition(".")[2].islower()]
PLACES = [f"gradcli.script.torch.{place}" for place in facade.FURTHER]
LEAKS = """
torch.resample
torch.entries
torch.conv3d_input
torch.select_backward
torch.apply_
torch.scaled_dot_product_attention
torch.ones(2).ln
torch.ones(2).power
torch.ones(2).stack
torch.ones(2).poisson
torch.ones(2).sum_
torch.ones(2).softmax_
torch.nn.functional.exp
torch.linalg.sin
torch.linalg.eye
torch.special.ln
"""
TRIED = "import torch\ntry:\n    {}\nexcept AttributeError as error:\n    print(error)\n"


@cache
def every_name() -> list[str]:
    """Names of operations and of primitives, in place too, of torch, and of what our own modules hold."""
    gradcli.ops.load()
    own = {*OPERATIONS, *REGISTRY, *(name for place in PLACES for name in vars(import_module(place)))}
    return sorted(own.union((f"{name}_" for name in own), *torch_names().values()))


def namespace(module: str) -> Any:
    found: Any = modules(None)
    for name in module.split("."):
        found = attribute(found, name)
    return found


@cache
def reached_of(module: str) -> set[str]:
    return check(namespace(module), module, f"module '{module}' has no attribute '{{}}'")


def check(value: Any, owner: str, missing: str) -> set[str]:
    """The names that can be reached; the others are torch's AttributeError, or are torch's and not supported here."""
    names = [name for name in every_name() if not name.startswith("_")]
    answers = {name: answer(value, name) for name in names}
    reached = {name for name in names if answers[name] == "there"}
    torchs = torch_names()[owner]
    assert reached <= torchs.intersection(names) == {name for name in names if python_hasattr(value, name)}
    for name in names:
        if name not in reached:
            assert answers[name] == ("not supported here" if name in torchs else missing.format(name))
    return reached


def answer(value: Any, name: str) -> str:
    """Whether an attribute is there, or the error that says so."""
    try:
        attribute(value, name)
    except UnsupportedError:
        return "not supported here"
    except AttributeError as error:
        return str(error)
    return "there"


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_no_name_that_torchs_has_not(module: str) -> None:
    value = namespace(module)
    assert isinstance(value, Namespace)
    members = {name for name in value.names if not name.startswith("_")}
    assert members <= torch_names()[module]
    reached_of(module)


def test_a_tensor_has_no_attribute_that_torchs_has_not() -> None:
    x = tensor([[1.0, 2.0], [3.0, 4.0]])
    reached = check(x, "torch.Tensor", "'Tensor' object has no attribute '{}'")
    assert len(reached) > 330
    assert known_names(x) <= torch_names()["torch.Tensor"]


@pytest.mark.parametrize("expression", LEAKS.strip().splitlines())
def test_what_torch_has_not_is_its_attribute_error(expression: str) -> None:
    text = TRIED.format(expression)
    assert ours(text) == torchs(text) != ""
