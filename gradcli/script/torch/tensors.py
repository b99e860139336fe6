"""The attributes of tensors and of the nodes of their graphs, as snippets see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.backward import Gradient
from gradcli.engine.graph import AccumulateGrad, Handle, Node
from gradcli.engine.tensor import Tensor
from gradcli.ops.operators import ATTRIBUTES
from gradcli.ops.surface import OPERATIONS
from gradcli.script.machine import running
from gradcli.script.printing import format_tensor, tensor_text
from gradcli.script.python.attributes import BuiltinType, describe
from gradcli.script.python.builtins import NAMED_TYPES, TYPES
from gradcli.script.python.formatting import FORMATS, REPRESENTATIONS
from gradcli.script.torch import autograd, operations
from gradcli.script.torch.dtypes import BY_NUMPY, CPU, Device, DType, Size, check_device, numpy_dtype


def size(x: Tensor, dim: int | None = None) -> Any:
    return Size(x.shape) if dim is None else Size(x.shape)[dim]


def to_list(x: Tensor) -> Any:
    return x.value.tolist()


def numpy_of(x: Tensor, *, force: bool = False) -> Any:
    """The memory as an array of the numpy facade."""
    return (x.detach() if force else x).numpy()


def cast(x: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype; itself where it has it."""
    wanted = np.dtype(numpy_dtype(dtype))
    if x.dtype == wanted:
        return x
    from gradcli.engine.broadcast import to_copy

    return to_copy(x, dtype=wanted)  # type: ignore[no-any-return]


