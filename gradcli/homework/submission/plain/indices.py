"""Formulas in index notation, `Σ_i (p_i - y_i) x_ij`, in the language: products entry by entry, and sums over an axis.

The parser writes `x_ij` as the name `x‿ij`, a sum over `i` as the call `Σ‿i‿1‿n` with its bounds, and `δ_ij` as `δ‿ij`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradcli.facts import dataclass
from gradcli.homework.submission.answers import UnreadableError
from gradcli.homework.wording import listed
from gradcli.language.catalogue import operations_that_are
from gradcli.language.rewrite import with_children
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Name,
    Number,
    Tuple,
    Unary,
    fold,
    postorder,
)

TIE = "‿"
ROW = "·"  # the axis of a row or a vector that has no letter: `x_i` of a matrix, `w`
ENTRYWISE = operations_that_are("elementwise")
LAST_BEFORE = re.compile(r"[A-Za-z]-1")


@dataclass(frozen=True, slots=True)
class Indexed:
    """A formula with a letter for each of its axes; a vector that is `turned` is a row."""

    tree: Expression
    axes: str = ""
    turned: bool = False


def has_indices(tree: Expression) -> bool:
    return any(TIE in name_of(node) for node in postorder(tree))


def name_of(node: Expression) -> str:
    return node.id if isinstance(node, Name) else node.function if isinstance(node, Call) else ""


def without_indices(
    tree: Expression, shapes: Mapping[str, tuple[int, ...]], asked: tuple[int, ...], letters: str
) -> Expression:
    """Return a formula without indices; `letters` are those of its label, in the order of the axes that are asked for.

    Raises UnreadableError where an index is neither bound nor in the label, or the sizes do not go together.
    """
    names = [tuple(node.id.split(TIE)) for node in postorder(tree) if isinstance(node, Name) and TIE in node.id]
    sizes: dict[str, int] = {}
    for base, index in names:
        if base != "δ":
            for letter, size in zip(axes_of(base, index, shapes), shapes[base], strict=True):
                if sizes.setdefault(letter, size) != size:
                    raise UnreadableError(f"the index {letter} runs over axes of different lengths")
    order = "".join(dict.fromkeys([*letters, *sorted("".join(index for _, index in names)), ROW]))
    notation = Notation(shapes, sizes, order)
    result = fold(tree, notation.step)
    free = letters or "".join(sorted(result.axes, key=order.index))
    if set(free) != set(result.axes) or len(free) != len(asked):
        loose = sorted(set(result.axes) - set(letters) - {ROW}) or sorted(set(letters) - set(result.axes))
        why = (
            f"neither summed over nor in the label: {listed(loose)}"
            if loose
            else "its indices are not what was asked for"
        )
        raise UnreadableError(why)
    return notation.aligned(result, free).tree


def axes_of(base: str, index: str, shapes: Mapping[str, tuple[int, ...]]) -> str:
    missing = len(shapes.get(base, ())) - len(index)
    if missing not in (0, 1) or len(set(index)) < len(index):
        raise UnreadableError(f"{base} has {len(shapes.get(base, ()))} axes, and the indices {index}")
    return index + ROW * missing


class Notation:
    """Rewrites the nodes of one formula; `order` is that of the axes wherever two formulas meet."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], sizes: dict[str, int], order: str) -> None:
        self.shapes, self.sizes, self.order = shapes, sizes, order

    def step(self, node: Expression, parts: Sequence[Indexed]) -> Indexed:
        match node:
            case Name() if TIE in node.id:
                return self.entry(*node.id.split(TIE))
            case Name():
                shape = self.shapes.get(node.id, ())
                if len(shape) > 1 or (shape and self.sizes.setdefault(ROW, shape[0]) != shape[0]):
                    raise UnreadableError(f"{node.id} stands without an index among others with one")
                return Indexed(node, ROW * len(shape))
            case Number():
                return Indexed(node)
            case Call("ᵀ" | "'") if parts[0].axes.endswith(ROW):
                return replace(parts[0], turned=True)
            case Call(function) if function.startswith(f"Σ{TIE}"):
                return self.total(parts[0], *function.split(TIE)[1:])
            case Binary(operator=" " | "·" | "@") if all(ROW in part.axes for part in parts):
                if not (parts[0].turned or node.operator == "·"):
                    raise UnreadableError("a product of two vectors among indices: write it with an index")
                return self.total(self.together(Binary("⊙", parts[0].tree, parts[1].tree), parts), ROW, "", "")
            case Binary(operator=" " | "·" | "*" | "⊙"):
                return self.together(Binary("⊙", parts[0].tree, parts[1].tree), parts)
            case Unary() | Compare() | Binary(operator="+" | "-" | "/" | "^" | "**"):
                return self.together(node, parts)
            case Call(function) if function in ENTRYWISE:
                return self.together(node, parts)
        raise UnreadableError("it mixes indices with what has none: write all of it with indices, or none")

    def entry(self, base: str, index: str) -> Indexed:
        if base != "δ":
            return Indexed(Name(base), axes_of(base, index, self.shapes))
        size = {self.sizes.get(letter, 0) for letter in index}
        if len(size) != 1 or size == {0}:
            raise UnreadableError(f"δ_{index} stands between axes of different lengths")
        return Indexed(Call("eye", (Argument(Name(str(*size))),)), index)

    def together(self, node: Expression, parts: Sequence[Indexed]) -> Indexed:
        """Return an operation entry by entry, each operand with the axes of all."""
        axes = "".join(sorted({letter for part in parts for letter in part.axes}, key=self.order.index))
        operands = [self.aligned(part, axes).tree for part in parts]
        return Indexed(with_children(node, operands), axes, any(part.turned for part in parts))

    def aligned(self, part: Indexed, axes: str) -> Indexed:
        """Return a formula whose axes stand in this order, those that it lacks with the length 1."""
        present = "".join(letter for letter in axes if letter in part.axes)
        tree = part.tree
        if present != part.axes:
            if len(present) > 2:
                raise UnreadableError("three indices in another order")
            tree = Attribute(tree, "T")
        if present and not axes.endswith(present):  # axes in front are added by themselves
            lengths = (str(self.sizes[letter]) if letter in present else "1" for letter in axes)
            tree = Call("reshape", (Argument(tree), Argument(Tuple(tuple(map(Name, lengths))))))
        return Indexed(tree, axes if present else "", part.turned)

    def total(self, body: Indexed, letters: str, lower: str, upper: str) -> Indexed:
        """Return the sum over some letters, which run over whole axes."""
        tree, axes = body.tree, body.axes
        for letter in letters:
            if letter not in axes:
                raise UnreadableError(f"{letter} is summed over, and does not stand in the sum")
            size = self.sizes[letter]
            is_whole = lower in ("", "1") and (upper in ("", str(size)) or (upper.isalpha() and len(upper) == 1))
            if not is_whole and not (lower == "0" and (upper == str(size - 1) or LAST_BEFORE.fullmatch(upper))):
                raise UnreadableError(f"the sum from {letter} = {lower} to {upper} is not over the {size} entries")
            tree = Call("sum", (Argument(tree), Argument(Name(str(axes.index(letter))), "dim")))
            axes = axes.replace(letter, "")
        return Indexed(tree, axes)
