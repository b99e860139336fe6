"""Layers that take their number of inputs from the first input: `nn.LazyLinear(10)`."""

from __future__ import annotations

from itertools import chain
from typing import Any, ClassVar

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.uninitialized import (
    become,
    construct_buffer,
    construct_parameter,
    is_lazy,
    materialize,
)
from gradcli.script.torch.nn.layers import normalization
from gradcli.script.torch.nn.layers.images import convolution
from gradcli.script.torch.nn.layers.linear import Linear
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.tensor.casting import cast
from gradcli.script.torch.tensor.dtypes import BY_NUMPY


def change_class(module: Any, kind: Any) -> None:
    """Give a module the class that it has once its shapes are known."""
    if not (isinstance(kind, type) and issubclass(kind, Module)):
        raise TypeError("cls_to_become is not a Module subclass")
    object.__setattr__(module, "__class__", kind)


class LazyModuleMixin(Module):
    """A module that learns the shapes of its parameters from its first input, before its first call."""

    __module__ = "torch.nn.modules.lazy"
    cls_to_become: ClassVar[Any] = None  # the class that it has from then on

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._begin()

    def _begin(self) -> None:
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def initialize_parameters(self, *_: Any, **__: Any) -> None:
        """Give the parameters their shapes and numbers for an input."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        return any(map(is_lazy, chain(self._parameters.values(), self._buffers.values())))

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *_: Any) -> None:
        """Give parameters the shapes of what is loaded into them."""
        for name, tensor in chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(tensor) and isinstance(given, Tensor) and not is_lazy(given):
                materialize(tensor, given.shape)

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any) -> None:
        module.initialize_parameters(*args, **kwargs)
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        for hooks in (module._forward_pre_hooks, module._forward_pre_hooks_with_kwargs):
            del hooks[module._initialize_hook.id]
        del module._load_state_dict_pre_hooks[module._load_hook.id]
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            change_class(module, module.cls_to_become)


class Lazy(LazyModuleMixin):
    """A layer without its shapes, which takes them and its final class when it is first called."""

    _counted: ClassVar[str]  # the attribute that is not known
    _spatial = 0  # dimensions behind that of the channels, where an input may come without a batch
    _usual: ClassVar[dict[str, Any]] = {}  # the options in their order, where their defaults are others than usual

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        if self._usual:
            keywords = {**self._usual, **dict(zip(self._usual, arguments, strict=False)), **keywords}
            arguments = ()
        own = running.machine.generator
        running.machine.generator = Generator()  # what is drawn here is not kept
        try:
            self.cls_to_become.__init__(self, keywords.get("groups", 1), *arguments, **keywords)
        finally:
            running.machine.generator = own
        self._arguments, self._keywords = arguments, keywords
        object.__setattr__(self, self._counted, 0)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = construct_parameter(dtype=BY_NUMPY[parameter.dtype])
        for name, buffer in self._buffers.items():
            if buffer is not None and buffer.ndim:
                self._buffers[name] = construct_buffer(dtype=BY_NUMPY[buffer.dtype])
        self._begin()

    def initialize_parameters(self, input: Any) -> None:
        if not self.has_uninitialized_params():
            return
        own = [x.dtype for x in (*self._parameters.values(), *self._buffers.values()) if x is not None]
        before = mode.default_dtype
        mode.default_dtype = next(iter(own), before)  # which may have been changed since
        try:
            made = self.cls_to_become(self._count(input), *self._arguments, **{**self._keywords, "dtype": None})
        finally:
            mode.default_dtype = before
        for table in ("_parameters", "_buffers"):
            for name, tensor in vars(self)[table].items():
                if is_lazy(tensor):
                    become(tensor, cast(vars(made)[table][name].detach(), BY_NUMPY[tensor.dtype]).array)
        object.__setattr__(self, self._counted, getattr(made, self._counted))
        del self._arguments, self._keywords

    def _count(self, input: Any) -> int:
        """Return the number of the channels of an input."""
        return int(input.shape[0 if input.ndim == self._spatial + 1 else min(1, input.ndim - 1)])


class LazyLinear(Lazy, Linear):
    """`nn.Linear` without its number of inputs."""

    __module__ = "torch.nn.modules.linear"
    cls_to_become, _counted = Linear, "in_features"

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(out_features, bias, device=device, dtype=dtype)

    def initialize_parameters(self, input: Any) -> None:
        super().initialize_parameters(input)
        if not self.in_features:  # what was loaded does not say
            count, known = self._count(input), self.weight.shape[-1]
            if count != known:
                words = f"The in_features inferred from input: {count} is not equal to in_features from self.weight: "
                raise AssertionError(f"{words}{known}")
            self.in_features = count

    def _count(self, input: Any) -> int:
        return int(input.shape[-1])


for source, counted, kinds in (
    (convolution, "in_channels", "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d"),
    (normalization, "num_features", "BatchNorm1d BatchNorm2d BatchNorm3d"),
    (normalization, "num_features", "InstanceNorm1d InstanceNorm2d InstanceNorm3d"),
):
    for kind in map(source.__getattr__, kinds.split()):
        body = {"__module__": kind.__module__, "cls_to_become": kind, "_counted": counted}
        body["_spatial"] = 0 if "Batch" in kind.__name__ else int(kind.__name__[-2])
        if "Instance" in kind.__name__:
            body["_usual"] = {"eps": 1e-5, "momentum": 0.1, "affine": True, "track_running_stats": True}
        globals()[f"Lazy{kind.__name__}"] = type(f"Lazy{kind.__name__}", (Lazy, kind), body)
MEMBERS = {"LazyModuleMixin": LazyModuleMixin}
