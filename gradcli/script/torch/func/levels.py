"""The functions that `torch.func` transforms while they run: what each of them holds, and how torch shows it there.

`mode.transforms` has one object for each transform, the outermost first. It has `check_write`, which refuses in-place
changes that torch refuses, and `inner`, which gives what torch wraps: a tensor that the levels around this one know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import unwrap
from types import MethodType
from typing import Any, Protocol, TypeVar
from weakref import ReferenceType, WeakSet, ref

from gradcli.engine.graph import AccumulateGrad, Node, Target, leaves_below, reachable
from gradcli.engine.modes import mode, switched
from gradcli.engine.recorder import Application, leave, listen
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.syntax.scopes import OUTER
from gradcli.script.torch.autograd.saved.packing import Refusal
from gradcli.script.torch.tensor.printing import LEFT

LEAVES: WeakSet[AccumulateGrad] = WeakSet()  # the ends of graphs at the arguments of functions
OVER: WeakSet[AccumulateGrad] = WeakSet()  # those of functions that have returned
HOOKED = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)
CAPTURED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
    "(aten::{}) that would mutate a captured Tensor. This is not supported; please rewrite the function being "
    "transformed to explicitly accept the mutated Tensor(s) as inputs."
)


Kind = TypeVar("Kind", bound="Within")


class Transform(Protocol):
    """One transform whose function runs."""

    kind: str

    def check_write(self, target: Tensor, result: Tensor, name: str, arguments: Sequence[Any]) -> None: ...

    def node_of(self, x: Tensor) -> Target | None: ...

    def inner(self, x: Tensor) -> tuple[str, Tensor] | None:
        """Return the beginning of torch's text and the tensor inside; None for one that is not wrapped here."""


def held(value: Any, depth: int = 0) -> Iterator[Tensor]:
    """Yield the tensors in a value of a snippet: in containers and objects, a few levels deep."""
    if isinstance(value, Tensor):
        yield value
    elif depth < 4:
        inside: Any = ()
        if isinstance(value, dict):
            inside = value.values()
        elif isinstance(value, list | tuple | set):
            inside = value
        elif hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
            inside = vars(value).values()
        elif hasattr(value, "named_parameters"):
            inside = (vars(value).get(part, {}) for part in ("_parameters", "_buffers", "_modules"))
        for part in list(inside):
            yield from held(part, depth + 1)


def around_blocks(function: Any) -> Iterator[Any]:
    """Yield the variables outside of a function, and the objects that it belongs to or has as arguments."""
    yield running.machine.globals
    function = unwrap(function)  # of another transform
    while isinstance(function, partial | MethodType):
        yield list(function.args) if isinstance(function, partial) else function.__self__
        function = function.func if isinstance(function, partial) else function.__func__
    env = getattr(function, "_outer", None)
    while env:
        yield env
        env = env.get(OUTER)


def around(function: Any) -> Iterator[Any]:
    """Yield what a function sees besides its arguments."""
    for block in around_blocks(function):
        yield from block.values() if isinstance(block, dict) else block if isinstance(block, list) else (block,)


# The operations in place whose names in torch have the kind of their last argument, or always that of a tensor.
BY_KIND = """
copysign eq fill floor_divide fmod ge gt index_fill le lerp lt masked_fill ne pow remainder xlogy
"""
OF_TENSORS = "add div mul sub"
OF_ONE_KIND = """
addbmm addcdiv addcmul addmm addmv addr atan2 baddbmm copy index_add index_copy index_put logical_and logical_or
logical_xor scatter_add
"""


def overload(name: str, arguments: Sequence[Any]) -> str:
    """Return torch's full name of an operation in place: `add_.Tensor`."""
    of_tensor = bool(arguments) and isinstance(arguments[-1], Tensor)
    if name in OF_TENSORS.split():
        return f"{name}_.Tensor"
    if name in BY_KIND.split():
        return f"{name}_.{'int_' * (name == 'index_fill')}{'Tensor' if of_tensor else 'Scalar'}"
    if name in ("clamp", "clamp_max", "clamp_min"):
        return f"{name}_{'.Tensor' * of_tensor}"
    if name.isidentifier() and (not arguments or name in OF_ONE_KIND.split()):
        return f"{name}_"
    raise UnsupportedError(
        "this change of a tensor from outside, in a function that torch.func differentiates, is not supported",
        python=RuntimeError,
        help="give it to the function as an argument, or change a clone()",
    )


class Within:
    """The function that is differentiated: its results lie in no graph when it has returned, whoever holds them."""

    kind = "grad"

    def __init__(self, function: Any, leaves: Sequence[Tensor] = ()) -> None:
        self.function = function
        self.leaves = leaves  # the arguments by which it is differentiated
        self.before = {id(x): x for x in around(function) if isinstance(x, Tensor)}
        self.made: list[ReferenceType[Tensor]] = []

    def append(self, application: Application) -> None:
        self.made.append(ref(application.out))

    def is_outside(self, x: Tensor) -> bool:
        """Tell a tensor that was there before the function ran."""
        if id(x) in self.before:
            return True
        if any(made() is x for made in self.made):
            return False
        return any(x is known for value in around(self.function) for known in held(value))

    def check_write(self, target: Tensor, result: Tensor, name: str, arguments: Sequence[Any]) -> None:
        """Refuse to change a tensor from outside in place."""
        if self.is_outside(target):
            raise RuntimeError(CAPTURED.format(overload(name, arguments)))

    def node_of(self, x: Tensor) -> Target | None:
        """Return the node that torch shows of a tensor: an argument is a leaf here."""
        leaf = any(x is known for known in self.leaves)
        return AccumulateGrad(x) if leaf and isinstance(x.node, Node) else x.node

    def inner(self, x: Tensor) -> tuple[str, Tensor] | None:
        if self.is_outside(x):
            return None
        if not all(end in LEAVES for end in leaves_below(x.node)):
            raise UnsupportedError(
                "printing a tensor of a graph around torch.func.grad inside of it is not supported",
                python=RuntimeError,
                help="print x.detach(), or the result",
            )
        return "GradTrackingTensor(lvl={}", x.detach()

    def end(self) -> None:
        held = [x for found in self.made if (x := found()) is not None and x.node is not None]
        nodes = [x.node for x in held if x.node is not None]
        kept = reachable(nodes, [leaf for leaf in leaves_below(*nodes) if leaf not in OVER])
        for x in held:
            if x.node not in kept:
                x.node = None
                LEFT.add(x)


class Functional(Within):
    """The function that is made functional, where torch has other tensors, of a class of their own."""

    kind = "functional"

    def check_write(self, target: Tensor, result: Tensor, name: str, arguments: Sequence[Any]) -> None:
        """Let every change be."""

    def inner(self, x: Tensor) -> tuple[str, Tensor] | None:
        raise UnsupportedError("printing a tensor inside of functionalize is not supported", python=RuntimeError)


class Pushed(Within):
    """The function through which tangents are pushed."""

    kind = "jvp"

    def node_of(self, x: Tensor) -> Target | None:
        return x.node if self.is_outside(x) else None


@contextmanager
def inside_of(within: Kind) -> Iterator[Kind]:
    """Be in one transform more, which listens to the operations."""
    listen(within)
    refusal = running.machine.own(Refusal)
    before = refusal.message
    refusal.message = HOOKED if within.kind == "grad" else before
    try:
        with switched(transforms=(*mode.transforms, within)):
            yield within
    finally:
        refusal.message = before
        leave(within)
