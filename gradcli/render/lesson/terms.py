"""Derivatives in words of the page: `∂z/∂v2`, sums of products, the same with numbers put in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gradcli.explanation.chain.links import Link, Path, Term
from gradcli.explanation.model import Explanation, Local, Node, Value
from gradcli.explanation.naming import ordinal, unused
from gradcli.language.rewrite import substitute, with_children, without_ones
from gradcli.language.tree import Binary, Expression, Name, Number, Unary, fold, names, postorder
from gradcli.language.unparser import precedence, unparse
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import grid, short
from gradcli.source import visible

PRODUCT = Binary("*", Name("a"), Name("b"))
MOST = 12  # terms of a sum that are written out


class Terms:
    """Writes the derivatives of one explanation."""

    def __init__(self, explanation: Explanation, looks: Looks, *, most: int | None = MOST) -> None:
        self.explanation = explanation
        self.looks = looks
        self.most = most  # terms of a sum and factors of a product; None is all of them
        self.nodes = {node.id: node for node in explanation.nodes}
        self.upstream_name = explanation.upstream_name
        self.plain_seed = explanation.is_seed_one
        # an upstream gradient is the derivative of an L beyond the output, and that is differentiated
        self.differentiated = explanation.output if self.plain_seed else unused("L", self.nodes)
        self.edges = Counter(
            local.input for node in explanation.nodes if node.grad is not None for local in node.locals
        )
        self.gradients = {x.name: self.quotient(x.gradient_of) for x in explanation.intermediates if x.gradient_of}
        self.gradients[explanation.seed_name] = self.quotient(explanation.output)

    def derivative(self, of: str, by: str) -> str:
        partial = self.looks.partial
        return f"{partial}{visible(of)}/{partial}{visible(by)}"

    def edge(self, of: str, local: Local) -> str:
        """Return the local derivative on an edge: `∂y/∂x|v1` where v1, which depends on x, does not move.

        In ASCII that is `local dy/dx (v1 held)`. Of two edges between the same nodes each says which one it is.
        """
        told, held = self.derivative(of, local.input), ", ".join(map(visible, local.held))
        which = self.which(local)
        if not self.looks.ascii:
            return f"{told}{f'|{held}' if held else ''}{f' ({which})' if which else ''}"
        remarks = ", ".join(filter(None, [held and f"{held} held", which]))
        return f"{'local ' if held else ''}{told}{f' ({remarks})' if remarks else ''}"

    def fans_out(self, input: str) -> bool:
        """Return whether the gradient of a node is a sum over several edges."""
        return self.edges[input] > 1

    def which(self, local: Local) -> str:
        """Return `1st` or `2nd` where several edges lead from a node to the same input; else nothing."""
        return ordinal(local.use) if local.use else ""

    def total(self, by: str) -> str:
        """Return the derivative of the output, or of the L that an upstream gradient belongs to."""
        return self.derivative(self.differentiated, by)

    def formula(self, tree: Expression) -> str:
        tree = tree if self.gradients.keys().isdisjoint(names(tree)) else substitute(tree, self.gradients)
        if self.numerator in names(tree):
            tree = fold(tree, self._divided)
        return visible(unparse(tree, multiply=self.looks.times))

    @property
    def numerator(self) -> str:
        return f"{self.looks.partial}{self.differentiated}"

    def quotient(self, by: str) -> Expression:
        """Return the total derivative as an operand of rules."""
        return Binary("/", Name(self.numerator), Name(f"{self.looks.partial}{by}"))

    def _divided(self, node: Expression, parts: Sequence[Expression]) -> Expression:
        """Return a node over its children; a derivative that is divided stands in brackets: `(∂z/∂v1)/v2`."""
        match node, parts:
            case Binary(operator="/"), [Binary("/", Name(above), _) as derivative, below] if above == self.numerator:
                return Binary("/", Name(f"({unparse(derivative)})"), below)
        return with_children(node, parts)

    def value(self, value: Value, width: int = 60) -> str:
        """Return a value on a line; nothing where it is made up, for a shape without numbers."""
        if self.explanation.sizes is not None:
            return ""
        return short(value, self.looks.precision, ascii=self.looks.ascii, width=width)

    def grid(self, value: Value, width: int = 60) -> str:
        """Return a value on a line where it fits, a matrix else in rows."""
        if self.explanation.sizes is not None:
            return ""
        return grid(value, self.looks, width)

    def put_in(self, node: Node) -> str:
        """The expression of a node with the numbers of its inputs put in; empty where they are arrays, or made up."""
        inputs = [self.nodes[id] for id in node.inputs]
        if self.explanation.sizes is not None or node.shape or any(x.shape for x in inputs) or not inputs:
            return ""
        within = isinstance(node.expression, Binary | Unary)
        put = {x.id: _number(self.value(x.value), within) for x in inputs}
        return self.formula(substitute(node.expression, put))

    def local(self, local: Local) -> str:
        """Return the local derivative, or the rule of an edge for `g`."""
        if local.formula is not None:
            return f"= {self.formula(local.formula)}"
        return f"{self.upstream_name} {self.looks.arrow} {self.formula(local.rule)}"

    def symbols(self, link: Link) -> str:
        """`∂q/∂p·∂p/∂s + ∂q/∂m·∂m/∂s`; where a rule is no product, the rule with the upstream gradient put in."""
        if not link.terms and self.plain_seed and self.explanation.sizes is not None:
            return "1"  # no made-up number
        return self._sum([self._symbols(term) for term in link.terms])

    def _symbols(self, term: Term) -> list[str]:
        upstream = self.total(term.step.node)
        if not term.is_product:
            entering = Number(1) if self._is_seed(term) else self.quotient(term.step.node)  # in brackets where need be
            rule = without_ones(substitute(term.step.rule, {self.upstream_name: entering}))
            return [self.formula(rule)]
        local = self.edge(term.step.node, term.local)
        return [local] if self._is_seed(term) else [upstream, local]

    def along(self, path: Path, longest: int) -> str:
        """Return the gradient that flows along a path: the rule of each edge with the one above it put in.

        Empty where that takes more characters, of which each part of a formula has one at least: a rule may have the
        one above it twice, and the formula of a long path twice as many parts at each edge.
        """
        tree: Expression | None = Number(1) if self.plain_seed else self.quotient(self.explanation.output)
        for local in path.locals:
            if tree is None and self.upstream_name in names(local.rule):
                continue
            tree = without_ones(substitute(local.rule, {} if tree is None else {self.upstream_name: tree}))
            tree = None if sum(1 for _ in postorder(tree)) > longest else tree
        text = self.formula(tree) if tree is not None and path.locals else ""
        return text if len(text) <= longest else ""

    def formulas(self, link: Link) -> str:
        """The local derivatives written out below their upstream gradients; empty where a rule is no product."""
        if not all(term.is_product for term in link.terms):
            return ""
        return self._sum([self._formulas(term) for term in link.terms])

    def _formulas(self, term: Term) -> list[str]:
        assert term.local.formula is not None
        upstream = self.total(term.step.node)
        local = term.local.formula
        if self._is_seed(term):
            return [self.formula(local)]
        text = self.formula(local)
        loose = precedence(local) < precedence(PRODUCT) or text.startswith("-")
        return [upstream, f"({text})" if loose else text]

    def numbers(self, link: Link) -> str:
        """Return the sum with numbers put in; empty where they are arrays, made up, or no product of those numbers."""
        if self.explanation.sizes is not None:
            return ""
        values = [x for term in link.terms for x in (term.step.upstream, term.step.contribution)]
        is_product = all(term.local.formula is not None and not term.is_gate for term in link.terms)
        if any(np.ndim(value) for value in values) or not is_product:
            return ""
        return self._sum([self._numbers(term) for term in link.terms])

    def result(self, link: Link) -> str:
        """Return the gradient, with the reason where a term is not the product that stands to its left."""
        gates = dict.fromkeys(visible(term.step.node) for term in link.terms if term.is_gate)
        why = f", for the rule of {' and '.join(gates)} gives 0 here whatever arrives" if gates else ""
        return f"{self.grid(link.total)}{why}"

    def _numbers(self, term: Term) -> list[str]:
        local = self.value(term.local.value)
        return [local] if self._is_seed(term) else [factor(self.value(term.step.upstream)), factor(local)]

    def _is_seed(self, term: Term) -> bool:
        """Return whether the upstream gradient is the 1 that enters at the output, which is not written."""
        return self.plain_seed and term.step.node == self.explanation.output

    def _sum(self, products: list[list[str]]) -> str:
        times = self.looks.times
        if len(products) == 1:
            return f" {times} ".join(products[0])
        return self.joined([factor(times.join(product)) for product in products], " + ")

    def joined(self, parts: Sequence[str], separator: str) -> str:
        """The parts on one line; of a great many the first and the last, with dots between."""
        if self.most is None or len(parts) <= self.most:
            return separator.join(parts)
        return separator.join([*parts[: self.most - 3], self.looks.ellipsis, *parts[-2:]])


def _number(text: str, within: bool) -> Expression:
    """A number put into an expression: `2·(-1)`, and `exp(-1)` where it is no operand of a product or sum."""
    if within or not text.startswith("-"):
        return Name(factor(text))
    return Unary("-", Name(text[1:]))


def factor(text: str) -> str:
    """A number inside a product or sum: a negative one in parentheses."""
    return f"({text})" if text.startswith("-") else text
