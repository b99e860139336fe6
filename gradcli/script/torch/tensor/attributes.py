"""Methods of tensors that read sizes, strides and memory, or leave the graph."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from gradcli.engine.checks.shapes import check_extents, dimension
from gradcli.engine.graph import Handle, Node
from gradcli.engine.memory.views import View, first_entry, is_view
from gradcli.engine.modes import mode, refuse_examples, warn_once
from gradcli.engine.recorder import listening
from gradcli.engine.tangents import Level, keep_tangents
from gradcli.engine.tensor import DETACHED_VIEW, Gradient, Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.operators import ATTRIBUTES
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import FORMATS, REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES, type_of
from gradcli.script.python.values.operators import BINARY, COMPARISONS, OPERATORS, UNARY
from gradcli.script.torch.autograd import nodes
from gradcli.script.torch.autograd.backward import backward as run_backward
from gradcli.script.torch.autograd.grad_modes import check_required, is_inference
from gradcli.script.torch.devices import CPU, check_device
from gradcli.script.torch.func.levels import REQUIRED, RETAINED
from gradcli.script.torch.operations import facade
from gradcli.script.torch.operations.arguments import check_kind, kind_name
from gradcli.script.torch.random import sampling
from gradcli.script.torch.tensor.creation import CREATION, construct
from gradcli.script.torch.tensor.dtypes import ALIASES, BY_NUMPY, Size, casting, to, type_
from gradcli.script.torch.tensor.dtypes import cast as cast
from gradcli.script.torch.tensor.printing import format_tensor, tensor_text, with_known_node


def size(x: Tensor, dim: Any = None) -> Any:
    """`x.size()`, and `x.size(dim)` of one dimension."""
    if dim is None:
        return Size(x.shape)
    return x.shape[_dimension("size", dim, x)]


def stride(x: Tensor, dim: Any = None) -> Any:
    """Return the number of entries between neighbours, by dimension."""
    steps = tuple(step // x.value.itemsize for step in x.array.strides)
    if x.shape == (1,) and x.base is None:  # numpy leaves those of the array that a sum reads
        steps = (1,)
    return steps if dim is None else steps[_dimension("stride", dim, x)]


def _dimension(name: str, dim: Any, x: Tensor) -> int:
    check_kind(name, "dim", 1, dim, int, "int")
    check_extents(x.shape, dim)
    return dimension(dim, x.ndim)


def base(x: Tensor) -> Tensor | None:
    """`x._base`: the tensor whose memory this view shares; None if it is none."""
    return x.base if is_view(x) else None


def to_list(x: Tensor) -> Any:
    refuse_examples("memory", x)
    return x.value.tolist()


def numpy_of(x: Tensor, *, force: bool = False) -> Any:
    """Return the memory as an array, whose attributes are those of the numpy facade."""
    import_module("gradcli.script.numpy.methods")
    array = (x.detach() if force else x).numpy().view()  # another array on every call
    if running.machine.timeline is not None:
        running.machine.timeline.cut(x, array, "numpy()")
    return array


def gradient_of(x: Tensor) -> Tensor | None:
    """`x.grad`; the timeline hears when it is read, to explain one that is None."""
    gradient = x.grad
    if running.machine.timeline is not None:
        running.machine.timeline.asked(x, gradient)
    return gradient


def retain_grad(x: Tensor) -> None:
    """Keep the gradient of a tensor that is no leaf; a function that torch.func transforms cannot ask for that."""
    if mode.transforms:
        raise RuntimeError(RETAINED)
    x.retain_grad()


def detach_(x: Tensor) -> Tensor:
    """Take the tensor out of the graph, and of forward passes."""
    if base(x) is not None:
        raise AutogradError(DETACHED_VIEW)
    for level in listening(Level):
        level.forget(x)
    return x.detach_()


def cutting(how: str, function: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """Make a method that leaves the graph, of which the timeline hears."""

    def call(x: Tensor) -> Any:
        result = function(x)
        if running.machine.timeline is not None:
            running.machine.timeline.cut(x, result, how)
        return result

    return call


def alone(name: str, function: Callable[[Tensor], Any]) -> Callable[..., Any]:
    """Make a method that takes no arguments; TypeError in torch's words when it gets some."""

    def call(x: Tensor, *extra: Any, **named: Any) -> Any:
        if extra or named:
            many = f"arguments ({len(extra)} given)" if extra else "keyword arguments"
            raise TypeError(f"TensorBase.{name}() takes no {many}")
        return function(x)

    call.__name__ = name
    return call


