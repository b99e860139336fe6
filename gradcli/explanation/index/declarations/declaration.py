"""An operation that is taught as one: the rules that a course gives it, and the index formulas behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradcli.facts import dataclass
from gradcli.language.tree import Argument, Call, Expression, Name, Number, Unary

Given = Mapping[str, tuple[str, Any]]  # what a formula mentions that is no input: words, and the value
Finder = Callable[[Sequence[Any]], Given]  # from the values of the operands
UPSTREAM, OUT = Name(" g"), Name(" out")  # in rules, where no user has these names


@dataclass(frozen=True, slots=True)
class Declared:
    """An operation with the rule of each of its operands, in terms of these, of `OUT` and of `UPSTREAM`.

    `formulas` are the index formulas over `x0`, `x1`, ...; `finder` finds the tensors that they mention beside these.
    """

    operands: tuple[Expression, ...]
    rules: tuple[Expression | None, ...]
    formulas: str
    says: str
    finder: Finder


def column(x: Expression) -> Expression:
    """Return one number a row as a column, which broadcasts along the row."""
    return Call("unsqueeze", (Argument(x), Argument(Number(1))))


def number_of(tree: Expression) -> float | None:
    match tree:
        case Number(value):
            return value
        case Unary("-", Number(value)):
            return -value
    return None
