"""The engine's operations as `torch.name(...)`, `x.name(...)` and `x.name_(...)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter
from inspect import signature as signature_of
from typing import Any

import numpy as np

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.memory.in_place import change, check_in_place
from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.forgetting import forgotten
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.originals import torch_has
from gradcli.script.torch.operations.arguments import Signature
from gradcli.script.torch.operations.kernels import refusing
from gradcli.script.torch.operations.lowering import LOWERED
from gradcli.script.torch.operations.mixing import masked
from gradcli.script.torch.operations.outputs import into
from gradcli.script.torch.operations.overloads import FITTING, refusal, with_refusal
from gradcli.script.torch.operations.readers import kind_name
from gradcli.script.torch.operations.whole import WHOLE, whole
from gradcli.script.torch.outdated import warning

Function = Callable[..., Any]

NUMBERS = (int, float)  # what `torch.add(1, 2)` comes to before it is a tensor
LARGE = 2**16  # entries of a result worth a look at the limit
# Keywords of two ways to call a function, of which a call is one.
EXCLUSIVE: dict[str, frozenset[str]] = {
    **dict.fromkeys(("std", "var", "std_mean", "var_mean"), frozenset(("unbiased", "correction"))),
    **dict.fromkeys(("trapezoid", "trapz", "cumulative_trapezoid"), frozenset(("x", "dx"))),
    **dict.fromkeys(("max", "min"), frozenset(("dim", "other"))),
    "matrix_rank": frozenset(("tol", "atol")),
}
SIZED = ("addmm", "addmv", "baddbmm", "cumprod", "cumsum")
# Where the functions stand that are no operations of the engine; methods too, where tensors have the name.
COMPARISONS = ("eq", "ge", "greater", "greater_equal", "gt", "le", "less", "less_equal", "lt", "ne", "not_equal")
UNDERIVED = ("acosh", "asinh", "atanh")  # of which torch has no derivative in place
FURTHER = ("tensor.strides", "tensor.parts", "tensor.numbers", "deprecated")


def further(name: str) -> Function | None:
    """The function of that name in one of these modules."""
    for place in FURTHER:
        module = import_module(f"gradcli.script.torch.{place}")
        found: Any = vars(module).get(name)
        if getattr(found, "__module__", "") == module.__name__ and not name.startswith("_"):
            return refusing(name, found)
    return None


@cache
def function(name: str, module: str = "") -> Function | None:
    """`torch.name`, or what a module of torch has by the name; None when that is no operation."""
    if name.endswith("_"):
        return in_place(name)
    known = OPERATIONS.get(f"{module}.{name}")
    if known is not None:
        return plain(known.name, method=False, shown=_shown(name, module))
    if name not in OPERATIONS or OPERATIONS[name].only not in ("", module):
        return None
    return plain(name, method=False, shown=_shown(name, module))


def _shown(name: str, module: str) -> str:
    """Return the name that torch's messages have."""
    return f"{module}_{name}" if module == "linalg" else name


@cache
def method(name: str) -> Function | None:
    """`x.name`, which takes the tensor first; None when torch has no such method, or gradcli has not."""
    if not torch_has("torch.Tensor", name):
        return None
    if name == "where":
        return where
    if name == "polygamma":
        return ordered(name)
    if name in OPERATIONS and OPERATIONS[name].method:
        return plain(name, method=True)
    return (in_place(name) if name.endswith("_") else None) or further(name)


def methods() -> Iterable[str]:
    """The operations that are methods in torch, for the closest to a name that is none."""
    return (name for name in OPERATIONS if torch_has("torch.Tensor", name))


def where(x: Tensor, condition: Tensor, other: Any) -> Any:
    """`x.where(condition, other)`: the tensor comes second in the operation."""
    function_ = function("where")
    assert function_ is not None
    return function_(condition, x, other)


def keywords_of(function: Function) -> Iterable[str]:
    """The keywords that a function names."""
    named = signature_of(function).parameters.values()
    return [x.name for x in named if x.kind in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]


def plain(name: str, *, method: bool, shown: str = "") -> Function:
    """An operation that reads its arguments as torch does; `shown` is its name in messages."""
    operation = OPERATIONS[name]
    run = warning(name, LOWERED.get(name, operation.function))
    signature = Signature(operation, shown or name, keywords_of(run) if name in LOWERED else (), method=method)
    bind, readers = signature.bind, signature.positional
    exclusive = EXCLUSIVE.get(name, frozenset(("",)))
    least, most, many = signature.least, signature.most, signature.rest is not None
    fits = FITTING.get(name)

    def call(*arguments: Any, **keywords: Any) -> Any:
        if "out" in keywords and not method:
            out = keywords.pop("out")
            return call(*arguments, **keywords) if out is None else into(name, out, call, arguments, keywords)
        twice = "correction" in keywords and "unbiased" in exclusive and any(type(x) is bool for x in arguments[1:3])
        if keywords and (twice or exclusive <= keywords.keys()):
            words = f"{shown or name}() got an unexpected keyword argument '{max(exclusive)}'"
            raise TypeError(refusal(shown or name, arguments, keywords, "", method=method) or words)
        if fits is not None and arguments and not fits(arguments[1:], keywords):
            raise TypeError(refusal(shown or name, arguments, keywords, "", method=method))
        if keywords or not least <= len(arguments) <= most:
            values, keywords = bind(arguments, keywords)
        else:
            try:
                each = signature.following() if many else readers
                values = [read(x) for read, x in zip(each, arguments, strict=False)]
            except (TypeError, ValueError, OverflowError, IndexError):
                values, keywords = bind(arguments, keywords)
        result = run(*values, **keywords)
        if isinstance(result, Tensor) and result.value.size > LARGE:
            running.machine.budget.fits(result.value.size, "the result")
        if type(result) in NUMBERS:
            return Tensor(np.asarray(result, mode.default_dtype if isinstance(result, float) else None))
        return result

    call.__name__ = call.__qualname__ = shown or name
    found = whole(call) if name in WHOLE else call
    return refusing(name, found)


