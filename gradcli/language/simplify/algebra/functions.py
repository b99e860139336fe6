"""The algebra of functions: roots are powers, numbers come out of linear functions, identities of one call apply."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gradcli.language.simplify.algebra.bases import Argument, Function, Sum
from gradcli.language.simplify.algebra.exponents import Exponents
from gradcli.language.simplify.algebra.terms import (
    ONE,
    ZERO,
    Product,
    Rational,
    UnsimplifiedError,
    is_short,
    scaled,
)
from gradcli.language.simplify.extents import SCALAR, Extent, Shape, joined
from gradcli.language.simplify.facts.functions import ELEMENTWISE, LINEAR, OPERATORS
from gradcli.language.simplify.facts.identities import LETTERS
from gradcli.language.simplify.facts.rules import Rule, call_rules, head
from gradcli.language.simplify.facts.shapes import constant_value, dims_of, shape_of_call
from gradcli.language.simplify.numbers import as_typed
from gradcli.language.tree import (
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Literal,
    Name,
    Number,
    Unary,
    children,
    fold,
)

Bound = dict[str, Product | Expression]  # what the letters of a pattern stand for

MOST_TERMS = 4  # of a sum whose terms are summed one by one
POWERS: dict[str, Rational] = {"sqrt": Fraction(1, 2), "rsqrt": Fraction(-1, 2), "square": 2, "reciprocal": -1}


class Builder(Exponents):
    """Products from calls and operators over products."""

    def __init__(self, products: Sequence[tuple[str, ...]] = ()) -> None:
        super().__init__(products)
        self._calls: dict[tuple[str, tuple[Argument, ...]], Product] = {}
        self._evaluated: dict[tuple[int, tuple[object, ...]], Product] = {}

    def call(self, name: str, arguments: Sequence[Argument], template: Expression | None = None) -> Product:
        """Return `name(arguments)`, simplified by itself; `template` is the tree of what is no call."""
        key = (name, tuple(arguments))
        if key not in self._calls:
            self._calls[key] = self._call(name, arguments, template)
        return self._calls[key]

    def _call(self, name: str, arguments: Sequence[Argument], template: Expression | None) -> Product:
        first = arguments[0].value if arguments else None
        if len(arguments) == 1 and isinstance(first, Product):
            if name == "exp":
                return self.exponential(first)
            if name in POWERS:
                return self.power(first, POWERS[name])
            if name == "abs" and first.coefficient >= 0 and self.is_nonnegative(first.term):
                return first
        number, arguments = self._without_numbers(name, arguments)
        if name in ("sum", "mean") and (self._is_centred(arguments) or self._cancels(name, arguments)):
            return ZERO
        product = self.function(name, arguments, self.extent_of_call(name, arguments), template)
        for rule in call_rules(name):
            bound = self.matched(rule.pattern, product, {})
            if bound is not None and self.holds(rule, bound):
                product = self.evaluated(rule.result, bound)
                break
        return self.multiply(number, product) if number != ONE else product

    def _without_numbers(self, name: str, arguments: Sequence[Argument]) -> tuple[Product, Sequence[Argument]]:
        """Take the numbers out of the arguments in which a function is linear."""
        if name == "where" and len(arguments) == 3:
            return self._without_common_number(arguments)
        number = ONE
        numberless = list(arguments)
        for position in LINEAR.get(name, ())[: len(numberless)]:
            x = numberless[position].value
            if not isinstance(x, Product):
                continue
            if x.coefficient not in (0, 1) and (x.term or x.coefficient == -1):
                sign = 1 if self.shown_coefficient(Product(1, x.term)) > 0 else -1
                number, x = scaled(number, x.coefficient * sign), Product(sign, x.term)
            scalars = tuple(power for power in x.term if self.bases[power[0]].extent == SCALAR)
            if scalars and len(scalars) < len(x.term):
                number = self.multiply(number, Product(1, scalars))
                x = Product(x.coefficient, tuple(power for power in x.term if power not in scalars))
            numberless[position] = Argument(x, numberless[position].keyword)
        return self._without_copies(name, number, numberless)

    def _without_copies(
        self, name: str, number: Product, arguments: Sequence[Argument]
    ) -> tuple[Product, Sequence[Argument]]:
        """Take out of a sum or mean along axes the factors whose entries are the same along them."""
        inside = arguments[0].value if name in ("sum", "mean") else None
        if not isinstance(inside, Product) or self.extent(inside).unknown:
            return number, arguments
        shape, described = self.extent(inside).shape, self.described(arguments)
        axes, is_kept = self._axes(arguments, len(shape)), bool(described.get("keepdim", described.get(2)))
        if not axes:
            return number, arguments
        varying = [x for x in inside.term if self._varies(self.bases[x[0]].extent.shape, axes, len(shape), is_kept)]
        rest = Product(inside.coefficient, tuple(varying))
        if len(varying) == len(inside.term) or self.extent(rest).shape != shape:
            return number, arguments
        outside = Product(1, tuple(power for power in inside.term if power not in varying))
        return self.multiply(number, outside), [Argument(rest), *arguments[1:]]

    @staticmethod
    def _varies(shape: Shape, axes: Sequence[int], rank: int, is_kept: bool) -> bool:
        """Tell whether a factor of a tensor varies along axes of it, or would stand elsewhere once they are gone."""
        own_axes = range(rank - len(shape), rank)
        if not is_kept:
            return any(axis <= max(axes) for axis in own_axes)
        return any(axis in axes and size > 1 for axis, size in zip(own_axes, shape, strict=True))

    def _is_centred(self, arguments: Sequence[Argument]) -> bool:
        """Tell whether a sum is of `x - mean(x)` along the same axes, or of all of it, the entries of which cancel."""
        inside = self.only(arguments[0].value, Sum) if isinstance(arguments[0].value, Product) else None
        if inside is None or inside.extent.unknown or len(inside.polynomial) != 2:
            return False
        first, second = (Product(c, t) for t, c in inside.polynomial.items())
        rank, axes = len(inside.extent.shape), self._axes(arguments, len(inside.extent.shape))
        for x, mean in ((first, scaled(second, -1)), (second, scaled(first, -1))):
            function = self.only(mean, Function)
            if function is not None and function.name == "mean" and function.arguments[0].value == x:
                is_kept = self.described(function.arguments).get("keepdim") or self.extent(mean) == SCALAR
                along = self._axes(function.arguments, rank)
                if along and set(along) <= set(axes) and (is_kept or max(along) < len(along)):
                    return self.extent(x) == inside.extent
        return False

    def _cancels(self, name: str, arguments: Sequence[Argument]) -> bool:
        """Tell whether a sum of terms is 0, for the sums of its terms are: of `p*sum(y) - y`, where p are shares."""
        inside = self.only(arguments[0].value, Sum) if isinstance(arguments[0].value, Product) else None
        if inside is None or inside.extent.unknown or len(inside.polynomial) > MOST_TERMS:
            return False
        terms = [Product(c, t) for t, c in inside.polynomial.items()]
        if any(self.extent(term) != inside.extent for term in terms):
            return False  # copies of a term count
        sums = [self.call(name, [Argument(term), *arguments[1:]]) for term in terms]
        return self.add(*sums) == ZERO

    def _axes(self, arguments: Sequence[Argument], rank: int) -> Sequence[int]:
        """Return the axes of a sum or mean, which are all where none are told; none where that is not known."""
        described = self.described(arguments)
        if not described.keys() & {"dim", 1}:
            return range(rank)
        return dims_of(described.get("dim", described.get(1)), rank) or ()

    def _without_common_number(self, arguments: Sequence[Argument]) -> tuple[Product, Sequence[Argument]]:
        """Take the number of one case out where the other case is 0."""
        condition, *cases = arguments
        for position in (0, 1):
            x, other_case = cases[position].value, cases[1 - position].value
            if isinstance(x, Product) and other_case == Product(0) and x.coefficient not in (0, 1):
                cases[position] = Argument(Product(1, x.term))
                return Product(x.coefficient), (condition, *cases)
        return ONE, arguments

    def extent_of_call(self, name: str, arguments: Sequence[Argument]) -> Extent | None:
        if name in ELEMENTWISE or name in OPERATORS:
            return joined(self.extent(x.value) for x in arguments if isinstance(x.value, Product))
        shape = shape_of_call(name, self.described(arguments))
        return None if shape is None else Extent(shape)

    def described(self, arguments: Sequence[Argument]) -> dict[int | str, Any]:
        """Return by position or keyword the values of arguments that are constant, and the shapes of the others."""
        described: dict[int | str, Any] = {}
        for position, argument in enumerate(arguments):
            x: Any = argument.value
            if isinstance(x, Product) and x.is_number:
                x = x.coefficient
            elif isinstance(x, Product):
                extent = self.extent(x)
                x = None if extent.unknown else extent.shape
            else:
                try:
                    x = constant_value(x)
                except ValueError:
                    x = None
            described[argument.keyword or position] = x
        return described

    def exponential(self, exponent: Product) -> Product:
        """Return `exp(exponent)`; of `x - logsumexp(x)` along a dimension the softmax."""
        for term in self.split(exponent):
            total = self._logsumexp(scaled(term, -1))
            if total is not None and total.arguments[0].value == self.add(exponent, scaled(term, -1)):
                return self.call("softmax", [argument for argument in total.arguments if argument.keyword != "keepdim"])
        return super().exponential(exponent)

    def _logsumexp(self, product: Product) -> Function | None:
        """Return `logsumexp(x, dim=d)` of a product that is nothing else and keeps its dimension; else None."""
        function = self.only(product, Function)
        dim: Product | Expression | None = None
        if function is not None and function.name == "unsqueeze" and isinstance(function.arguments[0].value, Product):
            dim = function.arguments[1].value
            function = self.only(function.arguments[0].value, Function)
        if function is None or function.name != "logsumexp":
            return None
        options = {x.keyword: x.value for x in function.arguments[1:]}
        is_kept = "keepdim" not in options and dim == options.get("dim") if dim else "keepdim" in options
        is_kept = is_kept or (not dim and options.get("dim") == Product(0))  # of the first it broadcasts
        is_one = isinstance(options.get("dim"), Product)  # softmax takes no tuple of dimensions
        return function if is_kept and is_one and options.keys() <= {"dim", "keepdim"} else None

    def exponential_of(self, base: int) -> Product | None:
        """Return the exponential of one base where it is something simpler."""
        inside = Product(1, ((base, 1),))
        if isinstance(self.bases[base], Function):
            for rule in call_rules("exp"):
                assert isinstance(rule.pattern, Call)
                bound = self.matched(rule.pattern.arguments[0].value, inside, {})
                if bound is not None:
                    return self.evaluated(rule.result, bound)
        return None

    def evaluated(self, tree: Expression, bound: Bound) -> Product:
        """Return a tree with products for its letters."""
        key = (id(tree), tuple(sorted(bound.items(), key=lambda pair: pair[0])))
        if key not in self._evaluated:
            self._evaluated[key] = self._evaluate(tree, bound)
        return self._evaluated[key]

    def _evaluate(self, tree: Expression, bound: Bound) -> Product:
        def combine(node: Expression, parts: Sequence[Product | Expression]) -> Product | Expression:
            if isinstance(node, Name) and node.id in bound:
                return bound[node.id]
            return self.combined(node, parts)

        product = fold(tree, combine)
        if not isinstance(product, Product):  # a list of numbers stands as it is written
            raise UnsimplifiedError
        return product

    def combined(self, node: Expression, parts: Sequence[Product | Expression]) -> Product | Expression:
        """Return a node of a tree over the products of its children."""
        match node, parts:
            case Number(), _:
                return self.number(node)
            case Unary(operator="-"), [Product() as x]:
                return scaled(x, -1)
            case Unary(operator="+"), [Product() as x]:
                return x
            case Binary(operator="+" | "-" | "*" | "/" | "**" as operator), [Product() as x, Product() as y]:
                return self.operated(operator, x, y)
            case (Binary(), _) | (Compare(), _) | (Attribute(name="T" | "mT"), _):
                return self.call(head(node), list(map(Argument, parts)), node)
            case Call(), _:
                keywords = [argument.keyword for argument in node.arguments]
                return self.call(node.function, list(map(Argument, parts, keywords)))
        return node

    def operated(self, operator: str, x: Product, y: Product) -> Product:
        match operator:
            case "+":
                return self.add(x, y)
            case "-":
                return self.add(x, scaled(y, -1))
            case "*":
                return self.multiply(x, y)
            case "/":
                return self.multiply(x, self.power(y, -1))
        return self.raised(x, y)

    def number(self, node: Number) -> Product:
        """Return a number exactly as it is written; one with all its digits stands as a letter does."""
        value = as_typed(node.value)
        return Product(value) if is_short(value) else self.constant(value)

    # Patterns of identities.

    def matched(self, pattern: Expression, product: Product | Expression, bound: Bound) -> Bound | None:
        """Return what the letters of a pattern stand for in a product, or None; `bound` says what some stand for."""
        if isinstance(pattern, Call) and isinstance(product, Product):  # most patterns
            return self._matched_call(pattern, product, bound)
        match pattern:
            case Name() if pattern.id in LETTERS:
                if pattern.id in bound:
                    return bound if bound[pattern.id] == product else None
                return {**bound, pattern.id: product}
            case Number() | Literal() if not isinstance(product, Product):
                return bound if pattern == product else None
            case _ if not isinstance(product, Product):
                return None
            case Number():
                return bound if product == Product(pattern.value) else None  # type: ignore[arg-type]
            case Unary():
                return self.matched(pattern.operand, scaled(product, -1), bound) if product.coefficient < 0 else None
            case Binary(operator="*", left=Number(value=int(times))):
                return self.matched(pattern.right, scaled(product, Fraction(1, times)), bound)
        return self._matched_call(pattern, product, bound)

    def _matched_call(self, pattern: Expression, product: Product, bound: Bound) -> Bound | None:
        if isinstance(pattern, Call) and pattern.function == "exp":
            exponent = self.exponent(product)
            return None if exponent is None else self.matched(pattern.arguments[0].value, exponent, bound)
        function = self.only(product, Function)
        if function is None or function.name != head(pattern):
            return None
        parts = children(pattern)
        keywords = [x.keyword for x in pattern.arguments] if isinstance(pattern, Call) else [None] * len(parts)
        if keywords != [x.keyword for x in function.arguments]:
            return None
        matched: Bound | None = bound
        for child, argument in zip(parts, function.arguments, strict=True):
            if matched is not None:
                matched = self.matched(child, argument.value, matched)
        return matched

    def exponent(self, product: Product) -> Product | None:
        """Return x of a product that is `exp(x)`."""
        if product.coefficient != 1 or not product.term or not self.is_exponential(product.term):
            return None
        return self.add(*self.exponents(product.term))

    def holds(self, rule: Rule, bound: Bound) -> bool:
        """Tell whether the condition of an identity holds for the ranks that are known."""
        ranks = {letter: self._rank(value) for letter, value in bound.items()}
        match rule.identity.ranks:
            case "a is a vector":
                return ranks["a"] == 1
            case "a is a vector, b a matrix":
                return ranks["a"] == 1 and ranks["b"] == 2
            case "a and b are matrices":
                return ranks["a"] == ranks["b"] == 2
            case "a and b are vectors of one size":
                a, b = bound["a"], bound["b"]
                assert isinstance(a, Product)
                assert isinstance(b, Product)
                return ranks["a"] == ranks["b"] == 1 and self.extent(a) == self.extent(b)
            case "a has one entry along b":
                a, b = bound["a"], bound["b"]
                if not (isinstance(a, Product) and isinstance(b, Product) and b.is_number) or self.extent(a).unknown:
                    return False
                shape = self.extent(a).shape
                return bool(shape) and shape[int(b.coefficient) % len(shape)] == 1
            case "c is the last dimension":
                return ranks["a"] is not None and bound["c"] in (Product(ranks["a"]), Product(-1))
        return True

    def _rank(self, value: Product | Expression) -> int | None:
        if not isinstance(value, Product):
            return None
        extent = self.extent(value)
        return None if extent.unknown else len(extent.shape)
