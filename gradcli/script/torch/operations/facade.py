"""Operations that torch computes in a way of its own for some arguments, in front of the engine's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial, wraps
from inspect import Parameter
from inspect import signature as signature_of
from typing import Any

import numpy as np

from gradcli.engine.broadcast import to_copy
from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.memory.in_place import change
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.pointwise.arithmetic import quotient
from gradcli.ops.support.arguments import ReturnType
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import OPERATIONS, Operation
from gradcli.script.machine import running
from gradcli.script.originals import torch_has
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import NAMED_TYPES
from gradcli.script.torch.operations.arguments import Signature


def _rounded(name: str, input: Tensor, *, decimals: int = 0) -> Any:
    """Rounding leaves integers as they are."""
    options = {"decimals": decimals} if decimals else {}
    return getattr(ops, name)(input, **options) if is_floating(input.value) else ops.clone(input)


def _along(name: str, input: Tensor, dim: int | None = None, **options: Any) -> Any:
    """A softmax without `dim` is refused: torch.nn.functional guesses, and says so."""
    if dim is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
    if not is_floating(input.value) and options.get("dtype") is None:
        kernel = f"{name}_lastdim_kernel_impl" if dim in (-1, max(input.ndim, 1) - 1) else f"{name}_kernel_impl"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{TYPE_NAMES[input.dtype]}'")
    return getattr(ops, name)(input, dim, **options)


@contextmanager
def out_of_bounds() -> Iterator[None]:
    """Raise RuntimeError for an index out of bounds, where indexing raises an IndexError."""
    try:
        yield
    except AutogradError as error:
        if "out of bounds" in error.message:
            raise RuntimeError(error.message) from None
        raise


def _indexed(name: str, input: Tensor, *arguments: Any, **options: Any) -> Any:
    if any(isinstance(x, Tensor) and is_floating(x.value) and x.value.size for x in arguments[1:2]):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    with out_of_bounds():
        return getattr(ops, name)(input, *arguments, **options)


def _where(condition: Tensor, *given: Any, **named: Any) -> Any:
    """Refuse one of the two tensors without the other."""
    if len(given) + len(named) == 1:
        raise TypeError("where() takes a condition alone, or with both of the values to choose from")
    return ops.where(condition, *given, **named)


def _sum(name: str, input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Add as torch does: a sum of booleans is a boolean, a multiple of integers an integer."""
    kinds = {x.dtype.kind if isinstance(x, Tensor) else np.asarray(x).dtype.kind for x in (input, other)}
    if isinstance(alpha, float) and "f" not in kinds:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    result = getattr(ops, name)(input, other, alpha=alpha)
    return to_copy(result, dtype=np.dtype(np.bool_)) if kinds == {"b"} and isinstance(result, Tensor) else result


def _close(name: str, input: Tensor, other: Tensor, *arguments: Any, **options: Any) -> Any:
    if input.dtype != other.dtype:
        raise RuntimeError(f"{TYPE_NAMES[input.dtype]} did not match {TYPE_NAMES[other.dtype]}")
    return getattr(ops, name)(input, other, *arguments, **options)


def _mean(input: Tensor, *arguments: Any, **options: Any) -> Any:
    dtype = options.get("dtype")
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise RuntimeError(f"mean(): a mean has a floating point dtype. Got: {TYPE_NAMES[np.dtype(dtype)]}")
    return ops.mean(input, *arguments, **options)


def _copied(name: str, input: Tensor, *, memory_format: Any = None) -> Any:
    """`x.clone(memory_format=torch.preserve_format)`, as optimizers of one's own are often written."""
    return getattr(ops, name)(input)


def _each(function: Callable[..., Any], *names: str) -> dict[str, Callable[..., Any]]:
    return {name: partial(function, name) for name in names}


LOWERED: dict[str, Callable[..., Any]] = {
    **_each(_rounded, "floor", "ceil", "round", "trunc", "fix"),
    **_each(_along, "softmax", "log_softmax"),
    **_each(_indexed, "gather", "scatter", "scatter_add", "index_add"),
    **_each(_sum, "add", "sub", "subtract"),
    **_each(_close, "allclose", "isclose"),
    **_each(_copied, "clone", "contiguous"),
    "floor_divide": quotient,
    "mean": _mean,
    "where": _where,
}


