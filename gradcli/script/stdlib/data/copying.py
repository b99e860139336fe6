"""`copy`: of containers, tensors and objects; functions, types and modules stay as they are."""

from __future__ import annotations

from collections import deque
from pickle import PicklingError
from types import MemberDescriptorType, MethodType
from typing import Any

import numpy as np

from gradcli.engine.graph import AccumulateGrad, Unversioned
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.python.values.kinds import Defined, is_own_function

NON_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)
CONTAINERS = (list, dict, set, deque)
SAME = (int, float, str, tuple)

Memo = dict[int, Any]


class Saved(Memo):
    """The memo of a copy that leaves graphs and gradients behind, as a file does.

    What Python cannot find by its name it cannot save: AttributeError, PicklingError for a lambda of the module.
    """

    def check(self, value: Any) -> None:
        if not (is_own_function(value) or isinstance(value, Defined)):
            return
        if "<locals>" in value.__qualname__:
            raise AttributeError(f"Can't pickle local object {value.__qualname__!r}")
        if value.__name__ == "<lambda>":
            raise PicklingError(f"Can't pickle {value!r}: attribute lookup <lambda> on __main__ failed")


def copy(value: Any) -> Any:
    """Return a new container or object with the same items; of a tensor, another on the same memory."""
    if isinstance(value, Facade):
        return _object(value)
    if isinstance(value, (*CONTAINERS, np.ndarray)):
        copied = value.copy()
        if hasattr(value, "__dict__"):
            vars(copied).update(vars(value))
        return copied
    if isinstance(value, Tensor):
        copy_method = getattr(type(value), "__copy__", None)
        result = _made(value.array, value) if copy_method is None else copy_method(value)
        if hasattr(value, "snippet_attributes"):
            result.snippet_attributes = dict(value.snippet_attributes)
        return result
    return value


def _made(memory: Any, value: Tensor) -> Tensor:
    """Make a leaf as torch makes a copy, which counts as a change of it."""
    leaf = Tensor(memory)
    leaf.history = Unversioned() if mode.inference else [0]
    if value.requires_grad:
        leaf.node = AccumulateGrad(leaf)
    return leaf


def _object(value: Any) -> Any:
    """Copy an object of a class; numbers, texts and members of enumerations stay as they are."""
    if isinstance(value, SAME) or hasattr(type(value), "__deepcopy__"):
        return value
    result = _bare(value)
    for name, item in _attributes(value):
        _hold(result, name, item)
    for item in _taken(value) if isinstance(value, CONTAINERS) else ():
        _put(result, item)
    return result


def _attributes(value: Any) -> list[tuple[str, Any]]:
    """Return the attributes of an object, in slots or in its `__dict__`."""
    class_items = [item for kind in reversed(type(value).__mro__) for item in vars(kind).items()]
    slots = {name: slot for name, slot in class_items if isinstance(slot, MemberDescriptorType)}
    held = [(name, slot.__get__(value)) for name, slot in slots.items() if _is_filled(slot, value)]
    return [*held, *getattr(value, "__dict__", {}).items()]


def _is_filled(slot: MemberDescriptorType, value: Any) -> bool:
    try:
        slot.__get__(value)
    except AttributeError:
        return False
    return True


def _hold(owner: Any, name: str, item: Any) -> None:
    """Set an attribute, past the `__setattr__` of the class."""
    if any(isinstance(vars(base).get(name), MemberDescriptorType) for base in type(owner).__mro__):
        object.__setattr__(owner, name, item)
    else:
        vars(owner)[name] = item


def deepcopy(x: Any, memo: Any = None) -> Any:
    """Copy a value with everything inside; an object that appears twice is copied once."""
    return _deepcopy(x, memo if isinstance(memo, Saved) else {})  # a memo of the snippet: its keys are no ids of ours


def _deepcopy(value: Any, memo: Memo) -> Any:
    if id(value) in memo:
        return memo[id(value)]
    running.machine.budget.spend(1)
    if isinstance(memo, Saved):
        memo.check(type(value) if isinstance(type(value), Defined) else value)
    if isinstance(value, tuple):
        return _tuple(value, memo)
    copy_method = getattr(type(value), "__deepcopy__", None)
    copied: Any
    if isinstance(value, Tensor) and copy_method is None:
        copied = memo[id(value)] = _tensor(value, memo)
    elif isinstance(value, np.ndarray):
        copied = memo[id(value)] = value.copy()
    elif isinstance(value, Facade | Tensor) and copy_method is not None:
        copied = memo[id(value)] = copy_method(value, memo)
    elif isinstance(value, Facade):
        copied = memo[id(value)] = _object(value)
        for name, item in [] if copied is value else _attributes(copied):
            _hold(copied, name, _deepcopy(item, memo))
        if isinstance(value, CONTAINERS):
            _refill(copied, memo)
    elif isinstance(value, CONTAINERS):
        copied = memo[id(value)] = value.copy()
        _refill(copied, memo)
        if hasattr(value, "__dict__"):
            vars(copied).update(_deepcopy(vars(value), memo))
    elif isinstance(value, MethodType):
        copied = MethodType(value.__func__, _deepcopy(value.__self__, memo))
    else:
        copied = value
    memo[-id(value)] = value  # keep the value alive, so that its id is not used again
    return copied


def _bare(value: Facade) -> Any:
    kind: Any = next((kind for kind in CONTAINERS if isinstance(value, kind)), object)
    return kind.__new__(type(value))


def _tuple(value: tuple[Any, ...], memo: Memo) -> Any:
    items = []
    for item in value:
        items.append(_deepcopy(item, memo))  # noqa: PERF401  a comprehension would take one more frame a level
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    return tuple.__new__(type(value), items)


def _refill(copied: Any, memo: Memo) -> None:
    """Put copies in the place of the items of a copied container."""
    items = _taken(copied)
    copied.clear()
    for item in items:
        _put(
            copied, tuple(_deepcopy(part, memo) for part in item) if isinstance(copied, dict) else _deepcopy(item, memo)
        )


def _taken(value: Any) -> list[Any]:
    return list(value.items() if isinstance(value, dict) else value)


def _put(container: Any, item: Any) -> None:
    """Add an item by the method of the container's class."""
    if isinstance(container, dict):
        container[item[0]] = item[1]
    else:
        container.add(item) if isinstance(container, set) else container.append(item)


def _tensor(value: Tensor, memo: Memo) -> Tensor:
    """Copy a leaf with numbers of its own, and its gradient."""
    if not value.is_leaf and not isinstance(memo, Saved):
        raise AutogradError(NON_LEAF)
    copied = _made(_memory(value.value, memo), value)
    copied.grad = None if isinstance(memo, Saved) else _deepcopy(value.grad, memo)
    if hasattr(value, "snippet_attributes"):
        memo[id(value)] = copied
        copied.snippet_attributes = {name: _deepcopy(item, memo) for name, item in value.snippet_attributes.items()}
    return copied


def _memory(array: Any, memo: Memo) -> Any:
    """Copy the memory of a tensor once: tensors that share it share the copy."""
    root = array
    while isinstance(root, np.ndarray) and isinstance(root.base, np.ndarray):
        root = root.base
    if root is array and not isinstance(array, np.ndarray):
        return array.copy()
    if ~id(root) not in memo:
        memo[~id(root)] = root, root.copy(order="K")
    copied = memo[~id(root)][1]
    if copied.strides != root.strides:
        return array.copy()
    first = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, copied, first, array.strides) if array.size else array.copy()


def namespace(name: str) -> Namespace:
    """`copy`."""
    return Namespace(name, {"copy": copy, "deepcopy": deepcopy})
