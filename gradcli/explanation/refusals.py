"""Additions to a refusal where the program is known: the place, the operands with their shapes, a plain reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, EvaluationError, GradcliError
from gradcli.language.tree import Expression, List, Number, Tuple, Unary, children, postorder
from gradcli.language.unparser import unparse
from gradcli.ops.support.arguments import too_large
from gradcli.source import Source

T = TypeVar("T")
WIDEST = 30  # characters of an operand
MOST = 4  # operands
NUMERALS = (Number, Unary, List)
# Besides errors of ours: limits of the machine, and whatever numpy raises where it cannot compute.
FAILURES = (GradcliError, MemoryError, ArithmeticError, ValueError, IndexError)


def refused(error: Exception, node: Expression, values: Sequence[Any], source: Source | None) -> GradcliError:
    """Return the error of a node with its place; torch's errors name the operands, which have `values`, too."""
    refusal = failed(error)
    if isinstance(refusal, AutogradError) and not refusal.label:
        refusal.label = operands(node, values)
    return refusal.at(node.span, source)


def failed(error: Exception) -> GradcliError:
    """Return the error of the program for one of `FAILURES`; other exceptions are bugs, and pass through."""
    if isinstance(error, GradcliError):
        return error
    if isinstance(error, MemoryError):
        return EvaluationError("E210", "this needs more memory than there is", help="try it at a smaller size")
    if isinstance(error, OverflowError):
        return EvaluationError("E212", "a number here is too large for a size or a place", help="use a smaller one")
    if isinstance(error, ValueError | IndexError) and " 64" in str(error):
        return EvaluationError("E210", "a tensor has at most 64 dimensions", help="try it with fewer")
    return EvaluationError("E214", f"this cannot be computed: {error}", help="change the values or the arguments")


def in_line(function: Callable[..., T]) -> Callable[..., T]:
    """Decorate a function so that its errors have the place of the line, which is its first or second argument."""

    @wraps(function)
    def placed(*arguments: Any) -> T:
        try:
            return function(*arguments)
        except FAILURES as error:
            line = arguments[0] if hasattr(arguments[0], "span") else arguments[1]
            raise failed(error).at(line.span) from None

    return placed


def operands(node: Expression, values: Sequence[Any]) -> str:
    """`x (2,) and y (3,)`: the tensors that a node was given, as they are written, with their shapes."""
    texts = [f"{_cut(unparse(tree))} {value.shape}" for tree, value in _tensors(children(node), values)]
    if len(texts) > MOST:
        texts[MOST - 1 :] = [f"{len(texts) - MOST + 1} more"]
    *first, last = texts or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _tensors(trees: Sequence[Expression], values: Sequence[Any]) -> Iterator[tuple[Expression, Any]]:
    for tree, value in zip(trees, values, strict=True):
        if isinstance(value, Tensor):
            yield tree, value
        elif isinstance(tree, List) and all(isinstance(x, NUMERALS) for x in postorder(tree)):
            yield tree, np.asarray(value, object)  # which may be ragged
        elif isinstance(tree, List | Tuple):
            yield from _tensors(tree.items, value)


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."


def numbers(value: Any, what: str) -> Any:
    """Return a value as an array of real numbers or of booleans; EvaluationError where it is none."""
    if np.ma.is_masked(value):
        raise EvaluationError("E207", f"{what} is masked in places", help="fill them first, such as x.filled(0)")
    try:
        array = np.asarray(None if hasattr(value, "_fields") else value)  # several results are no list
    except ValueError:  # rows of different lengths, or more than 64 dimensions
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        raise no_numbers(what)
    return array


def no_numbers(what: str) -> EvaluationError:
    return EvaluationError(
        "E207",
        f"{what} is neither a number nor a list of numbers with rows of one length",
        label="not numbers",
        help="write a value such as 2, -1/2 or [[1, 2], [3, 4]]",
    )


def check_total(entries: int) -> None:
    """Refuse a program whose values add up to more than a machine should hold."""
    if entries > mode.largest:
        raise too_large(f"the values of this program have {entries:,} entries so far")
