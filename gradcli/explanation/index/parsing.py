"""Read index formulas: `out[i,k] = Σj a[i,j]·b[j,k]`, in Unicode or ASCII (`sum_j a[i,j]*b[j,k]`).

A sum takes the product behind it; `where` and its conditions end a formula or a bracket. Equations are apart by
semicolons.
"""

from __future__ import annotations

import re
from functools import cache

from gradcli.explanation.index.tree import (
    COMPARISONS,
    Apply,
    Entry,
    Equation,
    Number,
    Reduce,
    Term,
    Variable,
    mapped,
    negative,
    parts,
    product,
    quotient,
    total,
    variables,
)

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:e[+-]?\d+)?|(?:inf|nan)\b)|(?P<reduce>[ΣΠ]|(?:sum|prod|max|min)_)"
    r"|(?P<name>∂?[^\W\dΣΠ]\w*(?:\.flat)?)|(?P<sign>\*\*|//|==|!=|<=|>=|.))"
)
ASCII = {"*": "·", "==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "−": "-"}
REDUCE = {"sum_": "Σ", "prod_": "Π", "max_": "max", "min_": "min"}


@cache
def equations(text: str) -> tuple[Equation, ...]:
    """Read equations; ValueError for a text that is none."""
    return tuple(_Reader(equation).equation() for equation in text.split(";"))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            (str(token.lastgroup), ASCII.get(token[token.lastgroup or 0], token[token.lastgroup or 0]))
            for token in TOKEN.finditer(text.strip())
        ]
        self.at = 0

    def equation(self) -> Equation:
        left = self.atom()
        if not isinstance(left, Entry):
            raise ValueError(f"no entry on the left: {self.text}")
        self.expect("=")
        right = self.conditional()
        sizes = self.bounds() if self.take("for") else ()
        if self.at < len(self.tokens):
            raise ValueError(f"unexpected {self.tokens[self.at][1]!r} in {self.text}")
        bound = {name for x in parts(right) if isinstance(x, Reduce) for name, _ in x.variables}
        bound.update(dict(sizes))
        bound.update(name for place in left.places for name in _index_names(place))

        def as_index(term: Term) -> Term:
            return Variable(term.name) if isinstance(term, Entry) and not term.places and term.name in bound else term

        places = tuple(mapped(place, as_index) for place in left.places)
        sizes_set = tuple((name, size) for name, size in sizes if size is not None)
        return Equation(Entry(left.name, places), mapped(right, as_index), sizes_set)

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, *signs: str) -> str:
        """Return the next token if it is one of the signs, else nothing."""
        token = self.peek()
        if token and token in signs and self.tokens[self.at][0] in ("sign", "name"):
            self.at += 1
            return token
        return ""

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise ValueError(f"expected {sign!r} and not {self.peek()!r} in {self.text}")

    def conditional(self) -> Term:
        body = self.sum()
        if not self.take("where"):
            return body
        conditions = [self.comparison()]
        while self.take(","):
            conditions.append(self.comparison())
        if isinstance(body, Reduce):
            return Reduce(body.operator, body.variables, body.body, (*body.where, *conditions))
        return Reduce("Σ", (), body, tuple(conditions))

    def bracketed(self) -> Term:
        term = self.conditional()
        sign = self.take(*COMPARISONS)
        return Apply(sign, (term, self.sum())) if sign else term

    def comparison(self) -> Term:
        left = self.sum()
        sign = self.take(*COMPARISONS)
        return Apply(sign, (left, self.sum())) if sign else left

    def sum(self) -> Term:
        result = negative(self.product()) if self.take("-") else self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            result = total(result, term if sign == "+" else negative(term))
        return result

    def product(self) -> Term:
        result = self.power()
        while sign := self.take("·", "/", "//", "%"):
            factor = self.power()
            if sign == "·":
                result = product(result, factor)
            else:
                result = quotient(result, factor) if sign == "/" else Apply(sign, (result, factor))
        return result

    def power(self) -> Term:
        base = self.atom()
        if not self.take("**"):
            return base
        exponent = negative(self.atom()) if self.take("-") else self.atom()
        return Apply("**", (base, exponent))

    def atom(self) -> Term:
        if self.at >= len(self.tokens):
            raise ValueError(f"{self.text} ends too early")
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return Number(float(text))
        if kind == "reduce":
            return self.reduce(REDUCE.get(text, text))
        if kind == "name" and text in ("max", "min") and self.take("over"):
            bound = self.bounds()
            self.expect("of")
            return Reduce(text, bound, self.product())
        if kind == "name":
            return self.name_or_call(text)
        if text == "(":
            term = self.bracketed()
            self.expect(")")
            return term
        raise ValueError(f"unexpected {text!r} in {self.text}")

    def reduce(self, operator: str) -> Term:
        return Reduce(operator, self.bounds(), self.product())

    def bounds(self) -> tuple[tuple[str, int | None], ...]:
        """Read index variables, each perhaps with its size: `i,a<2`."""
        bound: list[tuple[str, int | None]] = []
        while not bound or self.take(","):
            _, name = self.tokens[self.at]
            self.at += 1
            size = None
            if self.take("<"):
                size = int(float(self.tokens[self.at][1]))
                self.at += 1
            bound.append((name, size))
        return tuple(bound)

    def name_or_call(self, name: str) -> Term:
        if self.take("("):
            return Apply(name, self.listed(")"))
        return Entry(name, self.listed("]") if self.take("[") else ())

    def listed(self, end: str) -> tuple[Term, ...]:
        terms = [self.bracketed()]
        while self.take(","):
            terms.append(self.bracketed())
        self.expect(end)
        return tuple(terms)


def _index_names(place: Term) -> tuple[str, ...]:
    """Return the bare names in a place on the left, which are index variables."""
    names = (x.name for x in parts(place) if isinstance(x, Entry) and not x.places)
    return (*names, *variables(place))
