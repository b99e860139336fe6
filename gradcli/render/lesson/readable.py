"""Formulas as people write them: `⊙` between tensors, `[h > 0]` for what is 1 there and 0 elsewhere, no bare copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import NamedTuple

from gradcli.language.catalogue import operations_that_are
from gradcli.language.rewrite import with_children
from gradcli.language.simplify.facts.functions import ELEMENTWISE
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    List,
    Literal,
    Name,
    Number,
    Tuple,
    Unary,
    fold,
)

ENTRYWISE = "⊙"
EACH, ROW, ALONG, COPIED = " in each entry", " in each row", " along each row", " copied to the full shape"


class Ranked(NamedTuple):
    """A formula and its number of dimensions; None where it is not known."""

    tree: Expression
    rank: int | None


def readable(
    tree: Expression, ranks: Mapping[str, int], entrywise: str = ENTRYWISE, *, is_typed: bool = False
) -> Expression:
    """Return a formula for the eye; `ranks` are the dimensions of the tensors that have names.

    One that somebody typed keeps its functions.
    """
    return ranked(tree, ranks, entrywise, is_typed=is_typed).tree


def ranked(tree: Expression, ranks: Mapping[str, int], entrywise: str = ENTRYWISE, *, is_typed: bool = False) -> Ranked:
    """Return a formula for the eye, and its dimensions."""

    def combine(node: Expression, parts: Sequence[Ranked]) -> Ranked:
        match node:
            case Name(id):
                return Ranked(node, ranks.get(id))
            case Number():
                return Ranked(node, 0)
            case Call("where", (condition, _, Argument(Number(0)))) if isinstance(condition.value, Compare):
                if not is_typed:
                    return gated(parts[1], Ranked(List((parts[0].tree,)), parts[0].rank), entrywise)
            case Binary("@") if not is_typed:
                first, second = (as_ones(part.tree) for part in parts)
                return Ranked(Binary("@", first, second), rank(node, [part.rank for part in parts]))
            case Binary("*" | "/" | "+" | "-" | "**" as sign, _, _):
                left, right = parts if is_typed else uncopied(*parts)
                return combined(sign, left, right, entrywise)
        return Ranked(with_children(node, [part.tree for part in parts]), rank(node, [part.rank for part in parts]))

    return fold(tree, combine)


def label(tree: Expression, ranks: Mapping[str, int], write: Callable[[Expression], str], entrywise: str) -> str:
    """Return a local derivative or a rule at an arrow, in few words: `each g/3` where each entry gets that."""
    part, where = each_part(tree, ranks)
    written = write(readable(part, ranks, entrywise))
    return f"each {written}" if where == EACH else f"{written}{where.removesuffix(' to the full shape')}"


def gated(passing: Ranked, gate: Ranked, entrywise: str) -> Ranked:
    """Return `g ⊙ [h > 0]` for `where(h > 0, g, 0)`."""
    return gate if passing.tree == Number(1) else combined("*", passing, gate, entrywise)


def combined(sign: str, left: Ranked, right: Ranked, entrywise: str) -> Ranked:
    if sign == "*" and left.rank and right.rank:
        sign = entrywise
    ranks = [side.rank for side in (left, right) if side.rank is not None]
    known = max(ranks, default=0) or (None if len(ranks) < 2 else 0)  # of a tensor and anything, a tensor at least
    return Ranked(Binary(sign, left.tree, right.tree), known)


def uncopied(left: Ranked, right: Ranked) -> tuple[Ranked, Ranked]:
    """Return two operands, of which one that is copied to the shape of the other stands without a word."""
    copied = [copied_value(side.tree) for side in (left, right)]
    if copied[0] is not None and right.rank and copied[1] is None:
        return Ranked(copied[0], 0), right
    if copied[1] is not None and left.rank and copied[0] is None:
        return left, Ranked(copied[1], 0)
    return left, right


def as_ones(tree: Expression) -> Expression:
    """Return a number that is copied to a shape as that number times ones."""
    match tree:
        case Call("expand", (Argument(Number(1)), shape)):
            return Call("ones", (shape,))
        case Call("expand", (Argument(Number() | Binary("/", Number(), Number()) as number), shape)):
            return Binary("*", number, Call("ones", (shape,)))
    return tree


def copied_value(tree: Expression) -> Expression | None:
    """Return what `expand` copies; None of any other formula."""
    match tree:
        case Call("expand", (Argument(inner, None), *_)):
            return inner
        case Call("zeros"):
            return Number(0)
    return None


def rank(node: Expression, ranks: Sequence[int | None]) -> int | None:
    """Return the dimensions of an operation over operands of some dimensions, where that is certain."""
    match node:
        case Binary("@"):
            first, second = ranks
            return max(first + second - 2, 0) if first in (1, 2) and second in (1, 2) else None
        case Unary() | Attribute(_, "T"):
            return ranks[0]
        case Compare():
            return None if None in ranks else max(dims for dims in ranks if dims is not None)
        case Call(function, (_, *options)) if function in operations_that_are("reducing") and ranks[0] is not None:
            given = {option.keyword: option.value for option in options}
            if not given or given.get("keepdim") == Literal(True):
                return ranks[0] if given else 0
            return ranks[0] - 1 if isinstance(given.get("dim"), Number) else None
        case Call("reshape" | "expand", (_, Argument(Tuple(sizes)))):
            return len(sizes)
        case Call("outer"):
            return 2
        case Call(function) if function in operations_that_are("ranked"):
            return ranks[0]
        case Call(function) if function in ELEMENTWISE:
            known = [dims for dims in ranks if dims]
            return max(known, default=next(iter(ranks), None))
    return None


Take = Callable[[Expression, Mapping[str, int]], Expression | None]


def each(tree: Expression, ranks: Mapping[str, int], take: Take) -> Expression | None:
    """Return `g/3` of `expand(g, (3,))/3`, where `take` gives what a copy is of; None of what copies nothing so."""
    match tree:
        case Binary("/" | "*" as sign, left, right) if (inner := each(left, ranks, take)) is not None:
            return Binary(sign, inner, right) if ranked(right, ranks).rank == 0 else None
        case Binary("*", left, right) if (inner := each(right, ranks, take)) is not None:
            return Binary("*", left, inner) if ranked(left, ranks).rank == 0 else None
        case Unary("-", operand) if (inner := each(operand, ranks, take)) is not None:
            return Unary("-", inner)
    return take(tree, ranks)


def number_copied(tree: Expression, ranks: Mapping[str, int]) -> Expression | None:
    inner = copied_value(tree)
    return inner if inner is not None and ranked(inner, ranks).rank == 0 else None


def vector_copied(tree: Expression, ranks: Mapping[str, int], axes: Sequence[Expression]) -> Expression | None:
    """Return the vector that stands in all rows of a matrix, or along them, by the axis that is new."""
    match tree:
        case Call("expand", (Argument(Call("unsqueeze", (inner, axis))), Argument(Tuple(sizes)))) if len(sizes) == 2:
            return inner.value if axis.value in axes and ranked(inner.value, ranks).rank == 1 else None
        case Call("expand", (inner, Argument(Tuple(sizes)))) if len(sizes) == 2 and Number(0) in axes:
            return inner.value if ranked(inner.value, ranks).rank == 1 else None
    return None


def tensor_copied(tree: Expression, ranks: Mapping[str, int]) -> Expression | None:
    inner = copied_value(tree)
    return inner if isinstance(tree, Call) and inner is not None and tree.function == "expand" else None


PLACES: Sequence[tuple[str, Take]] = (
    (EACH, number_copied),
    (ROW, partial(vector_copied, axes=(Number(0),))),
    (ALONG, partial(vector_copied, axes=(Number(1), Unary("-", Number(1)), Number(-1)))),
    (COPIED, tensor_copied),
)


def each_part(tree: Expression, ranks: Mapping[str, int]) -> tuple[Expression, str]:
    """Return what every entry or every row gets, and where; a formula that copies nothing as it is, and ""."""
    for where, take in PLACES:
        part = each(tree, ranks, take)
        if part is not None:
            return part, where
    return tree, ""


def gets(written: str) -> tuple[str, str] | None:
    """Return `each row` and `g/3` for `g/3 in each row`; None for what copies nothing."""
    for where in (EACH, ROW):
        if written.endswith(where):
            return where.removeprefix(" in "), written.removesuffix(where)
    return ("each row", f"its entry of {written.removesuffix(ALONG)}") if written.endswith(ALONG) else None


def bare(written: str) -> str:
    """Return a formula without the words that say where it stands."""
    return reduce(str.removesuffix, (where for where, _ in PLACES), written)