BIAS = "Input type ({c0}) and bias type ({c1}) should be the same"
EXPECTED = "expected scalar type {0} but found {1}"


def check_numbers(operation: Operation, arguments: Sequence[Any]) -> None:
    """Raise torch's error where its kernel takes no such numbers, or not two kinds of them."""
    integer = real = other = None
    for x in arguments:  # on every call: no function is called here
        if isinstance(x, Tensor):
            dtype = x.value.dtype
            if dtype.kind != "f":
                integer = dtype if integer is None else integer
            elif real is None:
                real = dtype
            elif dtype != real:
                other = dtype
    if operation.kernel and integer is not None and real is None:
        kind = TYPE_NAMES[integer]
        if " " in operation.kernel:
            raise RuntimeError(operation.kernel.format(kind))
        raise NotImplementedError(f"\"{operation.kernel}\" not implemented for '{kind}'")
    if operation.alike and other is not None:
        bias = next(iter([x.value.dtype for x in arguments if isinstance(x, Tensor)][2:]), real)
        is_of_bias = "bias" in operation.parameters and bias != real
        raise AutogradError(two_kinds(BIAS if is_of_bias else operation.alike, real, other))


def two_kinds(words: str, first: Any, other: Any) -> str:
    """Return a message with two dtypes: `{0}` and `{1}` are `Float`, `{c0}` and `{c1}` C's words for them."""
    names = [TYPE_NAMES[kind] for kind in (first, other)]
    return words.format(*names, **{f"c{at}": C_NAMES[kind] for at, kind in enumerate(names)})


