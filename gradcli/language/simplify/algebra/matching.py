"""Patterns of identities, matched with products."""

from __future__ import annotations

from fractions import Fraction

from gradcli.language.simplify.algebra.bases import Function
from gradcli.language.simplify.algebra.exponents import Exponents
from gradcli.language.simplify.algebra.terms import Product, scaled
from gradcli.language.simplify.facts.identities import LETTERS
from gradcli.language.simplify.facts.rules import Rule, head
from gradcli.language.tree import Binary, Call, Expression, Literal, Name, Number, Unary, children

Bound = dict[str, Product | Expression]


class Matching(Exponents):
    """Products that may match the pattern of an identity."""

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
            case "c is the last dimension":
                return ranks["a"] is not None and bound["c"] in (Product(ranks["a"]), Product(-1))
        return True

    def _rank(self, value: Product | Expression) -> int | None:
        if not isinstance(value, Product):
            return None
        extent = self.extent(value)
        return None if extent.unknown else len(extent.shape)
