"""Write index formulas, in Unicode or ASCII: `Σj h[i,j]·W2[j,k]`, `sum_j h[i,j]*W2[j,k]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from gradcli.explanation.index.tree import COMPARISONS, Apply, Entry, Equation, Number, Reduce, Term, Variable, unsigned

SIGNS = {"·": "*", "=": "==", "≠": "!=", "≤": "<=", "≥": ">=", "…": "..."}
REDUCE = {"Σ": "sum_", "Π": "prod_"}
WHERE, SUM, FLOOR, PRODUCT, RATIO, POWER, ATOM = range(7)  # a ratio is the name of a derivative, `∂L/∂v1`


class Writer:
    """Writes terms; `number` writes a number, and `rename` has other names for tensors."""

    def __init__(
        self,
        *,
        ascii: bool = False,
        number: Callable[[float], str] = "{:.6g}".format,
        rename: Mapping[str, str] | None = None,
    ) -> None:
        self.rename = rename or {}
        self.ascii = ascii
        self.number = number

    def sign(self, sign: str) -> str:
        return SIGNS.get(sign, sign) if self.ascii else sign

    def equation(self, equation: Equation, equals: str = "=") -> str:
        bounds = ", ".join(f"{name} < {size}" for name, size in equation.sizes)
        return f"{self.term(equation.left)} {equals} {self.term(equation.right)}{f' for {bounds}' * bool(bounds)}"

    def derived(self, equation: Equation, gradient: str, equals: str = "=") -> str:
        """Return `∂L/∂b[j,k] = Σi a[i,j]·g[i,k]`."""
        left = Entry(gradient + ".flat" * equation.left.is_flat, equation.left.places)
        return self.equation(replace(equation, left=left), equals)

    def term(self, term: Term, loosest: int = WHERE) -> str:
        """Return the text of a term, in brackets where it binds less than its surroundings need."""
        text, binds = self._text_and_level(term)
        return f"({text})" if binds < loosest else text

    def _text_and_level(self, term: Term) -> tuple[str, int]:
        match term:
            case Number():
                text = self.number(term.value)
                return text, SUM if text.startswith("-") else ATOM
            case Variable():
                return term.name, ATOM
            case Entry():
                name = self.rename.get(term.tensor, term.tensor) + ".flat" * term.is_flat
                places = ",".join(self.term(place, SUM) for place in term.places)
                return f"{name}[{places}]" if places else name, RATIO if "/" in name else ATOM
            case Reduce():
                return self._reduce(term)
            case Apply():
                return self._apply(term)

    def _apply(self, term: Apply) -> tuple[str, int]:
        operator, terms = term.operator, term.terms
        if operator == "+":
            return self._sum(terms), SUM
        if operator == "-":
            return f"-{self.term(terms[0], PRODUCT)}", SUM
        if operator == "·":
            last = len(terms) - 1
            factors = [
                self.term(factor, PRODUCT if n == last or not _open(factor) else ATOM) for n, factor in enumerate(terms)
            ]
            return self.sign("·").join(factors), PRODUCT
        if operator in ("/", "//", "%"):
            loose = PRODUCT if isinstance(terms[0], Apply) else POWER
            above = self.term(terms[0], ATOM if _open(terms[0]) else loose)
            return f"{above}{operator}{self.term(terms[1], POWER)}", PRODUCT if operator == "/" else FLOOR
        if operator == "**":
            return f"{self.term(terms[0], ATOM)}**{self.term(terms[1], ATOM)}", POWER
        if operator in COMPARISONS:
            return f"{self.term(terms[0], SUM)} {self.sign(operator)} {self.term(terms[1], SUM)}", WHERE
        return f"{operator}({', '.join(self.term(x) for x in terms)})", ATOM

    def _sum(self, terms: tuple[Term, ...]) -> str:
        text = ""
        for term in terms:
            if text and unsigned(term) != term:
                text += f" - {self.term(unsigned(term), FLOOR)}"
            else:
                text += f"{' + ' if text else ''}{self.term(term, FLOOR if text else SUM)}"
        return text

    def _reduce(self, term: Reduce) -> tuple[str, int]:
        bound = [name if size is None else f"{name}<{size}" for name, size in term.variables]
        body = text = self.term(term.body, PRODUCT)
        if bound and term.operator in ("max", "min"):
            text = f"{term.operator} over {', '.join(bound)} of {body}"
        elif bound:
            text = f"{REDUCE[term.operator] if self.ascii else term.operator}{','.join(bound)} {body}"
        if not term.where:
            return text, PRODUCT
        return f"{text} where {', '.join(self.term(condition) for condition in term.where)}", WHERE


def _open(term: Term) -> bool:
    """Return whether a sum sign would take what stands behind the term."""
    return any(isinstance(x, Reduce) and x.variables for x in _outer(term))


def _outer(term: Term) -> tuple[Term, ...]:
    if isinstance(term, Apply) and term.operator in ("·", "/", "//", "%", "-"):
        return tuple(x for child in term.terms for x in _outer(child))
    return (term,) if isinstance(term, Reduce) else ()
