"""`torch.ops.aten`: the operations that torch dispatches, one for each of ours, as policies name them."""

from __future__ import annotations

from typing import Any

from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade, Namespace

# What our primitives are called there, where both names are not the same, or the overload is not `default`.
RENAMED = """
add=add.Tensor sub=sub.Tensor mul=mul.Tensor div=div.Tensor rsub=rsub.Scalar mul_number=mul.Scalar div_number=div.Scalar
pow=pow.Tensor_Scalar pow_of=pow.Scalar pow_tensor=pow.Tensor_Tensor sum_dim=sum.dim_IntList mean_dim=mean.dim
var=var.correction std=std.correction var_of_two=var_mean.correction reshape=view.default
unsafe_view=_unsafe_view.default select=select.int slice=slice.Tensor transpose=transpose.int split_part=split.Tensor
softmax=_softmax.default log_softmax=_log_softmax.default safe_softmax=_safe_softmax.default
nll_loss=nll_loss_forward.default layer_norm=native_layer_norm.default norm=linalg_vector_norm.default
to_copy=_to_copy.default where=where.self
"""
PLAIN = """
abs addmm addmv amax amin atan bmm cat clamp clone convolution cos cumsum dot embedding erf exp expand gather gelu
index_select leaky_relu log mean mm mse_loss mv neg permute relu rsqrt sigmoid silu sin softplus sqrt stack sum t tan
tanh tril triu unsqueeze
"""
OVERLOADS = dict(pair.split("=") for pair in RENAMED.split())
OVERLOADS |= {name: f"{name}.default" for name in PLAIN.split()}
KNOWN = {op for name in OVERLOADS.values() for op in (name, name.replace(".", "_.", 1))}


class Dispatched(Facade):
    """An operation of `torch.ops.aten` as policies compare it; no script may call it."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedError(
            f"calling torch.ops.{self} is not supported here", help="call the function of torch that it belongs to"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dispatched) and type(other) is type(self) and other.__name__ == self.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __str__(self) -> str:
        return f"aten.{self.__name__}"


class OpOverload(Dispatched):
    """`torch.ops.aten.mm.default`."""

    __module__ = "torch._ops"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._name, _, self._overloadname = name.rpartition(".")

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        return OpOverloadPacket(self._name)

    def name(self) -> str:
        """Return the name that C++ has: `aten::mm`, `aten::sum.dim_IntList`."""
        overload = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"aten::{self._name}{overload}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='aten.{self._name}', overload='{self._overloadname}')>"


class OpOverloadPacket(Dispatched):
    """`torch.ops.aten.mm`."""

    __module__ = "torch._ops"

    def __getattr__(self, overload: str) -> OpOverload:
        return known(f"{self.__name__}.{overload}")

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='aten.{self.__name__}')>"


MADE: dict[str, OpOverload] = {}


def known(name: str) -> OpOverload:
    """Return the operation of a name, always the same one."""
    if name not in KNOWN:
        raise UnsupportedError(f"torch.ops.aten.{name} is not supported here")
    return MADE.setdefault(name, OpOverload(name))


def packet(name: str) -> OpOverloadPacket:
    if not any(op.startswith(f"{name}.") for op in KNOWN):
        raise UnsupportedError(f"torch.ops.aten.{name} is not supported here")
    return OpOverloadPacket(name)


def overload_of(application: Application, in_place: bool = False, *, strict: bool = False) -> OpOverload:
    """Return the operation that torch dispatches for one of ours; one that no list can name, unless it is `strict`."""
    name = application.primitive.name
    if name in ("eq", "ne", "lt", "le", "gt", "ge"):
        return MADE.setdefault(op := f"{name}.{kind(application)}", OpOverload(op))
    if name == "masked_fill":
        return MADE.setdefault("masked_fill.Scalar", OpOverload("masked_fill.Scalar"))
    if name not in OVERLOADS or (name == "where" and not all(isinstance(x, Tensor) for x in application.inputs)):
        if strict:
            raise UnsupportedError(
                f"{name} in a checkpoint with a policy is not supported here", help="list operations"
            )
        return MADE.setdefault(f" {name}", OpOverload(f" {name}"))
    if strict and in_place and copies_first(application):
        raise UnsupportedError(f"{name}_ in a checkpoint with a policy is not supported here: torch copies first")
    found = OVERLOADS[name]
    return known(found.replace(".", "_.", 1) if in_place else found)


def copies_first(application: Application) -> bool:
    """Tell whether torch copies what an operation in place writes over, for its own backward pass."""
    rules = application.primitive.saved_for(application.inputs)
    needed = [isinstance(x, Tensor) and x.requires_grad for x in application.inputs]
    return any(0 in positions for positions, needs in zip(rules, needed, strict=False) if needs)


def kind(application: Application) -> str:
    return "Tensor" if isinstance(application.inputs[1], Tensor) else "Scalar"


def namespace(name: str) -> Namespace:
    """`torch.ops`."""
    return Namespace(name, {"aten": Namespace(f"{name}.aten", find=packet)})
