"""Python's operators on tensors of a class of the snippet: each calls a method of torch's tensors, which asks first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.operations import facade
from gradcli.script.torch.overrides.dispatch import overridable, overrides
from gradcli.script.torch.tensor.attributes import METHODS

Function = Callable[..., Any]

SAME = "sub truediv floordiv mod pow matmul lshift rshift"
# The method that each operator calls.
BEHIND: dict[str, str] = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "__floordiv__", "mod": "remainder",
    "pow": "__pow__", "matmul": "matmul", "and": "__and__", "or": "__or__", "xor": "__xor__", "lshift": "__lshift__",
    "rshift": "__rshift__", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "__eq__", "ne": "ne",
    "radd": "add", "rmul": "mul", "rand": "bitwise_and", "ror": "bitwise_or", "rxor": "bitwise_xor",
    **{f"r{name}": f"__r{name}__" for name in SAME.split()},
    "iadd": "add_", "isub": "sub_", "imul": "mul_", "itruediv": "div_", "ifloordiv": "floor_divide_",
    "imod": "remainder_", "ipow": "__ipow__", "iand": "__iand__", "ior": "__ior__", "ixor": "__ixor__",
    "neg": "neg", "pos": "positive", "abs": "abs", "invert": "__invert__", "getitem": "__getitem__",
    "setitem": "__setitem__", "len": "__len__", "bool": "__bool__", "float": "__float__", "int": "__int__",
    "index": "__index__", "contains": "__contains__",
}  # fmt: skip
UNANSWERED = ("getitem", "setitem", "len", "bool", "float", "int", "index", "contains")  # there is no other operand


def behind(name: str) -> Function:
    """Return the method behind an operator, as the run has it."""
    return method(BEHIND[name])


def method(name: str) -> Function:
    """Return a method of torch's tensors, as the run has it."""
    found = METHODS.get(name) or facade.method(name) or getattr(Tensor, name)
    return overridable(f"torch.Tensor.{name}", found)


def operator(name: str) -> Function:
    """Return the special method `__name__` of tensors of a class."""
    own, forward = getattr(Tensor, f"__{name}__"), name[1:] if name[0] == "r" and name[1:] in BEHIND else ""

    def operate(self: Any, *others: Any) -> Any:
        if overrides().disabled:
            return own(self, *others)
        try:
            if forward and isinstance(others[0], Tensor):
                return behind(forward)(others[0], self)
            return behind(name)(self, *others)
        except TypeError:
            if not others or name in UNANSWERED:
                raise
            return NotImplemented

    operate.__name__ = operate.__qualname__ = f"__{name}__"
    return operate


def walk(x: Tensor) -> Any:
    """`iter(x)`, which asks for the parts of the tensor."""
    if overrides().disabled:
        return Tensor.__iter__(x)
    if not method("dim")(x):
        raise TypeError("iteration over a 0-d tensor")
    return iter(method("unbind")(x, 0))


# The parent that has them; `==` stays identity, for graphs keep tensors in dictionaries.
Operators: Any = type(
    "Operators",
    (),
    {"__slots__": (), "__iter__": walk, **{f"__{x}__": operator(x) for x in BEHIND if x not in ("eq", "ne")}},
)
