"""The classes of a snippet that derive from `torch.Tensor` or `nn.Parameter`, and the default rule of their results."""

from __future__ import annotations

from typing import Any

from gradcli.engine.memory.views import View, is_view
from gradcli.engine.modes import mode
from gradcli.engine.operators import FUNCTIONS
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.functions.classes import MARKED, STANDING
from gradcli.script.python.values.kinds import Facade, python_types
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.base.parameter import construct as construct_parameter
from gradcli.script.torch.operations.readers import kind_name
from gradcli.script.torch.overrides.attributes import DefinedTensor, TensorClass
from gradcli.script.torch.overrides.dispatch import disabled, overrides
from gradcli.script.torch.overrides.operators import Operators
from gradcli.script.torch.tensor.dtypes import BY_NUMPY
from gradcli.script.torch.tensor.legacy import construct

UNWRAPPED = ("torch.Tensor.grad.__get__", "torch.Tensor._base.__get__", "torch.Tensor._grad.__get__")
COPIED = "copying a tensor of a class of your own is not supported here"
_node: Any = Tensor.__dict__["node"]


class Subclass(Operators, View, Facade, metaclass=TensorClass):  # type: ignore[misc]
    """What stands for `torch.Tensor` as a parent. Results are views of a tensor; what is made from numbers has none."""

    __slots__ = ()

    def __new__(cls, *data: Any, **keywords: Any) -> Any:
        if len(data) == 1 and isinstance(data[0], Tensor) and not keywords:
            return as_subclass(data[0], cls)
        return dressed(construct(data, BY_NUMPY[mode.default_dtype], **keywords), cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        """Do nothing: it is made."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the function without asking, and give its results this class, unless another is not a parent of it."""
        if not all(issubclass(cls, python_types(kind)) for kind in types):
            return NotImplemented
        with disabled():
            result = func(*args, **(kwargs or {}))
        return result if overrides().paths.get(func) in UNWRAPPED else converted(result, cls)

    @property
    def node(self) -> Any:
        return View.__dict__["node"].__get__(self) if is_view(self) else _node.__get__(self)

    @node.setter
    def node(self, node: Any) -> None:
        _node.__set__(self, node)

    @property
    def requires_grad(self) -> bool:
        return _node.__get__(self) is not None or (is_view(self) and self.base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, required: bool) -> None:
        Tensor.__dict__["requires_grad"].__set__(self, required)

    @property
    def is_unrecorded(self) -> bool:  # type: ignore[override]
        return is_view(self) and bool(View.__dict__["is_unrecorded"].__get__(self))

    def __copy__(self) -> Any:
        raise UnsupportedError(COPIED)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise UnsupportedError(COPIED)


class ParameterSubclass(Parameter, Facade, metaclass=TensorClass):
    """What stands for `nn.Parameter` as a parent: results are plain tensors."""

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        made = object.__new__(cls)
        Parameter.__init__(made, construct_parameter(data, requires_grad), requires_grad)
        return made

    def __init__(self, *_: Any, **__: Any) -> None:
        """Do nothing: it is made."""

    def __copy__(self) -> Any:
        raise UnsupportedError(COPIED)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise UnsupportedError(COPIED)


def standing(found: type) -> type:
    """Return what stands for a class of tensors as a parent, in a run that overrides."""
    if not running.machine.overrides:
        raise UnsupportedError("a class of tensors by this name is not supported", help="write class T(torch.Tensor):")
    if running.machine.timeline is not None:
        raise UnsupportedError("a class of tensors is not supported here", help="run it without the explanation")
    return found


MARKED[TensorClass] = DefinedTensor
STANDING |= {Tensor: lambda: standing(Subclass), Parameter: lambda: standing(ParameterSubclass)}


def dressed(x: Tensor, cls: type) -> Any:
    """Return a tensor as one of a class; the new one takes its place."""
    made: Any = object.__new__(cls)
    made.value, made.history, made._grad = x.value, x.history, None
    made.base = None
    if is_view(x):
        made.base, made.path, made.origin, made._known = x.base, x.path, x.origin, x._known
    _node.__set__(made, _node.__get__(x))
    return made


def as_subclass(x: Tensor, cls: Any) -> Any:
    """`x.as_subclass(cls)`: a view of the whole tensor."""
    (python,) = python_types(cls)
    if not issubclass(python, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
            "class inherits from Tensor."
        )
    if issubclass(python, Parameter):
        raise UnsupportedError("as_subclass of a class of parameters is not supported here")
    with disabled():
        alias = FUNCTIONS["apply"](REGISTRY["alias"], (x,), {})
    return dressed(alias, python) if issubclass(python, Subclass) else alias


def make_subclass(cls: Any, data: Any, require_grad: bool = False) -> Any:
    """`torch.Tensor._make_subclass`: a leaf on the same memory, with a version of its own."""
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {kind_name(data)}")
    if not issubclass(cls, Subclass):
        raise UnsupportedError("_make_subclass of such a class is not supported here")
    made = dressed(Tensor(data.array), cls)
    made.requires_grad = require_grad
    return made


def converted(result: Any, cls: type) -> Any:
    """Return a result with its tensors in a class, but those that are of it."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else as_subclass(result, cls)
    if isinstance(result, tuple | list) and any(isinstance(x, Tensor | tuple | list) for x in result):
        items = [converted(x, cls) for x in result]
        if isinstance(result, list):
            return items
        changed: Any = tuple.__new__(type(result), items)
        if hasattr(result, "__dict__"):
            vars(changed).update(vars(result))
        return changed
    return result
