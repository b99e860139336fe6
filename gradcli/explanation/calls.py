"""Evaluate one node of the syntax tree over the values of its children: operators, calls, methods, indexing."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from gradcli.engine.checks.shapes import broadcast_shapes
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError
from gradcli.language.catalogue import operation_of
from gradcli.language.literals import writable
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Method,
    Number,
    Slice,
    Tuple,
    Unary,
)
from gradcli.language.unparser import unparse
from gradcli.ops.operators import ATTRIBUTES
from gradcli.ops.support.absent import INSTEAD
from gradcli.ops.support.arguments import as_tensor, check_size, describe_value, integer, operand, promote_integers
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import OPERATIONS, Operation
from gradcli.source import did_you_mean

# Arithmetic between plain numbers, within 64 bits: `9**9**9` is refused before it is computed.


LARGEST = 2**63 - 1

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def arithmetic(symbol: str, a: float, b: float) -> float:
    """The result as Python has it; floating point follows IEEE where Python raises (1/0 is inf)."""
    try:
        value = _power(a, b) if symbol == "**" else OPERATORS[symbol](a, b)
    except ZeroDivisionError:
        return _divided_by_zero(symbol, a, b)
    except OverflowError:
        return math.inf
    if isinstance(value, int) and abs(value) > LARGEST:
        raise _too_large(symbol)
    return value  # type: ignore[no-any-return]


def _power(a: float, b: float) -> Any:
    if isinstance(a, int) and isinstance(b, int) and b > 0 and abs(a) > 1 and b * (abs(a).bit_length() - 1) > 64:
        raise _too_large("**")
    value = a**b
    return math.nan if isinstance(value, complex) else value


def _too_large(symbol: str) -> EvaluationError:
    return EvaluationError(
        "E212",
        f"the result of {symbol} does not fit in a 64-bit integer",
        label="integer overflow",
        help="make one of the numbers a float, such as 2.0, for an approximate result",
    )


def _divided_by_zero(symbol: str, a: float, b: float) -> float:
    if symbol == "**":  # 0 to a negative power
        return math.inf
    if symbol == "%" or a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def comparison(symbol: str, a: float, b: float) -> bool:
    return COMPARISONS[symbol](a, b)


# Names of functions in schoolbooks, and what to type for them.
SCHOOLBOOK = {
    **{name: f"{ours}({{}})" for name, ours in {
        "tg": "tan", "arctg": "atan", "sh": "sinh", "ch": "cosh", "th": "tanh", "arsinh": "asinh", "arcosh": "acosh",
        "artanh": "atanh", "lg": "log10", "ld": "log2", "lb": "log2", "sgn": "sign", "sqr": "square", "fabs": "abs",
        "logistic": "sigmoid",
    }.items()},
    **{name: f"1/{ours}({{}})" for name, ours in {
        "cot": "tan", "ctg": "tan", "cotan": "tan", "sec": "cos", "csc": "sin", "cosec": "sin",
        "coth": "tanh", "sech": "cosh", "csch": "sinh",
    }.items()},
    "cbrt": "sign({0})*abs({0})**(1/3)",
}  # fmt: skip
LONGEST_LETTER = 3  # of the name of a number, such as `w10`


def apply(node: Expression, parts: Sequence[Any]) -> Any:
    """Return the value of a node; numbers stay Python numbers until they meet a tensor."""
    match node:
        case Number():
            return writable(node.value)
        case Literal():
            return node.value
        case List():
            return list(parts)
        case Tuple():
            return tuple(parts)
        case Unary():
            return _unary(node.operator, parts[0])
        case Binary():
            return _binary(node.operator, parts[0], parts[1])
        case Compare():
            return _compare(node.operator, parts[0], parts[1])
        case Call():
            try:
                return _call(node.function, node.arguments, parts)
            except EvaluationError as error:
                raise error.at(node.name_span if error.code == "E208" else None) from None
        case Method():
            return _method(node, parts)
        case Attribute():
            return _attribute(node.name, parts[0])
        case Slice():
            return _slice(node, parts)
        case Index():
            return _index(parts[0], parts[1:])
    raise TypeError(f"not an expression: {type(node).__name__}")


def _unary(operator: str, value: Any) -> Any:
    if _is_number(value):
        return -value if operator == "-" else +value
    x = _tensor(value, f"unary {operator}")
    return ops.neg(x) if operator == "-" else x


def _binary(operator: str, a: Any, b: Any) -> Any:
    if operator == "@":
        return ops.matmul(*promote_integers([_tensor(a, operator, as_tensor), _tensor(b, operator, as_tensor)]))
    if _is_number(a) and _is_number(b):
        return arithmetic(operator, a, b)
    check_broadcast((a, b))
    return getattr(ops, operation_of(operator))(_tensor(a, operator, operand), _tensor(b, operator, operand))


def _compare(operator: str, a: Any, b: Any) -> Any:
    if _is_number(a) and _is_number(b):
        return comparison(operator, a, b)
    check_broadcast((a, b))
    return getattr(ops, operation_of(operator))(_tensor(a, operator, operand), _tensor(b, operator, operand))


def _call(name: str, args: Sequence[Argument], values: Sequence[Any]) -> Any:
    arguments = [v for v, argument in zip(values, args, strict=True) if argument.keyword is None]
    keywords = {a.keyword: v for v, a in zip(values, args, strict=True) if a.keyword is not None}
    function = _function(name, args)
    if not function.contracts:
        check_broadcast(values)
    return function(*arguments, **keywords)


def check_broadcast(values: Sequence[Any]) -> None:
    """Refuse tensors that broadcast to an absurd size; the operation itself refuses tensors that do not broadcast."""
    shapes = [value.shape for value in values if isinstance(value, Tensor)]
    if math.prod(map(math.prod, shapes)) > mode.largest:
        with suppress(ValueError):
            check_size(broadcast_shapes(*shapes))


def _function(name: str, args: Sequence[Argument]) -> Operation:
    if name in OPERATIONS:
        return OPERATIONS[name]
    message = f"there is no function {name!r}"
    raise EvaluationError("E208", message, label="unknown function", help=_suggestion(name, args))


def _suggestion(name: str, args: Sequence[Argument]) -> str:
    """Return what to type in place of an unknown function: another name, a quotient, or a product."""
    inside = unparse(args[0].value) if len(args) == 1 and args[0].keyword is None else ""
    if name in SCHOOLBOOK:
        return f"type '{SCHOOLBOOK[name].format(inside or 'x')}'"
    if name in INSTEAD:
        return f"{INSTEAD[name]}: {name} is not supported here"
    close = did_you_mean(name, OPERATIONS) if len(name) > 1 else ""
    if close or not inside or len(name) > LONGEST_LETTER:
        return f"did you mean {close}?" if close else "gradcli ops lists the functions"
    return f"for a product type '{name}*({inside})'; gradcli ops lists the functions"


def _method(node: Method, parts: Sequence[Any]) -> Any:
    if not isinstance(parts[0], Tensor | list) and not _is_number(parts[0]):
        raise EvaluationError("E209", f"{describe_value(parts[0])} has no method {node.name!r}", label="not a tensor")
    method = OPERATIONS.get(node.name)
    if method is None or not method.method:
        methods = [name for name, operation in OPERATIONS.items() if operation.method]
        close = did_you_mean(node.name, methods)
        raise EvaluationError(
            "E209",
            f"a tensor has no method {node.name!r}",
            label="unknown method",
            help=f"did you mean .{close}()?" if close else "gradcli ops lists the methods",
        )
    receiver = Argument(node.receiver)
    return _call(node.name, [receiver, *node.arguments], parts)


def _attribute(name: str, value: Any) -> Any:
    if isinstance(value, tuple) and name in getattr(value, "_fields", ()):
        return getattr(value, name)
    if name == "shape" and isinstance(value, Tensor):
        return value.shape
    operation: Operation | None = OPERATIONS.get(name)
    if name not in ATTRIBUTES or operation is None:
        hint = f"write .{name}()" if operation is not None else "x.T and x.mT are the attributes"
        raise EvaluationError("E209", f"a tensor has no attribute {name!r}", label="unknown attribute", help=hint)
    return operation(value)


def _slice(node: Slice, parts: Sequence[Any]) -> slice:
    rest = iter(parts)
    bounds = (None if x is None else next(rest) for x in (node.start, node.stop, node.step))
    try:
        start, stop, step = (None if bound is None else integer(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise EvaluationError("E211", "a slice takes whole numbers", help="such as x[1:3]") from None
    return slice(start, stop, step)


def _index(value: Any, items: Sequence[Any]) -> Any:
    if isinstance(value, tuple):
        if len(items) == 1 and isinstance(items[0], int) and -len(value) <= items[0] < len(value):
            return value[items[0]]
        raise EvaluationError("E211", f"this has {len(value)} parts", help="index it with one of their numbers, from 0")
    return ops.index(_tensor(value, "indexing"), tuple(items))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _tensor(value: Any, use: str, convert: Callable[[Any], Any] = as_tensor) -> Any:
    try:
        return convert(value)
    except (TypeError, ValueError) as error:
        reason = f": {error}" if isinstance(error, ValueError) else ""
        raise EvaluationError(
            "E204", f"{use} takes a tensor or a number, not {describe_value(value)}{reason}"
        ) from None
