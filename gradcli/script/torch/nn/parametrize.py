"""`torch.nn.utils.parametrize`: parameters and buffers that are computed by modules from others each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count, takewhile
from typing import Any

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import text
from gradcli.script.python.values.attributes import type_name
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.layers.containers import ModuleDict, ModuleList
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, Size

NO_TENSOR = "A parametrization must return a tensor. Got {}."
NO_TENSORS = "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {}"
NO_INVERSE = "parametrization {} does not implement right_inverse."
OF_SEVERAL = (
    "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of "
    "tensors."
)
NAMES = "_parametrized"  # the attribute of a class with the names of what its objects compute


def _check_same(start: str, before: tuple[str, Tensor], after: tuple[str, Any]) -> None:
    """Raise ValueError unless two values, each with what it is called, have the same dtype and shape."""
    for quality, of in (("dtype", lambda x: BY_NUMPY[x.dtype]), ("shape", lambda x: Size(x.shape))):
        one, other = of(before[1]), of(after[1])
        if one != other:
            first, second = before[0].format(quality), after[0].format(quality)
            raise ValueError(f"{start.format(quality)}\n{first}: {text(one)}\n{second}: {text(other)}")


class Cache:
    """The values that are computed once while a run is inside of `cached()`."""

    depth = 0

    def __init__(self) -> None:
        self.values: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Compute each value once inside the block."""
    cache = running.machine.own(Cache)
    cache.depth += 1
    try:
        yield
    finally:
        cache.depth -= 1
        if not cache.depth:
            cache.values = {}


