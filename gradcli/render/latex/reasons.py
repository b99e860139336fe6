"""Reasons for the rules: entry by entry in indices, one entry in numbers, and the rule in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from gradcli.explanation.index.printing import ATOM, FLOOR, POWER, PRODUCT, SUM, WHERE, Writer
from gradcli.explanation.index.tree import COMPARISONS, Apply, Entry, Equation, Reduce, Term, Variable
from gradcli.explanation.model import Local, Node, Why
from gradcli.explanation.reference import sentences
from gradcli.guard import optional
from gradcli.render.latex.formulas import Symbols, applied, escaped
from gradcli.render.latex.pieces import Equation as Line
from gradcli.render.latex.pieces import Piece, aligned, value
from gradcli.render.latex.terms import Terms
from gradcli.render.lesson.reasons import elsewhere, meanings, place

LONGEST = 80  # characters above a line of fraction
SIGNS = {"≠": r"\neq", "≤": r"\le", "≥": r"\ge", "Σ": r"\sum", "Π": r"\prod", "max": r"\max", "min": r"\min"}


def reasons(pairs: Sequence[tuple[Node, Local]], lines: Sequence[Line], terms: Terms) -> Iterator[str]:
    """Yield the rules of each node, given as lines, and below them why they hold."""
    given = zip(pairs, lines, strict=True)
    for _, group in groupby(given, lambda pair: pair[0][0].id):
        rules = [*group]
        yield aligned(line for _, line in rules)
        for (_, local), _ in rules:
            if local.why is not None:
                yield rf"\par\noindent {reason_sentence(local, local.why, terms)}"
        if said := sentences(rules[0][0][0], terms.nodes, terms.upstream_name):
            yield rf"\par\noindent\emph{{{escaped(said)}}}"
    yield r"\par\medskip"


@optional("reason", "")
def reason_sentence(local: Local, why: Why, terms: Terms) -> str:
    """Return why a rule holds, as a sentence."""
    write = Indices(terms)
    if why.gradient is None:
        changes = ", ".join(
            f"${terms.name(part.target or '').text} = {terms.formula(part.value).text}$" for part in why.differential
        )
        return f"{changes}; the gradient of an input is what multiplies its change."
    uses = sum(other.input == local.input for node in terms.explanation.nodes for other in node.locals)
    equals = "=" if uses == 1 else r"\mathrel{+}="
    so = f"${write.derived(why.gradient, local.input, equals)}$" + elsewhere(why)
    if why.outside:
        so += f" (entries outside {' and '.join(f'${terms.name(name).text}$' for name in why.outside)} count as 0)"
    forward = " and ".join(f"${write.equation(part)}$" for part in why.forward)
    parts = [f"{forward}, so {so}" if forward else so]
    if why.given:
        parts.append(f"where {escaped(meanings(why))}")
    if why.entry is not None:
        term = why.entry.numbers if why.entry.entry is None else why.entry.entry
        sides = dict.fromkeys([write.term(term), write.number(float(why.entry.value))])
        says = " is" if why.entry.place else ""
        parts.append(f"{escaped(place(why.entry))}{says} ${' = '.join(sides)}$")
    return "; ".join(parts) + "."


class Indices(Writer):
    """Writes index formulas in the symbols of the document."""

    def __init__(self, terms: Terms) -> None:
        super().__init__(number=lambda given: value(given, terms.precision).text)
        self.terms = terms

    def equation(self, equation: Equation, equals: str = "=") -> str:
        bounds = [f"{Symbols()[name]} < {size}" for name, size in equation.sizes]
        text = f"{self.term(equation.left)} {equals} {self.term(equation.right)}"
        return text + rf" \text{{ for }} {', '.join(bounds)}" * bool(bounds)

    def derived(self, equation: Equation, gradient: str, equals: str = "=") -> str:
        """Return `\\frac{\\partial y}{\\partial A_{i,j}} = ...`; `gradient` is the name of the input."""
        total, entry = self.terms.name(self.terms.differentiated).text, Entry(gradient, equation.left.places)
        left = rf"\frac{{\partial {total}}}{{\partial {self.term(entry)}}}"
        return f"{left} {equals} {self.term(equation.right)}"

    def _text_and_level(self, term: Term) -> tuple[str, int]:
        match term:
            case Entry(name) if name.startswith("…"):  # it says how many terms are left out
                return rf"\cdots \text{{{escaped(name[1:])}}}", ATOM
            case Variable(name):
                return self.terms.name(name).text if name in self.terms.nodes else Symbols()[name], ATOM
            case Entry():
                name = self.terms.name(term.tensor).text
                places = ",".join(self.term(place, SUM) for place in term.places)
                name = (
                    rf"\operatorname{{flat}}({name})"
                    if term.is_flat
                    else f"({name})"
                    if "_" in name and places
                    else name
                )
                return f"{name}_{{{places}}}" if places else name, ATOM
        return super()._text_and_level(term)

    def _apply(self, term: Apply) -> tuple[str, int]:
        operator, parts = term.operator, term.terms
        match operator:
            case "·":
                text, _ = super()._apply(term)
                return text.replace("·", r" \cdot "), PRODUCT
            case "/":
                above, below = self.term(parts[0]), self.term(parts[1])
                if isinstance(parts[0], Reduce) or len(above) > LONGEST:  # which a fraction would keep on one line
                    return rf"\frac{{1}}{{{below}}} {self.term(parts[0], PRODUCT)}", PRODUCT
                return rf"\frac{{{above}}}{{{below}}}", POWER
            case "//":
                return rf"\lfloor {self.term(parts[0], PRODUCT)} / {self.term(parts[1], POWER)} \rfloor", ATOM
            case "%":
                return rf"{self.term(parts[0], PRODUCT)} \bmod {self.term(parts[1], POWER)}", FLOOR
            case "**":
                return f"{self.term(parts[0], ATOM)}^{{{self.term(parts[1])}}}", POWER
            case "+" | "-":
                return super()._apply(term)
        if operator in COMPARISONS:
            sign = SIGNS.get(operator, operator)
            return f"{self.term(parts[0], SUM)} {sign} {self.term(parts[1], SUM)}", WHERE
        pieces = [Piece(self.term(part)) for part in parts]
        return applied(operator, pieces, [None] * len(pieces), Symbols()).text, ATOM

    def _reduce(self, term: Reduce) -> tuple[str, int]:
        names = [Symbols()[name] + (f" < {size}" if size is not None else "") for name, size in term.variables]
        where = [self.term(condition) for condition in term.where]
        body = self.term(term.body, PRODUCT)
        if not names:
            return (rf"{body} \text{{ where }} {', '.join(where)}", WHERE) if where else (body, PRODUCT)
        if where:
            body = rf"[{', '.join(where)}]\, {body}"  # 1 where it holds, else 0; below the sign it could not be broken
        return rf"{SIGNS.get(term.operator, term.operator)}_{{{','.join(names)}}} {body}", PRODUCT
