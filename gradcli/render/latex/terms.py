"""Derivatives in LaTeX: the chain rule of one node in symbols, in formulas and in numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gradcli.explanation.chain.links import Link, Term
from gradcli.explanation.model import Explanation, Local, Node, Value
from gradcli.explanation.naming import ordinal, unused
from gradcli.language.rewrite import substitute, without_ones
from gradcli.language.tree import Expression, Name, Number
from gradcli.language.unparser import Precedence
from gradcli.render.latex.formulas import Writer, added, multiplied
from gradcli.render.latex.functions import Symbols
from gradcli.render.latex.pieces import Piece, fraction, value
from gradcli.render.text.numbers import PRECISION

MOST = 12  # terms of a sum that are written out
ENTERING = "\0"  # the name that stands for an upstream gradient in a rule; no program has it


class Terms:
    """Writes the derivatives of one explanation; `symbols` are those of a document that holds others, too."""

    def __init__(self, explanation: Explanation, precision: int = PRECISION) -> None:
        self.explanation = explanation
        self.precision = precision
        self.nodes = {node.id: node for node in explanation.nodes}
        self.upstream_name = explanation.upstream_name
        self.plain_seed = explanation.is_seed_one
        self.differentiated = explanation.output if self.plain_seed else unused("L", self.nodes)
        variables = [leaf.name for leaf in explanation.leaves]
        symbols = Symbols([*variables, *self.nodes, self.differentiated, self.upstream_name])
        self.writer = Writer(symbols, {node.id: len(node.shape) for node in explanation.nodes})
        self.rename = {x.name: self.total(x.gradient_of) for x in explanation.intermediates if x.gradient_of}

    def name(self, id: str) -> Piece:
        return self.writer.name(id)

    def formula(self, tree: Expression) -> Piece:
        return self.writer.formula(tree, self.rename)

    def value(self, given: Value) -> Piece | None:
        """Return a value; None where it is made up, for a shape without numbers."""
        return None if self.explanation.sizes is not None else value(given, self.precision)

    def derivative(self, of: str, by: str) -> Piece:
        above, below = (
            replace(part, text=f"\\partial {part.text}", width=part.width + 1) for part in map(self.name, (of, by))
        )
        rank = self.writer.ranks.get(by, 0)
        return replace(fraction(above, below), rank=rank)

    def total(self, by: str) -> Piece:
        """Return the derivative of the output, or of the L that an upstream gradient belongs to."""
        return self.derivative(self.differentiated, by)

    def edge(self, of: str, local: Local) -> Piece:
        """Return the derivative on an edge; a bar says which other inputs it holds, a word which of two edges it is."""
        told = self.derivative(of, local.input)
        below = [self.name(name).text for name in local.held]
        if local.use:
            below.append(f"\\text{{{ordinal(local.use)}}}")
        return replace(told, text=f"\\left.{told.text}\\right|_{{{', '.join(below)}}}") if below else told

    def rule(self, local: Local) -> Piece:
        """Return the local derivative, or the rule of an edge for `g`."""
        found = self.formula(local.formula if local.formula is not None else local.rule)
        if local.formula is not None:
            return found
        return replace(found, text=f"{self.name(self.upstream_name).text} \\mapsto {found.text}")

    def put_in(self, node: Node) -> Piece | None:
        """Return the expression of a node with the numbers of its inputs put in; None where they are arrays."""
        inputs = [self.nodes[id] for id in node.inputs]
        if node.shape or any(x.shape for x in inputs) or not inputs or self.explanation.sizes is not None:
            return None
        return self.writer.formula(node.expression, {x.id: value(x.value, self.precision) for x in inputs})

    def symbols(self, link: Link) -> Piece:
        """Return the sum over the consumers; where a rule is no product, the rule with the upstream gradient put in."""
        return self._sum(link, self._symbols)

    def _symbols(self, term: Term) -> Piece:
        upstream = self.total(term.step.node)
        if not term.is_product:
            entering = Number(1) if self._is_seed(term) else Name(ENTERING)
            rule = without_ones(substitute(term.step.rule, {self.upstream_name: entering}))
            return self.writer.formula(rule, {**self.rename, ENTERING: upstream})
        local = self.edge(term.step.node, term.local)
        return local if self._is_seed(term) else self._product(term, upstream, local)

    def _product(self, term: Term, upstream: Piece, local: Piece) -> Piece:
        """Return a product of numbers, or of tensors entry by entry."""
        return multiplied(
            [upstream, local], r" \odot " if self.nodes[term.step.node].shape and local.rank else r" \cdot "
        )

    def formulas(self, link: Link) -> Piece | None:
        """Return the same with the local derivatives written out; None where a rule is no product."""
        if not all(term.is_product for term in link.terms):
            return None
        return self._sum(link, self._formulas)

    def _formulas(self, term: Term) -> Piece:
        assert term.local.formula is not None
        local = self.formula(term.local.formula)
        if local.level == Precedence.PRODUCT and not local.text.startswith("-"):
            local = replace(local, level=Precedence.POWER)  # a product goes on
        return local if self._is_seed(term) else self._product(term, self.total(term.step.node), local)

    def numbers(self, link: Link) -> Piece | None:
        """Return the same with numbers put in; None where they are arrays, or made up."""
        values = [x for term in link.terms for x in (term.step.upstream, term.step.contribution)]
        if self.explanation.sizes is not None or any(np.ndim(value) for value in values):
            return None
        if any(term.local.formula is None for term in link.terms):
            return None
        return self._sum(link, self._numbers)

    def _numbers(self, term: Term) -> Piece:
        local = value(term.local.value, self.precision)
        if self._is_seed(term):
            return local
        upstream = value(term.step.upstream, self.precision)
        return multiplied([upstream.bracketed() if upstream.text.startswith("-") else upstream, local])

    def _is_seed(self, term: Term) -> bool:
        """Return whether the upstream gradient is the 1 that enters at the output, which is not written."""
        return self.plain_seed and term.step.node == self.explanation.output

    def _sum(self, link: Link, write: Callable[[Term], Piece]) -> Piece:
        """Return the sum over the consumers; of a great many the first and the last."""
        terms: Sequence[Term] = link.terms
        if not terms:
            return Piece("1") if self.plain_seed else Piece("")
        if len(terms) > MOST:
            parts = [*map(write, terms[: MOST - 3]), Piece(r"\cdots"), *map(write, terms[-2:])]
        else:
            parts = [write(term) for term in terms]
        return added([part.at(Precedence.SUM) for part in parts])