def refusing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of torch.nn.functional that refuses numbers as the operation of its name does."""
    operation = OPERATIONS.get(name)
    if operation is None or not (operation.kernel or operation.alike):
        return function

    def call(*arguments: Any, **keywords: Any) -> Any:
        check_numbers(operation, (*arguments, *keywords.values()))
        return function(*arguments, **keywords)

    call.__name__ = call.__qualname__ = name
    call.__module__ = function.__module__
    return call


def check_parameters(input: Tensor, *parameters: Tensor | None) -> None:
    """Refuse parameters of a normalization in another dtype than the input; the first one given decides."""
    other = next((x.dtype for x in parameters if x is not None and x.dtype != input.dtype), None)
    if other is not None:
        raise AutogradError(f"mixed dtype (CPU): {two_kinds(EXPECTED, input.dtype, other)}")


def with_integer_results(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with whole results for whole tensors, which it computes in double precision."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        tensors = [x for x in (*arguments, *keywords.values()) if isinstance(x, Tensor)]
        if not tensors or any(x.dtype.kind == "f" for x in tensors):
            return function(*arguments, **keywords)
        keywords = {name: int(x) if isinstance(x, float) else x for name, x in keywords.items()}  # alpha and beta
        before, mode.default_dtype = mode.default_dtype, np.dtype(np.float64)
        try:
            result = function(*arguments, **keywords)
        finally:
            mode.default_dtype = before
        dtype = np.result_type(*(x.dtype for x in tensors))
        return tuple(_cast(x, dtype) for x in result) if isinstance(result, tuple) else _cast(result, dtype)

    return call


def _cast(x: Tensor, dtype: Any) -> Tensor:
    return Tensor(np.asarray(x.value).astype(dtype)[()]) if x.dtype.kind == "f" else x


Function = Callable[..., Any]

NUMBERS = (int, float)  # what `torch.add(1, 2)` comes to before it is a tensor
LARGE = 2**16  # entries of a result worth a look at the limit


@cache
def function(name: str, module: str = "") -> Function | None:
    """`torch.name`, or what a module of torch has by the name; None when that is no operation."""
    if name.endswith("_"):
        return in_place(name)
    operation = OPERATIONS.get(f"{module}.{name}")
    if operation is not None:
        return plain(operation.name, method=False, shown=_shown(name, module))
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
    if name in OPERATIONS and OPERATIONS[name].method:
        return plain(name, method=True)
    return in_place(name) if name.endswith("_") else None


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
    lowered = LOWERED.get(name)
    unrecorded, recorded = lowered or operation.function, lowered or operation.called  # a tape records what was called
    signature = Signature(operation, shown or name, keywords_of(lowered) if lowered else (), method=method)
    bind, readers, fixed, by_name = signature.bind, signature.positional, signature.fixed, signature.by_name
    least, most, many = signature.least, signature.most, signature.rest is not None
    checks = bool(operation.kernel or operation.alike)

    def call(*arguments: Any, **keywords: Any) -> Any:
        if checks:
            check_numbers(operation, (*arguments, *keywords.values()))
        count = len(arguments)
        if not least <= count <= most or (keywords and not keywords.keys().isdisjoint(fixed[:count])):
            values, named = bind(arguments, keywords)
        else:
            try:  # arguments that fit are read here: a comprehension would be one more frame
                values, named = [], keywords
                each = signature.following() if many else readers
                for (read, is_optional), x in zip(each, arguments, strict=False):
                    values.append(None if x is None and is_optional else read(x))
                if keywords:
                    named = {}
                    for keyword, x in keywords.items():
                        read, is_optional = by_name[keyword]
                        named[keyword] = None if x is None and is_optional else read(x)
            except (KeyError, TypeError, ValueError, OverflowError, IndexError):
                values, named = bind(arguments, keywords)
        result = (unrecorded if mode.tape is None else recorded)(*values, **named)
        if isinstance(result, Tensor) and result.value.size > LARGE:
            running.machine.budget.fits(result.value.size, "the result")
        if type(result) in NUMBERS:
            return Tensor(np.asarray(result, mode.default_dtype if isinstance(result, float) else None))
        return result

    call.__name__ = call.__qualname__ = shown or name
    return with_integer_results(call) if operation.computes_integers else call


def in_place(name: str) -> Function | None:
    """`x.name_(...)`: the result, written over the tensor."""
    from gradcli.ops.indexing.subscript import in_place_method

    stem = name.removesuffix("_")
    if not torch_has("torch.Tensor", name):
        return None
    if stem not in OPERATIONS or OPERATIONS[stem].in_place != "write":
        return in_place_method(name)
    operation = plain(stem, method=True, shown=name)

    def call(target: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        return change(target, operation, *arguments, **keywords)

    call.__name__ = call.__qualname__ = name
    return call


@cache
def named(name: str) -> BuiltinType:
    return BuiltinType(name, type(name, (), {}), module="torch.return_types")


def text(result: ReturnType) -> str:
    """Each part on a line of its own, with its name."""
    parts = (f"{name}={represent(part)}" for name, part in zip(result._fields, result, strict=True))
    return f"torch.return_types.{result.name}(\n" + ",\n".join(parts) + ")"


def kind(value: Any) -> BuiltinType | None:
    return named(value.name) if isinstance(value, ReturnType) else None


def fixed(result: ReturnType, value: Any) -> None:
    raise AttributeError("readonly attribute")


def part(name: str) -> Callable[[ReturnType], Any]:
    def get(result: ReturnType) -> Any:
        if name not in result._fields:
            raise AttributeError(f"'torch.return_types.{result.name}' object has no attribute '{name}'")
        return result[result._fields.index(name)]

    return get


FIELDS = (
    "values indices min max sign logabsdet eigenvalues eigenvectors Q R U S Vh solution residuals rank singular_values"
)
GETTERS = {name: part(name) for name in FIELDS.split()}
describe(
    ReturnType,
    methods={"index": tuple.index, "count": tuple.count},
    getters={
        **GETTERS,
        "_fields": part("_fields"),
        "__class__": kind,
    },
    setters=dict.fromkeys(GETTERS, fixed),
)
NAMED_TYPES.append(kind)
REPRESENTATIONS[ReturnType] = text
