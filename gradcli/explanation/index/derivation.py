"""The derivative of an index formula, made from the formula.

    out[i,k] = Σj a[i,j]·b[j,k]    gives    ∂b[j,k] = Σi a[i,j]·g[i,k]

Each place where the tensor occurs gives one formula: the upstream gradient takes its place, and the sum runs over the
variables that do not say which entry it is. `b[j,k]` says it by itself. Where the entry is `x[i+k]`, the formula is
solved for one variable, so that `i` becomes `q-k`; `x[2·i]` stays as it is, since each entry is reached once; and for
`x[index[i]]` a condition says which `i` count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
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
    mentions,
    negative,
    parts,
    power,
    product,
    quotient,
    total,
    variables,
)

# Read index formulas: `out[i,k] = Σj a[i,j]·b[j,k]`, in Unicode or ASCII (`sum_j a[i,j]*b[j,k]`).
#
# A sum takes the product behind it; `where` and its conditions end a formula or a bracket. Equations are apart by
# semicolons.


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


# Places as sums of whole multiples of index variables: `2·i + k - 1`.


def affine(place: Term) -> tuple[dict[str, int], int] | None:
    """Return the factors of the variables and the number beside them; None for a place of another kind."""
    match place:
        case Number(value):
            return {}, int(value)
        case Variable(name):
            return {name: 1}, 0
        case Apply("-", (inner,)):
            return _scaled(affine(inner), -1)
        case Apply("·", (Number(value), inner)):
            return _scaled(affine(inner), int(value))
        case Apply("+", terms):
            factors: dict[str, int] = {}
            constant = 0
            for multiples in map(affine, terms):
                if multiples is None:
                    return None
                constant += multiples[1]
                for name, factor in multiples[0].items():
                    factors[name] = factors.get(name, 0) + factor
            return factors, constant
    return None


def _scaled(multiples: tuple[dict[str, int], int] | None, factor: int) -> tuple[dict[str, int], int] | None:
    return multiples and ({name: factor * n for name, n in multiples[0].items()}, factor * multiples[1])


def solved(place: Term, value: Term, unknowns: Sequence[str]) -> tuple[str, Term] | None:
    """Solve `place = value` for the first unknown that stands alone in a sum: its name, and what it is."""
    terms = place.terms if isinstance(place, Apply) and place.operator == "+" else (place,)
    for name in unknowns:
        for sign, alone in ((1, Variable(name)), (-1, negative(Variable(name)))):
            if alone in terms and sum(name in variables(term) for term in terms) == 1:
                rest = [negative(term) if sign == 1 else term for term in terms if term != alone]
                ordered = sorted(rest, key=lambda term: isinstance(term, Number) or variables(term) == ())
                return name, total(value if sign == 1 else negative(value), *map(tidy, ordered))
    return None


def tidy(term: Term) -> Term:
    """Return a negative multiple with its sign in front."""
    match term:
        case Apply("·", (Number(value), *rest)) if value < 0:
            return negative(product(Number(-value), *rest))
    return term


LETTERS = "pqrstuvwxyzabcdefgh"
Bound = tuple[tuple[str, int | None], ...]
Occurrence = tuple[Entry, Term, Bound, tuple[Term, ...]]  # an occurrence: the entry, g in its place, sums, conditions


@cache
def derivatives(equation: Equation, tensor: str, upstream: str) -> tuple[Equation, ...]:
    """Return the gradient of a tensor, a formula for each place where it occurs; none where it does not.

    ValueError for a formula that is no sum of products of entries and of functions that have a slope here.
    """
    g = Entry(upstream + ".flat" * equation.left.is_flat, equation.left.places)
    return tuple(
        by_entry(equation, Entry(f"∂{entry.name}", entry.places), body, bound, conditions)
        for entry, body, bound, conditions in occurrences(equation.right, tensor, g)
    )


def occurrences(term: Term, tensor: str, g: Term) -> Iterator[Occurrence]:
    """Yield the places where a tensor occurs, each with the product that multiplies it there, `g` in its place."""
    if not mentions(term, tensor):
        return
    match term:
        case Entry() if term.tensor == tensor:
            yield term, g, (), ()
        case Apply("+", terms):
            for inner_term in terms:
                yield from occurrences(inner_term, tensor, g)
        case Apply(operator, terms):
            for place, inner_term in enumerate(terms):
                for entry, body, bound, kept in occurrences(inner_term, tensor, g):
                    yield entry, _times_slope(operator, terms, place, body), bound, kept
        case Reduce("Σ", bound, body, kept) if not any(mentions(condition, tensor) for condition in kept):
            for entry, inner, inner_bound, conditions in occurrences(body, tensor, g):
                yield entry, inner, (*bound, *inner_bound), (*kept, *conditions)
        case _:
            raise ValueError(f"no derivative of {term}")


def _times_slope(operator: str, terms: tuple[Term, ...], place: int, body: Term) -> Term:
    """Return the derivative of an operator by its term at a place, times `body`."""
    match operator, terms:
        case "·", _:
            return product(*terms[:place], body, *terms[place + 1 :])
        case "-", _:
            return negative(body)
        case "/", (above, below):
            return quotient(body, below) if place == 0 else negative(quotient(product(body, above), power(below, 2)))
        case "**", (base, Number(exponent)) if place == 0:
            return product(Number(exponent), power(base, exponent - 1), body)
        case "exp", _:
            return product(body, Apply("exp", terms))
        case "log", (x,):
            return product(body, quotient(Number(1), x))
        case "sqrt", _:
            return product(body, quotient(Number(1), product(Number(2), Apply("sqrt", terms))))
        case "abs", _:
            return product(body, Apply("sign", terms))
    raise ValueError(f"no derivative of {operator}")


def by_entry(forward: Equation, left: Entry, body: Term, bound: Bound, where: tuple[Term, ...]) -> Equation:
    """Return the equation of one occurrence, with an index variable of its own for each place, where that can be."""
    sizes: dict[str, int | None] = {name: None for place in forward.left.places for name in variables(place)}
    sizes.update(bound)
    places: list[Term] = []
    said: set[str] = set()  # the variables that the left side says
    conditions = list(where)
    fresh = iter(
        x for x in LETTERS if x not in sizes and x not in {p.name for t in (forward.right, left) for p in parts(t)
                                                          if isinstance(p, Entry)}
    )  # fmt: skip
    alone = [x.name for x in left.places if isinstance(x, Variable)]

    def put_in(name: str, by: Term) -> None:
        nonlocal body, conditions, places
        body, conditions = _substitute(body, name, by), [_substitute(condition, name, by) for condition in conditions]
        places = [_substitute(x, name, by) for x in places]
        del sizes[name]

    for place in left.places:
        if is_told(place, left.places, said, sizes):
            said.update(variables(place))
            places.append(place)
            continue
        letter = Variable(next(fresh))
        places.append(letter)
        order = [name for name in reversed(sizes) if name not in said and name not in alone and sizes[name] is None]
        order.sort(key=lambda name: name not in dict(bound), reverse=True)
        solution = solved(place, letter, order)
        if solution is None:
            conditions.append(Apply("=", (place, letter)))
        else:
            put_in(*solution)
    for condition in list(conditions):
        fixed = _fixed_variable(condition, sizes, said)
        if fixed is not None:
            conditions.remove(condition)
            put_in(*fixed)
    summed = tuple((name, size) for name, size in sizes.items() if name not in said)
    right = Reduce("Σ", summed, body, tuple(conditions)) if summed or conditions else body
    bounds = tuple((name, size) for name, size in sizes.items() if size is not None and name in said)
    return Equation(Entry(left.name, tuple(places)), right, bounds)


def is_told(place: Term, places: Sequence[Term], said: Set[str], sizes: Mapping[str, int | None]) -> bool:
    """Return whether a place stays as it is: each entry is reached once, or others say its variables."""
    alone = [x.name for x in places if isinstance(x, Variable)]
    if (isinstance(place, Variable) and place.name not in said) or said | {*alone} >= {*variables(place)}:
        return True
    return reached_once(place, sizes, [*(name for x in places if x is not place for name in variables(x)), *alone])


def _fixed_variable(condition: Term, sizes: Mapping[str, int | None], said: set[str]) -> tuple[str, Term] | None:
    """Return the variable that a condition gives a value, and the value, if the sum is over it: `index[i] = j`."""
    match condition:
        case Apply("=", (value, Variable(name)) | (Variable(name), value)) if name in sizes and name not in said:
            return None if name in variables(value) else (name, value)
    return None


def _substitute(term: Term, name: str, value: Term) -> Term:
    """Return a term with a value in place of a variable."""
    return mapped(term, lambda x: value if x == Variable(name) else x)


def reached_once(place: Term, sizes: Mapping[str, int | None], elsewhere: Sequence[str]) -> bool:
    """Return whether different variables give different places: `1+2·i`, or `2·i+a` with a<2; a number does."""
    multiples = affine(place)
    if multiples is None:
        return False
    if any(name in elsewhere for name in multiples[0]):
        return False
    reach = 0
    ordered = sorted(multiples[0].items(), key=lambda item: (sizes.get(item[0]) is None, abs(item[1])))
    for name, factor in ordered:
        if abs(factor) <= reach:
            return False
        size = sizes.get(name)
        if size is None:
            return name == ordered[-1][0]
        reach += abs(factor) * (size - 1)
    return True
