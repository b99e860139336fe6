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
from gradcli.language.simplify.facts.shapes import plain, shape_of_index, shape_of_list
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


class Read(NamedTuple):
    """A part of the tree: its product, or None where it is no number; the extent that it has as it stands.

    `is_total`: finite wherever its letters are, so that a comparison may be simplified. `terms` are those of a sum as
    it is written, without common factors taken out; in a longer sum they are all that is known of it.
    """

    tree: Expression
    product: Product | None
    extent: Extent = SCALAR
    is_total: bool = True
    terms: Polynomial | None = None


class Reader:
    """Reads a tree bottom-up; `shapes` are those of the names, which are plain numbers without it."""

    def __init__(self, algebra: Builder, shapes: Mapping[str, Shape] | None) -> None:
        self.algebra = algebra
        self.shapes = shapes
        self.inner_sums: set[int] = set()

    def read(self, tree: Expression) -> Product:
        """Return the product of a tree; fractions will be written as decimals if the tree has some."""
        self.algebra.typed = typed_decimals(tree)[:MOST_TYPED]
        self.inner_sums = inner_sums(tree)
        return self.closed(fold(tree, self.combine))

    def combine(self, node: Expression, parts: Sequence[Read]) -> Read:
        match node:
            case Name():
                return self._atom(node, self._shape(node.id))
            case Number():
                return Read(node, self.algebra.number(node))
            case List() if all(isinstance(part.tree, Number | Unary | List) for part in parts):
                return self._atom(node, shape_of_list(node))
            case Attribute(name="T", value=List() as matrix) if len(shape_of_list(matrix) or ()) == 2:
                return self.combine(transposed(matrix), parts)
            case Call(function="expand") if len(parts) == 2 and isinstance(parts[1].tree, Tuple):
                return self._expanded(node, parts[0], parts[1].tree)
        if isinstance(node, WORDS):
            return Read(node, None, is_total=False)
        if isinstance(node, Unary | Binary) and node.operator in "+-*/**":
            return self._operated(node, parts)
        return self._called(node, parts)

    def _shape(self, name: str) -> Shape | None:
        if self.shapes is None:
            return ()
        return self.shapes.get(name, () if name in CONSTANTS else None)

    def _atom(self, node: Expression, shape: Shape | None) -> Read:
        product = self.algebra.atom(node, None if shape is None else Extent(shape), length(node))
        return Read(node, product, self.algebra.extent(product))

    def _expanded(self, node: Expression, part: Read, size: Tuple) -> Read:
        """Read what is copied to a shape as itself: `closed` puts the copying back where the shape needs it."""
        try:
            shape = plain(size)
        except ValueError:
            return self._called(node, [part, Read(size, None)])
        return Read(node, part.product, joined([part.extent, Extent(shape)]), part.is_total)

    def _operated(self, node: Unary | Binary, parts: Sequence[Read]) -> Read:
        """Read an operator that works entry by entry."""
        products = [part.product for part in parts if part.product is not None]
        if len(products) < len(parts):
            raise UnsimplifiedError
        terms = self._terms(node, parts)
        if terms is not None and id(node) in self.inner_sums:
            extent, is_total = joined(part.extent for part in parts), all(part.is_total for part in parts)
            return Read(node, ZERO, extent, is_total, terms)
        product = self.algebra.combined(node, products) if terms is None else self.algebra.collect(terms)
        assert isinstance(product, Product)
        self.algebra.read_exponents(product)
        is_total = all(part.is_total for part in parts)
        right = products[-1]
        if isinstance(node, Binary) and node.operator in ("/", "**"):
            is_total &= right.is_number and right != ZERO
            if node.operator == "**":
                is_total &= is_whole(right.coefficient) and right.coefficient > 0
        return Read(node, product, joined(part.extent for part in parts), is_total, terms)

    def _terms(self, node: Unary | Binary, parts: Sequence[Read]) -> Polynomial | None:
        """Return the terms of a sum of sums, so that a factor that some have in common does not come out first."""
        if not isinstance(node, Binary) or node.operator not in ("+", "-"):
            return None
        found = list[tuple[Term, Rational]]()
        for part, sign in zip(parts, (1, 1 if node.operator == "+" else -1), strict=True):
            assert part.product is not None
            terms = self.algebra.terms(part.product) if part.terms is None else part.terms.items()
            found.extend((term, sign * coefficient) for term, coefficient in terms)
        return total(found)

    def _called(self, node: Expression, parts: Sequence[Read]) -> Read:
        if isinstance(node, Compare) and node.operator in ("==", "!="):  # equal numbers that are rounded alike
            extent = joined(part.extent for part in parts)
            return Read(node, self.algebra.atom(node, extent, length(node)), extent)
        name, keywords = described(node, len(parts))
        elementwise = name in ELEMENTWISE or name in OPERATORS
        if name in structures.COPIES and parts[0].product is not None:
            return parts[0]
        if name == "zeros_like" and len(parts) == 1:
            return Read(node, ZERO, parts[0].extent)
        if isinstance(node, Call) and structures.keeps_one_dimension(node, [part.extent for part in parts]):
            kept = [place for place, word in enumerate(keywords) if word not in ("dim", "keepdim")]
            whole = Call(name, tuple(node.arguments[place] for place in kept))  # the reader sees to its shape
            return self._called(whole, [parts[place] for place in kept])._replace(tree=node, extent=Extent((1,)))
        arguments = []
        is_passing = name in PASSING or all(part.is_total for part in parts if part.product is not None)
        for part, keyword in zip(parts, keywords, strict=True):
            if part.product is None:
                arguments.append(Argument(part.tree, keyword))
            elif not is_passing:  # nan may become a number there; what is compared stays alike
                arguments.append(Argument(self.algebra.atom(part.tree, part.extent, length(part.tree)), keyword))
            else:
                arguments.append(Argument(part.product if elementwise else self.closed(part), keyword))
        template = None if isinstance(node, Call) else node
        zeros = self.algebra.extent_of_call(name, arguments)
        linear = [arguments[place] for place in LINEAR.get(name, ()) if place < len(parts)]
        if zeros and (name == "zeros" or any(map(self.algebra.is_zero, linear))):
            return Read(node, ZERO, zeros)
        product = self.algebra.call(name, arguments, template)
        self.algebra.read_exponents(product)
        if elementwise:
            extent = joined(part.extent for part in parts if part.product is not None)
        else:
            as_it_stands = self.algebra.function(
                name, arguments, self.algebra.extent_of_call(name, arguments), template
            )
            extent = self.algebra.extent(as_it_stands)
            before = parts[0] if parts else None
            if isinstance(node, Index) and before is not None and not before.extent.unknown:
                shape = shape_of_index(before.extent.shape, node.items)
                extent = extent if shape is None else Extent(shape)
            if before is not None and before.product is not None:
                one = structures.sum_of_one(self.algebra, before.product, before.extent) if name == "sum" else None
                if one is None and before.is_total | (name not in ("sum", "mean")):
                    one = self._simpler(node, name, before, extent, arguments, product)
                product = product if one is None else one
        total = name in PASSING and name not in PARTIAL and all(part.is_total for part in parts)
        return Read(node, product, extent, total)

    def _simpler(
        self, node: Expression, name: str, part: Read, after: Extent, arguments: Sequence[Argument], made: Product
    ) -> Product | None:
        """Return what a structured function does to one number in all entries, or if it does nothing."""
        assert part.product is not None
        algebra = self.algebra
        if isinstance(node, Index):
            found = structures.selected(algebra, node, part.product, after)
            if found is not None:
                return found
        reshaped = algebra.only(made, Function) if name == "reshape" else None
        if (
            reshaped is not None
            and isinstance(x := reshaped.arguments[0].value, Product)
            and algebra.extent(x) == after
        ):
            return x
        options = structures.described(algebra, arguments)
        return structures.of_constant(algebra, name, part.product, part.extent, after, options)

    def closed(self, part: Read) -> Product:
        """Return the product of a part in the shape that the part has as it stands."""
        if part.product is None:
            raise UnsimplifiedError
        extent = self.algebra.extent(part.product)
        if extent == part.extent:
            return part.product
        if extent.unknown or part.extent.unknown:
            return self.algebra.atom(part.tree, part.extent, length(part.tree))
        size = Argument(Tuple(tuple(map(Number, part.extent.shape))))
        if part.product == ZERO:
            return self.algebra.call("zeros", [size])
        return self.algebra.call("expand", [Argument(part.product), size])


def inner_sums(tree: Expression) -> set[int]:
    """Return the sums that are nothing but a part of a longer one: they are not worked on by themselves."""
    inside, others = set[int](), set[int]()
    for node in postorder(tree):
        is_sum = isinstance(node, Binary) and node.operator in ("+", "-")
        (inside if is_sum else others).update(map(id, children(node)))
    return inside - others


def typed_decimals(tree: Expression) -> tuple[Rational, ...]:
    """Return the decimals that a person wrote; halves in exponents do not count, for they are always written so."""
    nodes = list(postorder(tree))
    exponents = [node.right for node in nodes if isinstance(node, Binary) and node.operator == "**"]
    halves = {id(part) for x in exponents for part in (x, *children(x))}
    listed = {id(part) for node in nodes if isinstance(node, List) for item in node.items for part in postorder(item)}
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