class ParametrizationList(ModuleList):
    """The modules that compute one value, and what they compute it from: `original`, or several."""

    __module__ = "torch.nn.utils.parametrize"

    def __init__(self, modules: Any, original: Tensor, unsafe: bool = False) -> None:
        if not len(modules):
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = Tensor(original.array)
        with set_grad_enabled(False):
            found = self._inverted(original, needed=False)
            self.is_tensor = isinstance(found, Tensor)
            if not (self.is_tensor or isinstance(found, Sequence)):
                raise ValueError(NO_TENSORS.format(type_name(found)))
            self.ntensors = 1 if self.is_tensor else len(found)
            if self.is_tensor:
                original.data = found
                _register(self, "original", original)
            for place, part in enumerate(() if self.is_tensor else found):
                learns = isinstance(original, Parameter)
                _register(self, f"original{place}", Parameter(part, original.requires_grad) if learns else part)
        if not unsafe:
            made = self()
            if not isinstance(made, Tensor):
                raise ValueError(NO_TENSOR.format(type_name(made)))
            start = (
                "Registering a parametrization may not change the {} of the tensor, unless `unsafe` flag is enabled."
            )
            _check_same(start, ("unparametrized {}", before), ("parametrized {}", made))

    def _inverted(self, value: Any, *, needed: bool) -> Any:
        """Return what the modules compute a value from; one without `right_inverse` raises RuntimeError if `needed`."""
        for module in reversed(list(self)):
            if hasattr(module, "right_inverse"):
                with suppress(*(() if needed else (NotImplementedError,))):
                    value = module.right_inverse(value)
            elif needed:
                raise RuntimeError(NO_INVERSE.format(type_name(module)))
        return value

    def _originals(self) -> list[Any]:
        names = ["original"] if self.is_tensor else [f"original{place}" for place in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def right_inverse(self, value: Any) -> None:
        """Let the value be this from now on."""
        with set_grad_enabled(False):
            found = self._inverted(value, needed=True)
            parts = [found] if self.is_tensor else list(found)
            if len(parts) != self.ntensors or not all(isinstance(part, Tensor) for part in parts):
                raise UnsupportedError("such a result of right_inverse is not supported here")
            for original, part in zip(self._originals(), parts, strict=True):
                original.data = part
                original.changed()

    def forward(self) -> Any:
        value = self[0](*self._originals())
        for name in takewhile(self._modules.__contains__, map(str, count(1))):  # others are no part of the row
            value = self._modules[name](value)
        return value


def _register(owner: Any, name: str, value: Any) -> None:
    if isinstance(value, Parameter):
        owner.register_parameter(name, value)
    else:
        owner.register_buffer(name, value)


def _computed(name: str, module: Any) -> Any:
    """Return the value of a name, inside of `cached()` always the same."""
    cache = running.machine.own(Cache)
    if not cache.depth:
        return module.parametrizations[name]()
    key = id(module), name
    if key not in cache.values:
        cache.values[key] = module.parametrizations[name]()
    return cache.values[key]


def _dress(module: Any, names: Sequence[str]) -> None:
    """Give a module a class of its own, whose objects compute these names; without names, the class that it had."""
    kind: Any = type_before_parametrizations(module)
    if names:
        members = {name: property(partial(_computed, name), partial(_assigned, name)) for name in names}
        others = {NAMES: tuple(names), "__module__": "torch.nn.utils.parametrize"}
        kind = type(kind)(f"Parametrized{kind.__name__}", (kind,), {**members, **others})
    module.__class__ = kind


def _assigned(name: str, module: Any, value: Any) -> None:
    module.parametrizations[name].right_inverse(value)


def type_before_parametrizations(module: Any) -> Any:
    """Return the class that a module had."""
    kind = type(module)
    return kind.__bases__[0] if NAMES in vars(kind) else kind


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Return whether a module computes a value, or the one with the name."""
    held = module._modules.get("parametrizations")
    if not isinstance(held, ModuleDict):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Let a module compute a parameter or buffer of another from what is a parameter or buffer from then on."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_further(module, tensor_name, parametrization)
        held = module.parametrizations[tensor_name]
        held.append(parametrization)
        held.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        held = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            module.parametrizations = ModuleDict()
        module.parametrizations[tensor_name] = held
        _dress(module, list(module.parametrizations))
    else:
        raise ValueError(
            f"Module '{module!r}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check_further(module: Any, name: str, parametrization: Any) -> None:
    """Raise ValueError if a further module gives what is no value for the name."""
    before, place = getattr(module, name), f"module.{name}.{{}}"
    found = parametrization(before)
    if not isinstance(found, Tensor):
        raise ValueError(NO_TENSOR.format(type_name(found)))
    start = "Registering a parametrization may not change the {} of the tensor, unless the `unsafe` flag is enabled."
    _check_same(start, (place, before), (f"parametrization(module.{name}).{{}}", found))
    if hasattr(parametrization, "right_inverse"):
        back = parametrization.right_inverse(found)
        if not isinstance(back, Tensor):
            raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type_name(back)}")
        start = (
            "The tensor returned by parametrization.right_inverse must have the same {} as "
            f"module.{name}, unless the `unsafe` flag is enabled."
        )
        _check_same(start, (place, before), ("returned {}", back))


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a value a parameter or buffer again: as it is, or what it was computed from."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module!r} does not have a parametrization on {tensor_name}")
    held = module.parametrizations[tensor_name]
    if not (leave_parametrized or held.is_tensor):
        raise ValueError(OF_SEVERAL)
    value = held._originals()[0]
    if leave_parametrized:
        made = getattr(module, tensor_name)
        with set_grad_enabled(False):
            if held.is_tensor:
                value.data = made
                value.changed()
            else:
                value = Parameter(made.detach()) if made.requires_grad else made
    del module.parametrizations[tensor_name]
    _dress(module, list(module.parametrizations))
    _register(module, tensor_name, value)
    if not is_parametrized(module):
        del module.parametrizations
    return module


MEMBERS: dict[str, Any] = {
    "ParametrizationList": ParametrizationList,
    **{
        made.__name__: made
        for made in (
            cached,
            is_parametrized,
            register_parametrization,
            remove_parametrizations,
            type_before_parametrizations,
        )
    },
}
