"""Layers that take their number of inputs from the first input: `nn.LazyLinear(10)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import REPRESENTATIONS
from gradcli.script.python.values.attributes import BuiltinType, describe
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.layers import normalization
from gradcli.script.torch.nn.layers.images import convolution
from gradcli.script.torch.nn.layers.linear import Linear
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.tensor.attributes import GETTERS
from gradcli.script.torch.tensor.casting import cast

NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
    "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
    "parameters before accessing their attributes."
)
NO_USE = (
    "Attempted to use an uninitialized parameter in <method '{}' of 'torch._C.TensorBase' objects>. This error happens "
    "when you are using a `LazyModule` or explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. "
    "When using LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch "
    "functions"
)


class UninitializedParameter(Parameter):
    """A parameter whose shape is not known yet."""

    __slots__ = ()


class UninitializedBuffer(Tensor):
    """A buffer whose shape is not known yet."""

    __slots__ = ()


def shapeless(_: Any) -> NoReturn:
    raise RuntimeError(NO_SHAPE)


def unusable(name: str) -> Callable[..., Any] | None:
    from gradcli.script.torch.tensor.attributes import METHODS

    if name not in METHODS:
        return None

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise ValueError(NO_USE.format(name))

    return refuse


KNOWN = ("requires_grad", "grad", "grad_fn", "is_leaf", "data", "dtype", "device")
for kind, module in ((UninitializedParameter, "torch.nn.parameter"), (UninitializedBuffer, "torch.nn.parameter")):
    TYPES[kind] = BuiltinType(kind.__name__, kind, module=module)
    REPRESENTATIONS[kind] = lambda x: f"<{type(x).__name__}>"
    describe(kind, getters={**{name: GETTERS[name] for name in KNOWN}, "shape": shapeless}, find=unusable)


class Lazy(Module):
    """A layer without its shapes, which takes them and its final class when it is first called."""

    _kind: type[Module]
    _counted: ClassVar[tuple[str, ...]] = ()  # the attributes that are not known
    _spatial = 0  # dimensions behind that of the channels, where an input may come without a batch

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        own = running.machine.generator
        running.machine.generator = Generator()  # what is drawn here is not kept
        try:
            self._kind.__init__(self, keywords.get("groups", 1), *arguments, **keywords)
        finally:
            running.machine.generator = own
        self._arguments, self._keywords = arguments, keywords
        for name in self._counted:
            object.__setattr__(self, name, 0)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = UninitializedParameter(Tensor(np.empty(0, parameter.dtype)))
        for name, buffer in self._buffers.items():
            if buffer is not None and buffer.ndim:
                self._buffers[name] = UninitializedBuffer(np.empty(0, buffer.dtype))

    def has_uninitialized_params(self) -> bool:
        return any(isinstance(parameter, UninitializedParameter) for parameter in self._parameters.values())

    def forward(self, input: Any) -> Any:
        own = [x.dtype for x in (*self._parameters.values(), *self._buffers.values()) if x is not None]
        before = mode.default_dtype
        mode.default_dtype = next(iter(own), before)  # which may have been changed since
        try:
            made = self._kind(self._count(input), *self._arguments, **{**self._keywords, "dtype": None})
        finally:
            mode.default_dtype = before
        for name, parameter in self._parameters.items():
            if parameter is not None:
                parameter.__class__ = Parameter
                parameter.value = cast(made._parameters[name].detach(), parameter.dtype).array
        self._buffers.update({name: made._buffers[name] for name in self._buffers})
        for name in self._counted:
            object.__setattr__(self, name, getattr(made, name))
        del self._arguments, self._keywords
        self.__class__ = self._kind  # type: ignore[assignment]
        return self.forward(input)

    def _count(self, input: Any) -> int:
        """Return the number of the channels of an input."""
        return int(input.shape[0 if input.ndim == self._spatial + 1 else min(1, input.ndim - 1)])


class LazyLinear(Lazy, Linear):
    """`nn.Linear` without its number of inputs."""

    __module__ = "torch.nn.modules.linear"
    _kind, _counted = Linear, ("in_features",)

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(out_features, bias, device=device, dtype=dtype)

    def _count(self, input: Any) -> int:
        return int(input.shape[-1])


for source, counted, kinds in (
    (convolution, "in_channels", "Conv1d Conv2d ConvTranspose1d ConvTranspose2d"),
    (normalization, "num_features", "BatchNorm1d BatchNorm2d BatchNorm3d"),
):
    for kind in map(source.__getattr__, kinds.split()):
        body = {"__module__": kind.__module__, "_kind": kind, "_counted": (counted,)}
        body["_spatial"] = int(kind.__name__[-2]) if source is convolution else 0
        globals()[f"Lazy{kind.__name__}"] = type(f"Lazy{kind.__name__}", (Lazy, kind), body)
