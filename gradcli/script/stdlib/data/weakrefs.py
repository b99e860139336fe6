"""`weakref` and `gc`: objects that are looked at, not held; here those are gone that are gone in Python and torch."""

from __future__ import annotations

import gc
import weakref
from collections import Counter, OrderedDict
from types import FunctionType, GeneratorType
from typing import Any

from gradcli.engine.graph import Handle, Hookable
from gradcli.engine.memory import lifetimes
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.python.values.kinds import BuiltinType, Defined, is_own_function, type_of
from gradcli.script.stdlib.data.nested import Deque
from gradcli.script.torch.autograd.checkpoints.settings import Settings
from gradcli.script.torch.autograd.context import Context
from gradcli.script.torch.autograd.custom import Call

FREE = (Tensor, Handle, Context, GeneratorType, set, frozenset, OrderedDict, Counter, Deque)
lifetimes.PAIRS[Context] = "_node"
lifetimes.HOLDERS[Call] = Call.let_go
HELD = (int, float, complex, str, bytes, tuple, list, dict, range, slice, type(None), BaseException)


EXPLAINED = "run it without the explanation, which holds all that it shows"


class ref(Facade):  # noqa: N801  Python's name
    """`weakref.ref(x)`: called, it gives the object, or None when that is gone."""

    def __init__(self, target: Any, callback: Any = None) -> None:
        if callback is not None:
            raise UnsupportedError("a callback of weakref.ref is not supported here")
        if running.machine.timeline is not None:
            raise UnsupportedError("looking at what is gone is not supported here", help=EXPLAINED)
        if running.machine.own(Settings).inside:
            raise UnsupportedError("a weak reference inside of a checkpoint is not supported here")  # may live longer
        _check(target)
        self._ref = weakref.ref(target)

    def __call__(self) -> Any:
        """Return the object, or None."""
        if self._ref() is not None:
            lifetimes.drop()
        return self._ref()

    def __repr__(self) -> str:
        target = self()
        if target is None:
            return f"<weakref at {id(self):#x}; dead>"
        named = f" ({target.__name__})" if isinstance(target, FunctionType) else ""
        return f"<weakref at {id(self):#x}; to '{_kind(target)}' at {id(target):#x}{named}>"

    def __eq__(self, other: object) -> Any:
        return self._ref == other._ref if isinstance(other, ref) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._ref)


ref.__module__, ref.__name__, ref.__qualname__ = "weakref", "ReferenceType", "ReferenceType"


def _kind(target: Any) -> str:
    kind = type_of(target)
    if not isinstance(kind, BuiltinType):
        return str(kind.__name__)
    outside = kind.module in ("torch", "collections") and not isinstance(target, Tensor)
    return f"{kind.module}.{kind.name}" if outside else kind.name


def _check(target: Any) -> None:
    """Raise TypeError for what Python and torch refer to strongly alone, UnsupportedError for what is unknown."""
    ours = isinstance(target, Facade) and not isinstance(type_of(target), BuiltinType)
    free = ours or isinstance(target, (*FREE, Defined))
    if free or is_own_function(target):
        return
    if isinstance(target, (*HELD, Hookable)):
        raise TypeError(f"cannot create weak reference to {_kind(target)!r} object")
    raise UnsupportedError(f"a weak reference to {_kind(target)} is not supported here")


class WeakTensorRef(Facade):
    """`torch._C._WeakTensorRef`, which tells whether a tensor is gone."""

    def __init__(self, x: Tensor) -> None:
        self._ref = ref(x)

    def expired(self) -> bool:
        """Return whether the tensor is gone."""
        return self._ref() is None


class Collector:
    """Whether the snippet lets garbage be collected."""

    enabled = True


def collect(generation: int = 2) -> int:
    """`gc.collect`: let go what only refers to itself, too."""
    if running.machine.timeline is None:
        lifetimes.drop()
        gc.collect()
    return 0


def switch(enabled: bool) -> None:
    running.machine.own(Collector).enabled = enabled


def namespace(name: str) -> Namespace:
    """`weakref` or `gc`."""
    running.machine.looks = True
    if name == "weakref":
        return Namespace(name, {"ref": ref, "ReferenceType": ref})
    return Namespace(
        name,
        {
            "collect": collect,
            "enable": lambda: switch(True),
            "disable": lambda: switch(False),
            "isenabled": lambda: running.machine.own(Collector).enabled,
        },
    )
