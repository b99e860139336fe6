"""A run that overrides functions of torch: what its names lead to asks first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from types import FunctionType
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import Machine
from gradcli.script.python.functions.looked import Looked
from gradcli.script.python.text.formatting import FORMATS, REPRESENTATIONS, text
from gradcli.script.python.values import attributes
from gradcli.script.python.values.attributes import TABLES, Members
from gradcli.script.python.values.kinds import Namespace
from gradcli.script.torch.nn.base.parameter import Parameter, parameter_text
from gradcli.script.torch.overrides.classes import as_subclass, make_subclass
from gradcli.script.torch.overrides.dispatch import asked, flat, overridable, overrides
from gradcli.script.torch.overrides.forms import forms
from gradcli.script.torch.overrides.layers import forward
from gradcli.script.torch.overrides.written import WRITTEN, operation
from gradcli.script.torch.tensor.attributes import TENSOR
from gradcli.script.torch.tensor.printing import format_tensor, tensor_text


class Asking(Namespace):
    """A module of torch whose functions ask first."""

    def __init__(self, module: Namespace) -> None:
        super().__init__(module.name)
        self.module, self.original, self.hidden, self.live = module, module.original, module.hidden, module.live

    @property
    def names(self) -> set[str]:
        return self.module.names

    def get(self, name: str, *, imported: bool = False) -> Any:
        found = self.members.get(name)
        if found is None:
            found = self._asking(name, self.module.get(name, imported=imported))
            if name not in self.module.live:
                self.members[name] = found
        return found

    def _asking(self, name: str, found: Any) -> Any:
        path = f"{self.name}.{name}"
        if isinstance(found, Namespace):
            return Asking(found) if found.name.partition(".")[0] in ("torch", "operator") else found
        if self.name == "operator" and name.strip("_") in WRITTEN:
            return operation(name.strip("_"), found)
        if not isinstance(found, FunctionType) or self.name.partition(".")[0] != "torch":
            return found
        if path in forms() or self.name in CONVERTING or path in FURTHER:
            return found if name in ASKING_NOBODY.split() else overridable(path, found)
        return refusing(path, found)


CONVERTING = ("torch", "torch.nn.functional", "torch.linalg", "torch.special")
FURTHER = ("torch.autograd.grad", "torch.autograd.backward")
ASKING_NOBODY = (
    "is_tensor typename manual_seed is_grad_enabled get_default_dtype set_default_dtype "
    "set_printoptions _assert compile seed initial_seed"
)
OWN = ("torch.overrides", "torch._C", "torch.utils.hooks")


def refusing(path: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of which it is not known what it calls; it refuses tensors of classes of the snippet."""
    if path.startswith(OWN):
        return function

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        found = asked(flat(arguments, keywords))
        if found:
            raise UnsupportedError(f"{path} of a {type(found[0]).__name__} is not supported here")
        return function(*arguments, **keywords)

    return call


def table() -> Members:
    """Return the attributes of tensors, which ask first."""
    own = TABLES[Tensor]

    def find(name: str) -> Callable[..., Any] | None:
        method = own.methods.get(name) or own.find(name)
        return method and overridable(f"torch.Tensor.{name}", method)

    def of(action: str, tables: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
        return {
            name: overridable(f"torch.Tensor.{name}.__{action}__", _named(f"__{action}__", function))
            for name, function in tables.items()
            if name != "__class__"
        }

    return replace(
        own,
        methods={"as_subclass": as_subclass, "__repr__": overridable("torch.Tensor.__repr__", raw_text)},
        getters=of("get", own.getters) | {"__class__": own.getters["__class__"]},
        setters=of("set", own.setters),
        deleters=of("delete", own.deleters),
        find=find,
    )


def raw_text(x: Tensor, *, tensor_contents: Any = None) -> str:
    return parameter_text(x) if isinstance(x, Parameter) else tensor_text(x)


def shown(x: Tensor) -> str:
    """Return the text of a tensor, for which it may be asked."""
    return str(overridable("torch.Tensor.__repr__", raw_text)(x))


def shown_with(x: Tensor, spec: str = "") -> str:
    return str(overridable("torch.Tensor.__format__", raw_format)(x, spec))


def raw_format(x: Tensor, spec: str) -> str:
    """Format a single number as a number, but not one of a class: that has its text."""
    if not isinstance(type(x), Looked):
        return format_tensor(x, spec)
    if spec:
        raise TypeError(f"unsupported format string passed to {type(x).__name__}.__format__")
    return text(x)


def _named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        return function(*arguments)

    call.__name__ = name
    return call


@contextmanager
def overriding(machine: Machine) -> Iterator[None]:
    """Let the names of torch lead to functions that ask, for a while."""
    before, kinds = TABLES[Tensor], (Tensor, Parameter)
    texts: dict[type, Any] = {kind: REPRESENTATIONS[kind] for kind in kinds}
    formats = FORMATS[Tensor]
    REPRESENTATIONS.update(dict.fromkeys(texts, shown))
    FORMATS[Tensor] = shown_with
    TENSOR.members = {"_make_subclass": make_subclass}
    machine.is_in_mode = lambda: bool(overrides().modes)
    machine.modules, machine.forward, machine.has_module_hooks = Asking(machine.modules), forward, True
    TABLES[Tensor] = table()
    attributes.forget()
    try:
        yield
    finally:
        TABLES[Tensor], TENSOR.members, FORMATS[Tensor] = before, {}, formats
        REPRESENTATIONS.update(texts)
        attributes.forget()