def snippet_attributes(x: Tensor) -> dict[str, Any]:
    """Return the attributes that the snippet has put on a tensor."""
    if not hasattr(x, "snippet_attributes"):
        x.snippet_attributes = {}
    return x.snippet_attributes


def valid(x: Tensor) -> Tensor:
    """Return the tensor. AutogradError if it is a view whose node is not known any more."""
    x.check_valid()
    return x


def set_data(x: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {kind_name(value)}")
    x.data = value


def set_requires_grad(x: Tensor, value: Any) -> None:
    if not isinstance(value, bool):
        raise RuntimeError("requires_grad must be a bool")
    if value and not x.is_leaf:
        raise AutogradError("you can only change requires_grad flags of leaf variables.")
    if value and not is_floating(x.value):
        raise AutogradError("only Tensors of floating point and complex dtype can require gradients")
    check_required(x, value)
    keep_tangents(x, lambda: x.requires_grad_(value))


def new(name: str) -> Callable[..., Tensor]:
    """`x.new_zeros(...)`: as `torch.zeros`, in the dtype of `x`."""
    make = CREATION[name] if name != "tensor" else partial(CREATION[name], owner=("tensor", "new_tensor"))

    def call(x: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        return make(*arguments, **{"dtype": x.dtype, **keywords})  # type: ignore[no-any-return]

    return call


def backward(
    x: Tensor,
    gradient: Gradient = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    run_backward(x, gradient, retain_graph, create_graph, inputs=inputs)


backward.__qualname__ = "Tensor.backward"


def requires_grad_(x: Tensor, requires_grad: Any = True) -> Tensor:
    check_kind("requires_grad_", "requires_grad", 1, requires_grad, bool, "bool")
    if mode.transforms:
        raise RuntimeError(REQUIRED)
    check_required(x, requires_grad)
    keep_tangents(x, lambda: x.requires_grad_(requires_grad))
    return x


ALONE: dict[str, Callable[[Tensor], Any]] = {
    "dim": lambda x: x.ndim,
    "ndimension": lambda x: x.ndim,
    "numel": lambda x: x.value.size,
    "nelement": lambda x: x.value.size,
    "item": cutting("item()", Tensor.item),
    "tolist": cutting("tolist()", to_list),
    "detach": cutting("detach()", Tensor.detach),
    "detach_": cutting("detach_()", detach_),
    "retain_grad": retain_grad,
    "is_floating_point": lambda x: x.dtype.kind == "f",
    "is_complex": lambda x: False,
    "is_inference": is_inference,
    "_is_view": lambda x: base(x) is not None,
    "data_ptr": lambda x: int(x.array.ctypes.data) if x.array.size else 0,
    "storage_offset": lambda x: first_entry(x.array),
}


OWN = "getitem setitem contains iter len bool int float index abs"
CASTS = {**ALIASES, "char": "int8", "byte": "uint8", "bool": "bool"}
METHODS: dict[str, Callable[..., Any]] = {
    **{name: alone(name, function) for name, function in ALONE.items()},
    **{name: alone(name, casting(dtype)) for name, dtype in CASTS.items()},
    **{f"new_{name}": new(name) for name in ("zeros", "ones", "full", "empty", "tensor")},
    **sampling.METHODS,
    "new": lambda x, *data, **named: construct(data, BY_NUMPY[x.dtype], **named),
    "size": size,
    "stride": stride,
    "is_contiguous": lambda x: bool(x.array.flags.c_contiguous),
    "numpy": numpy_of,
    "cpu": lambda x: x,
    "cuda": lambda x, device="cuda", **_: check_device(device),
    "to": to,
    "type": type_,
    "type_as": lambda x, other: cast(x, other.dtype),
    "is_same_size": lambda x, other: x.shape == other.shape,
    "requires_grad_": requires_grad_,
    "register_hook": Tensor.register_hook,
    "register_post_accumulate_grad_hook": Tensor.register_post_accumulate_grad_hook,
    "backward": backward,
    **{f"__{name}__": getattr(Tensor, f"__{name}__") for name in OWN.split()},
    "__hash__": id,
    "__invert__": UNARY[ast.Invert],
    "__pos__": UNARY[ast.UAdd],
    **{f"__{kind.__name__.lower()}__": COMPARISONS[kind] for kind in (ast.Lt, ast.Gt, ast.Eq)},
    **{f"__{name}__": COMPARISONS[kind] for name, kind in (("le", ast.LtE), ("ge", ast.GtE), ("ne", ast.NotEq))},
    "__matmul__": BINARY[ast.MatMult],
    "__neg__": UNARY[ast.USub],
    "__repr__": represent,
    **{f"__{name}__": BINARY[kind] for name, kind in OPERATORS.items()},
}

TENSOR = TYPES[Tensor] = TYPES[View] = BuiltinType(
    "Tensor",
    Tensor,
    lambda *data, **keywords: construct(data, BY_NUMPY[mode.default_dtype], **keywords),
    module="torch",
)

GETTERS: dict[str, Callable[[Any], Any]] = {
    "shape": lambda x: Size(x.shape),
    "dtype": lambda x: BY_NUMPY[x.dtype],
    "device": lambda x: CPU,
    "ndim": lambda x: x.ndim,
    "grad": gradient_of,
    "grad_fn": lambda x: nodes.visible(node if isinstance(node := with_known_node(valid(x)).node, Node) else None),
    "requires_grad": lambda x: x.requires_grad,
    "is_leaf": lambda x: not isinstance(valid(x).node, Node),
    "retains_grad": lambda x: x.retains_grad,
    "data": cutting(".data", lambda x: x.data),
    "real": lambda x: x,
    "_version": lambda x: x._version,
    "_base": base,
    "is_cpu": lambda x: True,
    "is_cuda": lambda x: False,
    "is_sparse": lambda x: False,
    "itemsize": lambda x: x.value.itemsize,
    "output_nr": lambda x: nodes.output_number(x.known_node),
    "name": lambda x: None,
    "__class__": type_of,
}


NO_MATRIX = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
    "1, -1, -1))` to reverse the dimensions of a tensor."
)
NO_DIMENSIONS = "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."


def reversed_dimensions(x: Tensor) -> Any:
    """`x.T`, of which torch warns where it is no transpose."""
    if x.ndim != 2:
        warn_once(NO_MATRIX if x.ndim else NO_DIMENSIONS)
    return ops.T(x)


GETTERS |= {name: partial(lambda name, x: getattr(ops, name)(x), name) for name in ATTRIBUTES}
GETTERS["T"] = reversed_dimensions


def _refusing(error: type[Exception], message: str) -> Callable[..., None]:
    """Make the setter or the deleter of an attribute that stays as it is."""

    def refuse(*_: Any) -> None:
        raise error(message)

    return refuse


FIXED = "attribute '{}' of 'torch._C.TensorBase' objects is not writable"
KEPT = {
    "data": "Deleting tensor data is not allowed. Delete tensor instead!",
    "requires_grad": "requires_grad must be a bool",
    "_grad_fn": "Deletion of _grad_fn not allowed. Detach tensor instead!",
    "_backward_hooks": "Deletion of _backwards_hooks not allowed!",
}


describe(
    Tensor,
    methods=METHODS,
    getters=GETTERS,
    setters={
        **{name: _refusing(AttributeError, FIXED.format(name)) for name in GETTERS},
        "grad": lambda x, value: setattr(x, "grad", value),
        "data": set_data,
        "requires_grad": set_requires_grad,
    },
    deleters={
        "grad": lambda x: setattr(x, "grad", None),
        **{name: _refusing(RuntimeError, words) for name, words in KEPT.items()},
    },
    find=facade.method,
    names=facade.methods,
    snippet_attributes=snippet_attributes,
    original="torch.Tensor",
)
REPRESENTATIONS[Tensor] = tensor_text
REPRESENTATIONS[Handle] = lambda handle: f"<torch.utils.hooks.RemovableHandle object at {id(handle):#x}>"
FORMATS[Tensor] = format_tensor
