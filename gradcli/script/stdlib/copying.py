"""`copy`: of containers, tensors and objects; functions, types and modules are what they are."""

from __future__ import annotations

from collections import deque
from types import MethodType
from typing import Any

import numpy as np

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.python.attributes import Facade, Namespace

NON_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)
CONTAINERS = (list, dict, set, deque)

Memo = dict[int, Any]


def copy(value: Any) -> Any:
    """A new container or object with the same things inside; of a tensor, another on the same memory."""
    if isinstance(value, (*CONTAINERS, np.ndarray)):
        return value.copy()
    if isinstance(value, Tensor):
        alias = value.detach()
        return alias.requires_grad_() if value.requires_grad and value.is_leaf else alias
    if isinstance(value, Facade):
        made = _bare(value)
        vars(made).update(vars(value))
        return made
    return value


def deepcopy(value: Any, memo: Memo | None = None) -> Any:
    """A copy of everything inside; what appears twice is copied once."""
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)]
    running.machine.budget.spend(1)
    if isinstance(value, tuple):
        return _tuple(value, memo)
    own = getattr(type(value), "__deepcopy__", None)
    copied: Any
    if isinstance(value, Tensor) and own is None:
        copied = memo[id(value)] = _tensor(value, memo)
    elif isinstance(value, np.ndarray):
        copied = memo[id(value)] = value.copy()
    elif isinstance(value, Facade | Tensor) and own is not None:
        copied = memo[id(value)] = own(value, memo)
    elif isinstance(value, CONTAINERS):
        copied = memo[id(value)] = value.copy()
        _refill(copied, memo)
    elif isinstance(value, Facade):
        copied = memo[id(value)] = _bare(value)
        for name, item in vars(value).items():
            vars(copied)[name] = deepcopy(item, memo)
    elif isinstance(value, MethodType):
        copied = MethodType(value.__func__, deepcopy(value.__self__, memo))
    else:
        copied = value
    memo[-id(value)] = value  # keep it, for its id must not be given to another
    return copied


def _bare(value: Facade) -> Any:
    return object.__new__(type(value))


def _tuple(value: tuple[Any, ...], memo: Memo) -> Any:
    items = []
    for item in value:
        items.append(deepcopy(item, memo))  # noqa: PERF401  a comprehension would take one more frame a level
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    kind: Any = type(value)
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def _refill(copied: Any, memo: Memo) -> None:
    """Put copies in the place of what a copied container holds."""
    if isinstance(copied, dict):
        pairs = list(copied.items())
        copied.clear()
        for key, item in pairs:
            copied[deepcopy(key, memo)] = deepcopy(item, memo)
        return
    items = list(copied)
    copied.clear()
    for item in items:
        copied.add(deepcopy(item, memo)) if isinstance(copied, set) else copied.append(deepcopy(item, memo))


def _tensor(value: Tensor, memo: Memo) -> Tensor:
    """A leaf with numbers of its own, and its gradient."""
    if not value.is_leaf:
        raise AutogradError(NON_LEAF)
    copied = Tensor(value.value.copy())
    if value.requires_grad:
        copied.node = AccumulateGrad(copied)
    copied.grad = deepcopy(value.grad, memo)
    return copied


def namespace(name: str) -> Namespace:
    """`copy`."""
    return Namespace(name, {"copy": copy, "deepcopy": deepcopy})
