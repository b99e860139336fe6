"""From a tree to a product, with a watch on shapes: what is dropped must not change the shape of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gradcli.language.simplify import structures
from gradcli.language.simplify.algebra.bases import Argument, Function
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import (
    ZERO,
    Polynomial,
    Product,
    Rational,
    Term,
    UnsimplifiedError,
    is_decimal,
    is_short,
    is_whole,
    total,
)
from gradcli.language.simplify.extents import SCALAR, Extent, Shape, joined
from gradcli.language.simplify.facts.functions import ELEMENTWISE, LINEAR, OPERATORS, PARTIAL, PASSING
from gradcli.language.simplify.facts.shapes import constant_value, shape_of_index, shape_of_list
from gradcli.language.simplify.numbers import as_typed
from gradcli.language.simplify.trees import length
from gradcli.language.tree import (
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Method,
    Name,
    Number,
    Slice,
    Tuple,
    Unary,
    children,
    fold,
    postorder,
)

CONSTANTS = frozenset(["pi", "inf", "nan"])
MOST_TYPED = 6  # decimals that numbers may be written over
WORDS = (Literal, List, Slice, Tuple)


class Reading(NamedTuple):
    """What is known of a subtree: its product, or None where it is no number; its extent as it stands.

    `is_total`: finite wherever its letters are, so that a comparison may be simplified. `terms` are those of a sum as
    it is written, without common factors taken out; inside a longer sum nothing else is computed.
    """

    tree: Expression
    product: Product | None
    extent: Extent = SCALAR
    is_total: bool = True
    terms: Polynomial | None = None


class Reader:
    """Reads a tree bottom-up; `shapes` has the shape of each name, and without it all names are numbers."""

    def __init__(self, algebra: Builder, shapes: Mapping[str, Shape] | None) -> None:
        self.algebra = algebra
        self.shapes = shapes
        self.inner_sums: set[int] = set()

    def read(self, tree: Expression) -> Product:
        """Return the product of a tree; fractions will be written as decimals if the tree has some."""
        self.algebra.typed = typed_decimals(tree)[:MOST_TYPED]
        self.inner_sums = inner_sums(tree)
        return self.restore_shape(fold(tree, self.combine))

    def combine(self, node: Expression, parts: Sequence[Reading]) -> Reading:
        match node:
            case Name():
                return self._atom(node, self._shape(node.id))
            case Number():
                return Reading(node, self.algebra.number(node))
            case List() if all(isinstance(operand.tree, Number | Unary | List) for operand in parts):
                return self._atom(node, shape_of_list(node))
            case Attribute(name="T", value=List() as matrix) if len(shape_of_list(matrix) or ()) == 2:
                return self.combine(transposed(matrix), parts)
            case Call(function="expand") if len(parts) == 2 and isinstance(parts[1].tree, Tuple):
                return self._read_expand(node, parts[0], parts[1].tree)
        if isinstance(node, WORDS):
            return Reading(node, None, is_total=False)
        if isinstance(node, Unary | Binary) and node.operator in "+-*/**":
            return self._read_operator(node, parts)
        return self._read_call(node, parts)

    def _shape(self, name: str) -> Shape | None:
        if self.shapes is None:
            return ()
        return self.shapes.get(name, () if name in CONSTANTS else None)

    def _atom(self, node: Expression, shape: Shape | None) -> Reading:
        product = self.algebra.atom(node, None if shape is None else Extent(shape), length(node))
        return Reading(node, product, self.algebra.extent(product))

    def _read_expand(self, node: Expression, operand: Reading, size: Tuple) -> Reading:
        """Read what is copied to a shape as itself: `restore_shape` puts the copying back where the shape needs it."""
        try:
            shape = constant_value(size)
        except ValueError:
            return self._read_call(node, [operand, Reading(size, None)])
        return Reading(node, operand.product, joined([operand.extent, Extent(shape)]), operand.is_total)

    def _read_operator(self, node: Unary | Binary, parts: Sequence[Reading]) -> Reading:
        """Read an operator that works entry by entry."""
        products = [operand.product for operand in parts if operand.product is not None]
        if len(products) < len(parts):
            raise UnsimplifiedError
        terms = self._terms(node, parts)
        if terms is not None and id(node) in self.inner_sums:
            extent, is_total = joined(operand.extent for operand in parts), all(operand.is_total for operand in parts)
            return Reading(node, ZERO, extent, is_total, terms)
        product = self.algebra.combined(node, products) if terms is None else self.algebra.collect(terms)
        assert isinstance(product, Product)
        self.algebra.read_exponents(product)
        is_total = all(operand.is_total for operand in parts)
        right = products[-1]
        if isinstance(node, Binary) and node.operator in ("/", "**"):
            is_total &= right.is_number and right != ZERO
            if node.operator == "**":
                is_total &= is_whole(right.coefficient) and right.coefficient > 0
        return Reading(node, product, joined(operand.extent for operand in parts), is_total, terms)

    def _terms(self, node: Unary | Binary, parts: Sequence[Reading]) -> Polynomial | None:
        """Return the terms of a sum of sums, so that a factor that some have in common does not come out first."""
        if not isinstance(node, Binary) or node.operator not in ("+", "-"):
            return None
        terms_of_sum = list[tuple[Term, Rational]]()
        for operand, sign in zip(parts, (1, 1 if node.operator == "+" else -1), strict=True):
            assert operand.product is not None
            terms = self.algebra.terms(operand.product) if operand.terms is None else operand.terms.items()
            terms_of_sum.extend((term, sign * coefficient) for term, coefficient in terms)
        return total(terms_of_sum)

    def _read_call(self, node: Expression, parts: Sequence[Reading]) -> Reading:
        if isinstance(node, Compare) and node.operator in ("==", "!="):  # equal numbers that are rounded alike
            extent = joined(operand.extent for operand in parts)
            return Reading(node, self.algebra.atom(node, extent, length(node)), extent)
        name, keywords = described(node, len(parts))
        elementwise = name in ELEMENTWISE or name in OPERATORS
        if name in structures.COPIES and parts[0].product is not None:
            return parts[0]
        if name == "zeros_like" and len(parts) == 1:
            return Reading(node, ZERO, parts[0].extent)
        if isinstance(node, Call) and structures.keeps_one_dimension(node, [operand.extent for operand in parts]):
            places = [place for place, word in enumerate(keywords) if word not in ("dim", "keepdim")]
            reduction = Call(name, tuple(node.arguments[place] for place in places))  # the reader sees to its shape
            result = self._read_call(reduction, [parts[place] for place in places])
            return result._replace(tree=node, extent=Extent((1,)))
        arguments = []
        is_passing = name in PASSING or all(operand.is_total for operand in parts if operand.product is not None)
        for operand, keyword in zip(parts, keywords, strict=True):
            if operand.product is None:
                arguments.append(Argument(operand.tree, keyword))
            elif not is_passing:  # nan may become a number there; what is compared stays alike
                atom = self.algebra.atom(operand.tree, operand.extent, length(operand.tree))
                arguments.append(Argument(atom, keyword))
            else:
                arguments.append(Argument(operand.product if elementwise else self.restore_shape(operand), keyword))
        template = None if isinstance(node, Call) else node
        zeros = self.algebra.extent_of_call(name, arguments)
        linear = [arguments[place] for place in LINEAR.get(name, ()) if place < len(parts)]
        if zeros and (name == "zeros" or any(map(self.algebra.is_zero, linear))):
            return Reading(node, ZERO, zeros)
        product = self.algebra.call(name, arguments, template)
        self.algebra.read_exponents(product)
        if elementwise:
            extent = joined(operand.extent for operand in parts if operand.product is not None)
        else:
            raw_extent = self.algebra.extent_of_call(name, arguments)
            extent = self.algebra.extent(self.algebra.function(name, arguments, raw_extent, template))
            before = parts[0] if parts else None
            if isinstance(node, Index) and before is not None and not before.extent.unknown:
                shape = shape_of_index(before.extent.shape, node.items)
                extent = extent if shape is None else Extent(shape)
            if before is not None and before.product is not None:
                simpler = structures.sum_of_one(self.algebra, before.product, before.extent) if name == "sum" else None
                if simpler is None and before.is_total | (name not in ("sum", "mean")):
                    simpler = self._simpler(node, name, before, extent, arguments, product)
                product = product if simpler is None else simpler
        total = name in PASSING and name not in PARTIAL and all(operand.is_total for operand in parts)
        return Reading(node, product, extent, total)

    def _simpler(
        self, node: Expression, name: str, operand: Reading, after: Extent, arguments: Sequence[Argument], call: Product
    ) -> Product | None:
        """Return the simpler result of a structured function of equal entries or without effect; None for others."""
        assert operand.product is not None
        algebra = self.algebra
        if isinstance(node, Index):
            row = structures.selected(algebra, node, operand.product, after)
            if row is not None:
                return row
        reshaped = algebra.only(call, Function) if name == "reshape" else None
        x = None if reshaped is None else reshaped.arguments[0].value
        if isinstance(x, Product) and algebra.extent(x) == after:
            return x
        options = structures.described(algebra, arguments)
        return structures.of_constant(algebra, name, operand.product, operand.extent, after, options)

    def restore_shape(self, operand: Reading) -> Product:
        """Return the product of an operand in the shape that the operand has as it stands."""
        if operand.product is None:
            raise UnsimplifiedError
        extent = self.algebra.extent(operand.product)
        if extent == operand.extent:
            return operand.product
        if extent.unknown or operand.extent.unknown:
            return self.algebra.atom(operand.tree, operand.extent, length(operand.tree))
        size = Argument(Tuple(tuple(map(Number, operand.extent.shape))))
        if operand.product == ZERO:
            return self.algebra.call("zeros", [size])
        return self.algebra.call("expand", [Argument(operand.product), size])


def inner_sums(tree: Expression) -> set[int]:
    """Return the ids of the sums that stand only inside longer sums: they are not simplified by themselves."""
    inside, outside = set[int](), set[int]()
    for node in postorder(tree):
        is_sum = isinstance(node, Binary) and node.operator in ("+", "-")
        (inside if is_sum else outside).update(map(id, children(node)))
    return inside - outside


def typed_decimals(tree: Expression) -> tuple[Rational, ...]:
    """Return the decimals that a person wrote; halves in exponents do not count, for they are always written so."""
    nodes = list(postorder(tree))
    exponents = [node.right for node in nodes if isinstance(node, Binary) and node.operator == "**"]
    halves = {id(inner) for x in exponents for inner in (x, *children(x))}
    listed = {id(inner) for node in nodes if isinstance(node, List) for item in node.items for inner in postorder(item)}
    return tuple(
        number
        for node in nodes
        if isinstance(node, Number)
        and not float(node.value).is_integer()
        and is_short(number := as_typed(node.value))
        and is_decimal(number)
        and id(node) not in listed
        and not (id(node) in halves and float(2 * node.value).is_integer())
    )


def transposed(matrix: List) -> List:
    rows = [row.items for row in matrix.items if isinstance(row, List)]
    return List(tuple(map(List, zip(*rows, strict=True))))


def described(node: Expression, count: int) -> tuple[str, list[str | None]]:
    """Return the name of a node as a function, and the keywords of its arguments."""
    keywords: list[str | None] = [None] * count
    match node:
        case Call():
            return node.function, [argument.keyword for argument in node.arguments]
        case Method():
            return f".{node.name}()", [None, *(argument.keyword for argument in node.arguments)]
        case Attribute():
            return f".{node.name}", keywords
        case Binary() | Compare():
            return node.operator, keywords
    return type(node).__name__, keywords
