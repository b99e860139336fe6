"""Lists and dictionaries of parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, Self

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.python.members.reserved import check_free
from gradcli.script.python.values.attributes import type_name
from gradcli.script.python.values.special import exact
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.parameter import Parameter, typename
from gradcli.script.torch.nn.layers.containers import Dictionary
from gradcli.script.torch.tensor.printing import dtype_text

NO_TEXT = (
    "Index given to ParameterDict cannot be used as a key as it is not a string (type is '{}'). Open an issue on "
    "github if you need non-string keys."
)


def _line(name: Any, value: Any, kind: str) -> str:
    """Return the line of a parameter in the text of a list: its type and its size."""
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({name}): {what} containing: [{kind} of size {'x'.join(map(str, value.shape))}]"


class ParameterList(Module):
    """A list of parameters; tensors become parameters."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, index: int) -> str:
        if not -self._size <= index < self._size:
            raise IndexError(f"index {index} is out of range")
        return str(index % self._size)

    def __len__(self) -> int:
        return int(self._size)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[position] for position in range(self._size)])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[position] for position in range(self._size)[index]])
        return self._member_of(self._name(index))

    def __setitem__(self, index: int, value: Any) -> None:
        self.__setattr__(self._name(index), _owned(value))

    def append(self, value: Any) -> Self:
        self._size += 1
        self[self._size - 1] = value
        return self

    def __iadd__(self, values: Any) -> Self:
        return self.extend(values)

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise AutogradError("ParameterList should not be called.")

    def extend(self, values: Any) -> Self:
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            kind = type(values).__name__
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {kind}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(
            _line(i, value, dtype_text(value.dtype) if isinstance(value, Tensor) else "")
            for i, value in enumerate(self)
        )


def _owned(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class ParameterDict(Dictionary):
    """Parameters by name; tensors become parameters."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def update(self, parameters: Any) -> None:
        if not isinstance(parameters, Iterable):
            kind = type(parameters).__name__
            raise TypeError(
                f"ParametersDict.update should be called with an iterable of key/value pairs, but got {kind}"
            )
        items: list[Any] = list(parameters.items() if hasattr(parameters, "items") else parameters)
        if type(parameters) is dict:  # torch sorts these, from a time when they had no order
            items.sort()
        start = "ParameterDict update sequence element #"
        for place, item in enumerate(items):
            if not isinstance(item, Iterable):
                raise TypeError(f"{start}{place} should be Iterable; is{type(item).__name__}")
            item = tuple(item)
            if len(item) != 2:
                raise ValueError(f"{start}{place} has length {len(item)}; 2 is required")
            self[item[0]] = item[1]

    def _held(self) -> dict[str, Any]:
        return {key: self._member_of(key) for key in self._keys}

    def __getitem__(self, key: Any) -> Any:
        return self._member_of(self._name(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        name = self._name(key)
        self.__setattr__(name, _owned(value))
        self._keys[name] = None

    def __delitem__(self, key: Any) -> None:
        del self._keys[key]
        self.__delattr__(self._name(key))

    def _name(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(NO_TEXT.format(type_name(key)))
        name = exact(key)
        check_free(type(self), name)
        return name

    def __call__(self, input: Any) -> Any:
        raise AutogradError("ParameterDict should not be called.")

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self))

    def copy(self) -> ParameterDict:
        return ParameterDict(OrderedDict(self.items()))

    def fromkeys(self, keys: Any, default: Any = None) -> ParameterDict:
        return ParameterDict([(key, default) for key in keys])

    def __or__(self, other: Any) -> ParameterDict:
        found = self.copy()
        found.update(other)
        return found

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def clear(self) -> None:
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> Any:
        key = list(self._keys)[-1]
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        return self._held().get(key, default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def extra_repr(self) -> str:
        return "\n".join(_line(key, value, typename(value)) for key, value in self.items())