def underived(stem: str) -> Function:
    """The operation with a node that refuses the backward pass, as torch has it for `x.asinh_()`."""

    def refuse(g: Any, out: Any, x: Any) -> Any:
        raise NotImplementedError(f"the derivative for 'inplace version of {stem}' is not implemented.")

    return replace(REGISTRY[stem], rules=(refuse,), node=f"{stem.capitalize()}Backward1")


def asked(stem: str, operation: Function) -> Function:
    """The comparison with the node that it has in place: one through which nothing flows."""

    @wraps(operation)
    def call(x: Tensor, other: Any) -> Tensor:
        found, is_tensor = operation(x, other), isinstance(other, Tensor)
        name = f"{OPERATIONS[stem].function.__name__.rstrip('_').capitalize()}Backward{int(is_tensor)}"
        return forgotten(name, found.value, x, *[other] * is_tensor)

    return call


def sized(operation: Function) -> Function:
    """The operation, whose result must have the size and dtype of its first tensor, in torch's words for it."""

    @wraps(operation)
    def call(x: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        found: Tensor = operation(x, *arguments, **keywords)
        if keywords.get("dtype") is not None and found.dtype != x.dtype:
            kinds = (C_NAMES[TYPE_NAMES[each.dtype]] for each in (x, found))
            words = "Bad in-place call: input tensor dtype {} and output tensor dtype {} should match"
            raise RuntimeError(words.format(*kinds))
        if found.shape != x.shape:
            raise RuntimeError(
                f"Bad in-place call: input tensor size {list(x.shape)} and output tensor size {list(found.shape)} "
                "should match"
            )
        return found

    return call


def doubled(operation: Function) -> Function:
    """The operation, whose first tensor must be of double precision, as its result is."""

    @wraps(operation)
    def call(x: Tensor, exponent: Any) -> Tensor:
        if x.dtype != np.float64:
            kind = TYPE_NAMES[x.dtype]
            words = f"the base given to float_power_ has dtype {kind} but the operation's result requires dtype Double"
            raise RuntimeError(words)
        found: Tensor = operation(x, exponent)
        return found

    return call


def ordered(name: str) -> Function:
    """`x.polygamma(n)`, or in place, whose function takes the order first."""
    found = plain("polygamma", method=False, shown=name)

    def call(x: Tensor, n: Any) -> Tensor:
        if not isinstance(n, int):
            raise TypeError(f"{name}(): argument 'n' (position 1) must be int, not {kind_name(n)}")
        result: Tensor = change(x, lambda given: found(n, given)) if name.endswith("_") else found(n, x)
        return result

    call.__name__ = call.__qualname__ = name
    return call


def of_its_shape(name: str, operation: Function) -> Function:
    """Refuse a result of another shape than the tensor, to which torch would resize it."""

    @wraps(operation)
    def call(target: Tensor, *arguments: Any, **keywords: Any) -> Any:
        found = operation(target, *arguments, **keywords)
        if found.shape != target.shape:
            raise UnsupportedError(f"{name} of a tensor that it resizes is not supported here")
        return found

    return call


def in_place(name: str) -> Function | None:
    """`x.name_(...)`: the result, written over the tensor."""
    from gradcli.ops.indexing.assignment import in_place_method

    stem = name.removesuffix("_")
    if stem == "polygamma":
        return ordered(name)
    if not torch_has("torch.Tensor", name):
        return None
    if stem not in OPERATIONS or OPERATIONS[stem].in_place != "write":
        found = in_place_method(name)
        return found and with_refusal(name, found, method=True)
    operation = plain(stem, method=True, shown=name) if stem not in UNDERIVED else underived(stem)
    if stem in COMPARISONS:
        operation = asked(stem, operation)
    if stem in SIZED:
        operation = sized(operation)
    if stem == "masked_scatter":
        operation = masked(operation)
    if stem == "float_power":
        operation = doubled(operation)
    if stem == "addbmm":
        operation = of_its_shape(name, operation)

    def call(target: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        return change(target, operation, *arguments, **keywords)

    def unrecorded(target: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        check_in_place(target)
        with set_grad_enabled(False):
            return change(target, operation, *arguments, **keywords)

    written = unrecorded if stem.startswith("logical_") else call  # of which torch's graph knows nothing
    written.__name__ = written.__qualname__ = name
    return written
