"""Derivatives in LaTeX: the chain rule of one node in symbols, in formulas and in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradcli.explanation.chain.links import Term
from gradcli.explanation.model import Explanation, Local, Value, ordinal
from gradcli.language.tree import Expression, Name
from gradcli.language.unparser import Precedence
from gradcli.render.latex.formulas import Symbols, Writer, added, multiplied
from gradcli.render.latex.pieces import Piece, fraction, value
from gradcli.render.lesson.readable import each_part, readable
from gradcli.render.lesson.terms import ChainRule
from gradcli.render.text.numbers import PRECISION

ENTERING = "\0"  # begins the name that stands for an upstream gradient in a rule; no program has it


class Terms(ChainRule[Piece]):
    """Writes the derivatives of one explanation in LaTeX."""

    def __init__(self, explanation: Explanation, precision: int = PRECISION) -> None:
        super().__init__(explanation)
        self.precision = precision
        variables = [leaf.name for leaf in explanation.leaves]
        deltas = [delta.name for delta in explanation.deltas]
        symbols = Symbols([*variables, *self.nodes, *deltas, self.differentiated, self.upstream_name])
        self.writer = Writer(symbols, self.ranks)
        named = [part for part in explanation.intermediates if part.gradient_of and not part.is_delta]
        self.rename = {part.name: self.total(str(part.gradient_of)) for part in named}

    def name(self, id: str) -> Piece:
        return self.writer.name(id)

    def typed(self, tree: Expression) -> Piece:
        """Return an expression of the program."""
        return self.writer.formula(tree, self.rename)

    def formula(self, tree: Expression, ranks: Mapping[str, int] | None = None) -> Piece:
        """Return a formula; `ranks` are those of names that are not of the program, as of `g`."""
        known = self.ranks | {ENTERING + id: rank for id, rank in self.ranks.items()} | dict(ranks or {})
        each, where = each_part(tree, known)
        ranked_names = {name: replace(self.name(name), rank=rank) for name, rank in (ranks or {}).items()}
        piece = self.writer.formula(readable(each, known, "*"), {**self.rename, **ranked_names})
        return replace(piece, text=rf"{piece.text} \quad\text{{{where.strip()}}}") if where else piece

    def value(self, given: Value) -> Piece | None:
        """Return a value; None where it is made up, for a shape without numbers."""
        return None if self.explanation.sizes is not None else value(given, self.precision)

    def derivative(self, of: str, by: str) -> Piece:
        above, below = (
            replace(part, text=f"\\partial {part.text}", width=part.width + 1) for part in map(self.name, (of, by))
        )
        rank = self.writer.ranks.get(by, 0)
        return replace(fraction(above, below), rank=rank)

    def edge(self, of: str, local: Local) -> Piece:
        """Return the derivative on an edge; a bar says which other inputs it holds, a word which of two edges it is."""
        piece = self.derivative(of, local.input)
        below = [self.name(name).text for name in local.held]
        if local.use:
            below.append(f"\\text{{{ordinal(local.use)}}}")
        return replace(piece, text=f"\\left.{piece.text}\\right|_{{{', '.join(below)}}}") if below else piece

    def rule(self, local: Local) -> Piece:
        """Return the local derivative, or the rule of an edge for `g`."""
        piece = self.formula(local.formula if local.formula is not None else local.rule, self.arriving(local))
        if local.formula is not None:
            return piece
        return replace(piece, text=f"{self.name(self.upstream_name).text} \\mapsto {piece.text}")

    def number(self, given: Value) -> Piece:
        return value(given, self.precision)

    def with_numbers(self, tree: Expression, numbers: Mapping[str, Value], digits: int) -> Piece:
        return self.writer.formula(tree, {id: value(given, digits) for id, given in numbers.items()})

    def quotient(self, by: str) -> Expression:
        self.rename[ENTERING + by] = self.total(by)
        return Name(ENTERING + by)

    def entering(self) -> Piece:
        return Piece("1" if self.plain_seed else "")

    def factor(self, text: Piece) -> Piece:
        return text.bracketed() if text.text.startswith("-") else text

    def formula_factor(self, tree: Expression) -> Piece:
        local = self.formula(tree)
        if local.level == Precedence.PRODUCT and not local.text.startswith("-"):
            return replace(local, level=Precedence.POWER)  # a product goes on
        return local

    def product(self, term: Term, factors: Sequence[Piece], *, is_alone: bool) -> Piece:
        """Write a product of numbers, or of tensors entry by entry."""
        is_entrywise = self.nodes[term.step.node].shape and factors[-1].rank
        return multiplied(factors, r" \odot " if is_entrywise else r" \cdot ") if len(factors) > 1 else factors[0]

    def sum(self, products: Sequence[Piece | None]) -> Piece:
        pieces = [Piece(r"\cdots") if product is None else product for product in products]
        return added([piece.at(Precedence.SUM) for piece in pieces])
