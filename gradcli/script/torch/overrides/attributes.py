"""The attributes of tensors of a class that a snippet defines: those of the class, then those of torch's tensors.

They are kept apart from the Python class, so that the engine computes with its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MethodType
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.originals import torch_has
from gradcli.script.python.functions.looked import Looked
from gradcli.script.python.values import attributes, reflection, special
from gradcli.script.python.values.attributes import TABLES, Members
from gradcli.script.python.values.kinds import TYPES, BuiltinType
from gradcli.script.torch.tensor.owned import own_attributes

ALLOWED = (
    "__new__", "__init__", "__call__", "__repr__", "__str__", "__format__", "__enter__", "__exit__",
    "__torch_function__", "__init_subclass__",
)  # fmt: skip
KEPT = ("__module__", "__qualname__", "__doc__")
FOUND_BY_PYTHON = ("__torch_function__", "__new__", "__init__", "__init_subclass__")
ABSENT = object()


class TensorClass(type):
    """The class of what stands for torch's classes of tensors as a parent."""


class DefinedTensor(Looked, TensorClass):
    """The class of the classes of tensors that a snippet defines."""

    own: dict[str, Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        if len(bases) > 1:
            raise UnsupportedError("a class of tensors with another parent is not supported here")
        wrong = [key for key in namespace if special.is_special(key) and key not in {*ALLOWED, *KEPT, " fields"}]
        if wrong:
            raise UnsupportedError(f"a class of tensors that defines {wrong[0]} is not supported here")
        known = {key: value for key, value in namespace.items() if key in ALLOWED or key in KEPT}
        made = super().__new__(mcs, name, bases, {"__slots__": (), **known}, **options)
        type.__setattr__(made, " own", {k: v for k, v in namespace.items() if k not in known and k != " fields"})
        for key, value in vars(made)[" own"].items():
            if hasattr(type(value), "__set_name__"):
                type(value).__set_name__(value, made, key)
        return made

    def __setattr__(cls, name: str, value: Any) -> None:
        if special.is_special(name):
            raise UnsupportedError(f"setting {name} of a class of tensors is not supported here")
        vars(cls)[" own"][name] = value

    def __delattr__(cls, name: str) -> None:
        del vars(cls)[" own"][name]

    def holders(cls, after: type | None = None) -> Iterator[dict[str, Any]]:
        """Yield what each class of the snippet holds, from the last to the first, or those after one."""
        order = cls.__mro__[cls.__mro__.index(after) + 1 :] if after is not None else cls.__mro__
        for kind in order:
            if isinstance(kind, DefinedTensor):
                yield {**vars(kind)[" own"], **{name: vars(kind)[name] for name in ALLOWED if name in vars(kind)}}

    def held(cls, name: str, after: type | None = None) -> Any:
        return next((own[name] for own in cls.holders(after) if name in own), ABSENT)

    @property
    def standing(cls) -> BuiltinType:
        """The type of torch's that it derives from."""
        return next(TYPES[kind] for kind in cls.__mro__ if kind in TYPES)

    @property
    def members(cls) -> Members:
        return next(TABLES[kind] for kind in cls.__mro__ if kind in TABLES)

    def look(cls, value: Any, name: str) -> Any:
        found = cls.held(name)
        if found is not ABSENT and hasattr(type(found), "__set__"):
            return _bound(found, value, cls)
        held = own_attributes(value)
        if name in held:
            return held[name]
        if found is not ABSENT:
            return _bound(found, value, cls)
        return cls._of_torch(value, name)

    def _of_torch(cls, value: Any, name: str) -> Any:
        members = cls.members
        if name == "__class__":
            return cls
        if name in members.getters:
            return members.getters[name](value)
        if name in FOUND_BY_PYTHON:
            return getattr(value, name)
        method = members.methods.get(name) or members.find(name)
        if method is None:
            raise cls._absent(value, name)
        return MethodType(method, value)

    def look_in_class(cls, name: str) -> Any:
        if name in ("__name__", "__qualname__", "__module__", "__doc__") or name in FOUND_BY_PYTHON:
            return getattr(cls, name)
        if name in ("__mro__", "__bases__", "mro"):
            raise UnsupportedError("the classes above a class of tensors are not supported here")
        found = cls.held(name)
        return _bound(found, None, cls) if found is not ABSENT else attributes.attribute(cls.standing, name)

    def look_after(cls, value: Any, name: str) -> Any:
        target = value.__self__
        found = cls.held(name, value.__thisclass__)
        if found is not ABSENT:
            return _bound(found, None if isinstance(target, type) else target, cls)
        if name in FOUND_BY_PYTHON:
            return getattr(value, name)
        if isinstance(target, type):
            return attributes.attribute(cls.standing, name)
        return cls._of_torch(target, name)

    def put(cls, value: Any, name: str, new: Any) -> None:
        found, members = cls.held(name), cls.members
        if found is not ABSENT and hasattr(type(found), "__set__"):
            found.__set__(value, new)
        elif name in members.setters:
            members.setters[name](value, new)
        elif reflection.is_free(members, name):
            own_attributes(value)[name] = new
        else:
            raise UnsupportedError(f"setting {cls.__name__}.{name} is not supported here")

    def take(cls, value: Any, name: str) -> None:
        held, members = own_attributes(value), cls.members
        if name in held:
            del held[name]
        elif name in members.deleters:
            members.deleters[name](value)
        else:
            raise cls._absent(value, name)

    def _absent(cls, value: Any, name: str) -> Exception:
        if torch_has("torch.Tensor", name) or special.is_special(name):
            return UnsupportedError(f"{cls.__name__}.{name} is not supported here")
        return AttributeError(f"{cls.__name__!r} object has no attribute {name!r}", name=name, obj=value)


def _bound(found: Any, value: Any, kind: type) -> Any:
    get = getattr(type(found), "__get__", None)
    return get(found, value, kind) if get is not None else found