def to(x: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
    """`x.to(dtype)`, `x.to(device)`, `x.to(other)`: there is one device, so only the dtype does anything."""
    keywords = {name: value for name, value in keywords.items() if name not in ("non_blocking", "copy")}
    argument: Any
    for argument in (*arguments, *keywords.values()):
        if isinstance(argument, str | Device):
            check_device(argument.type if isinstance(argument, Device) else argument)
        elif isinstance(argument, Tensor):
            x = cast(x, argument.dtype)
        elif isinstance(argument, DType | BuiltinType):
            x = cast(x, argument)
    return x


def casting(dtype: str) -> Callable[[Tensor], Tensor]:
    return lambda x: cast(x, BY_NUMPY[np.dtype(dtype)])


def new(name: str) -> Callable[..., Tensor]:
    """`x.new_zeros(...)`: as `torch.zeros`, in the dtype of `x`."""

    def make(x: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        from gradcli.script.torch.creation import CREATION

        made: Tensor = CREATION[name](*arguments, **{"dtype": x.dtype, **keywords})
        return made

    return make


def random_in_place(draw: str) -> Callable[..., Tensor]:
    """`x.uniform_()`, `x.normal_()`: new numbers in the memory."""

    def fill(x: Tensor, *arguments: Any, generator: Any = None, **keywords: Any) -> Tensor:
        from gradcli.engine.in_place import check_in_place

        check_in_place(x)
        source = generator or running.machine.generator
        x.array[...] = getattr(source, draw)(x.shape, x.dtype, *arguments, **keywords)
        x.changed()
        return x

    return fill


def backward(
    x: Tensor,
    gradient: Gradient = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    autograd.backward(x, gradient, retain_graph, create_graph, inputs)


def gradient_of(x: Tensor) -> Tensor | None:
    """`x.grad`; the timeline hears of every look at one that is None."""
    gradient = x.grad
    if running.machine.timeline is not None:
        running.machine.timeline.asked(x, gradient)
    return gradient


def cutting(how: str, function: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """What leads out of the graph; the timeline remembers where."""

    def call(x: Tensor) -> Any:
        result = function(x)
        if running.machine.timeline is not None:
            running.machine.timeline.cut(x, result, how)
        return result

    return call


def same_type(x: Tensor, kind: Any = None) -> Any:
    names = {"f4": "Float", "f8": "Double", "f2": "Half", "i8": "Long", "i4": "Int", "b1": "Bool", "u1": "Byte"}
    if kind is not None:
        return cast(x, kind)
    return f"torch.{names.get(x.dtype.str[1:], 'Float')}Tensor"


METHODS: dict[str, Callable[..., Any]] = {
    "size": size,
    "dim": lambda x: x.ndim,
    "ndimension": lambda x: x.ndim,
    "numel": lambda x: x.value.size,
    "nelement": lambda x: x.value.size,
    "element_size": lambda x: x.value.itemsize,
    "item": Tensor.item,
    "tolist": to_list,
    "numpy": numpy_of,
    "cpu": lambda x, **_: x,
    "cuda": lambda x, *_, **__: check_device("cuda"),
    "to": to,
    "type": same_type,
    "type_as": lambda x, other: cast(x, other.dtype),
    "float": casting("float32"),
    "double": casting("float64"),
    "half": casting("float16"),
    "long": casting("int64"),
    "int": casting("int32"),
    "short": casting("int16"),
    "byte": casting("uint8"),
    "bool": casting("bool"),
    "detach": cutting("detach()", Tensor.detach),
    "requires_grad_": Tensor.requires_grad_,
    "retain_grad": Tensor.retain_grad,
    "register_hook": Tensor.register_hook,
    "backward": backward,
    "is_floating_point": lambda x: x.dtype.kind == "f",
    "is_complex": lambda x: False,
    "is_contiguous": lambda x: bool(np.asarray(x.value).flags.c_contiguous),
    "data_ptr": lambda x: int(x.array.__array_interface__["data"][0]),
    "stride": lambda x, dim=None: _strides(x) if dim is None else _strides(x)[dim],
    "storage_offset": lambda x: _offset(x),
    "get_device": lambda x: -1,
    "pin_memory": lambda x: x,
    "share_memory_": lambda x: x,
    "uniform_": random_in_place("uniform"),
    "normal_": random_in_place("normal"),
    "new_tensor": lambda x, data, **keywords: new("tensor")(x, data, **keywords),
}
METHODS |= {f"new_{name}": new(name) for name in ("zeros", "ones", "full", "empty")}
METHODS |= {
    name: getattr(Tensor, name) for name in ("detach_", "register_post_accumulate_grad_hook") if hasattr(Tensor, name)
}


def _strides(x: Tensor) -> tuple[int, ...]:
    value = x.array
    return tuple(step // value.itemsize for step in value.strides)


def _offset(x: Tensor) -> int:
    base = x.base.array if x.base is not None else x.array
    return int((x.array.ctypes.data - base.ctypes.data) // x.array.itemsize)


TENSOR = TYPES[Tensor] = BuiltinType("Tensor", Tensor, module="torch")

GETTERS: dict[str, Callable[[Any], Any]] = {
    "shape": lambda x: Size(x.shape),
    "dtype": lambda x: BY_NUMPY[x.dtype],
    "device": lambda x: CPU,
    "ndim": lambda x: x.ndim,
    "grad": gradient_of,
    "grad_fn": lambda x: x.grad_fn,
    "requires_grad": lambda x: x.requires_grad,
    "is_leaf": lambda x: x.is_leaf,
    "retains_grad": lambda x: x.retains_grad,
    "data": cutting(".data", lambda x: x.data),
    "_version": lambda x: x._version,
    "_base": lambda x: x.base,
    "is_cuda": lambda x: False,
    "is_sparse": lambda x: False,
    "itemsize": lambda x: x.value.itemsize,
    "output_nr": lambda x: 0,
    "name": lambda x: None,
    "__class__": lambda x: TENSOR,
}


def _shape_attribute(name: str) -> Callable[[Any], Any]:
    """`x.T` and its kin: operations without arguments."""
    return lambda x: OPERATIONS[name].function(x)


GETTERS |= {name: _shape_attribute(name) for name in ATTRIBUTES}


def _setter(name: str) -> Callable[[Any, Any], None]:
    return lambda x, value: setattr(x, name, value)


describe(
    Tensor,
    methods=METHODS,
    getters=GETTERS,
    setters={name: _setter(name) for name in ("grad", "requires_grad", "data")},
    find=operations.method,
)
REPRESENTATIONS[Tensor] = tensor_text
FORMATS[Tensor] = format_tensor


def class_name(node: Node | AccumulateGrad) -> str:
    """What `type(node).__name__` gives: the name without its C++ namespace."""
    return node.name().rpartition("::")[2]


NODE_TYPES: dict[str, BuiltinType] = {}


def node_type(value: Any) -> BuiltinType | None:
    if not isinstance(value, Node | AccumulateGrad):
        return None
    name = class_name(value)
    return NODE_TYPES.setdefault(name, BuiltinType(name, type(value)))


def saved_input(position: int) -> Callable[[Node], Any]:
    """`_saved_self` and `_saved_other`: an input as the node saved it."""

    def get(node: Node) -> Any:
        from gradcli.engine.saved import operands

        inputs, _ = operands(node, True)
        return inputs[position]

    return get


def saved_result(node: Node) -> Any:
    from gradcli.engine.saved import operands

    return operands(node, True)[1]


NAMED_TYPES.append(node_type)
NODE_METHODS = {name: getattr(Node, name) for name in ("name", "register_hook", "register_prehook")}
describe(
    Node,
    methods=NODE_METHODS,
    getters={
        "next_functions": lambda node: node.next_functions,
        "_saved_self": saved_input(0),
        "_saved_other": saved_input(1),
        "_saved_result": saved_result,
        "__class__": node_type,
        "metadata": lambda node: {},
    },
)
describe(
    AccumulateGrad,
    methods={name: getattr(AccumulateGrad, name) for name in NODE_METHODS},
    getters={
        "variable": lambda node: node.variable,
        "next_functions": lambda node: (),
        "__class__": node_type,
    },
)
describe(Handle, methods={"remove": Handle.remove})
for _kind in (Node, AccumulateGrad):
    REPRESENTATIONS[_kind] = lambda node: f"<{class_name(node)} object at {id(node):#x}>"
