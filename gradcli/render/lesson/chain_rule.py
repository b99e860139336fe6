"""The chain rule of one node: which factors a line shows, and when numbers. Text and LaTeX are scripts of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np

from gradcli.explanation.chain.links import Link, Term
from gradcli.explanation.model import Explanation, Leaf, Local, Node, Value
from gradcli.explanation.naming import unused
from gradcli.language.rewrite import substitute, without_ones
from gradcli.language.tree import Binary, Expression, Name, Number

MOST = 12  # terms of a sum that are written out
ALL = 17  # digits of a number
NEARLY = 0.01  # by which a sum may differ from that of the numbers shown, as a share of it
Formula = TypeVar("Formula")  # as a script writes it


class ChainRule(ABC, Generic[Formula]):
    """Decides what the lines about the derivatives of one explanation show; a script writes the formulas."""

    precision: int  # significant digits of a number

    def __init__(self, explanation: Explanation, *, most: int | None = MOST) -> None:
        self.explanation = explanation
        self.most = most  # terms of a sum; None is all of them
        self.nodes = {node.id: node for node in explanation.nodes}
        self.upstream_name = explanation.upstream_name
        self.plain_seed = explanation.is_seed_one
        # an upstream gradient is the derivative of an L beyond the output, and that is differentiated
        self.differentiated = explanation.output if self.plain_seed else unused("L", self.nodes)
        self.ranks = {name: len(node.shape) for name, node in self.nodes.items()}
        self.ranks |= {x.name: self.ranks[x.gradient_of] for x in explanation.intermediates if x.gradient_of}
        self.arriving_ranks = {id(local): len(node.shape) for node in explanation.nodes for local in node.locals}

    def arriving(self, local: Local) -> dict[str, int]:
        """Return the dimensions of the `g` of an edge."""
        return {self.upstream_name: self.arriving_ranks.get(id(local), 0)}

    @abstractmethod
    def derivative(self, of: str, by: str) -> Formula: ...  # write `∂z/∂x`

    @abstractmethod
    def edge(self, of: str, local: Local) -> Formula: ...

    @abstractmethod
    def formula(self, tree: Expression) -> Formula: ...  # write an expression

    @abstractmethod
    def number(self, value: Value) -> Formula: ...  # write a number or an array on a line

    @abstractmethod
    def with_numbers(self, tree: Expression, numbers: Mapping[str, Value], digits: int) -> Formula: ...

    @abstractmethod
    def quotient(self, by: str) -> Expression: ...  # return the total derivative as an operand of rules

    @abstractmethod
    def factor(self, text: Formula) -> Formula: ...  # write a number as a factor: a negative one in brackets

    @abstractmethod
    def formula_factor(self, tree: Expression) -> Formula: ...

    @abstractmethod
    def product(self, term: Term, factors: Sequence[Formula], *, is_alone: bool) -> Formula: ...

    @abstractmethod
    def sum(self, products: Sequence[Formula | None]) -> Formula: ...

    @abstractmethod
    def entering(self) -> Formula: ...  # write the gradient that enters at the output

    def total(self, by: str) -> Formula:
        """Write the derivative of the output, or of the L that an upstream gradient belongs to."""
        return self.derivative(self.differentiated, by)

    def put_in(self, node: Node) -> Formula | None:
        """Write an expression with the numbers of its inputs; None where they are arrays, or made up for a shape."""
        inputs = [self.nodes[id] for id in node.inputs]
        if self.explanation.sizes is not None or node.shape or any(x.shape for x in inputs) or not inputs:
            return None
        return self.with_numbers(node.expression, {x.id: x.value for x in inputs}, self.digits(node))

    def digits(self, node: Node) -> int:
        """Return how many digits the inputs of an operation need: all of them where the others cancel in a sum."""
        match node.expression:
            case Binary("+" | "-" as sign, Name() | Number() as left, Name() | Number() as right):
                exact = [self.nodes[one.id].value if isinstance(one, Name) else one.value for one in (left, right)]
                first, second = (float(f"{float(one):.{self.precision}g}") for one in exact)
                total = first + second if sign == "+" else first - second
                if abs(total - node.value) > NEARLY * abs(node.value):
                    return ALL
        return self.precision

    def in_variables(self, leaf: Leaf) -> list[Expression]:
        """Return the gradient as the rules give it and simplified; nothing where that is the same and has a value."""
        if leaf.formula is None or leaf.formula_raw is None:
            return []
        is_told = leaf.formula != leaf.formula_raw or self.explanation.sizes is not None
        return [leaf.formula_raw, leaf.formula] if is_told else []

    def symbols(self, link: Link) -> Formula:
        """`∂q/∂p·∂p/∂s + ∂q/∂m·∂m/∂s`; where a rule is no product, the rule with the upstream gradient put in."""
        return self._sum(link, self._symbols)

    def _symbols(self, term: Term) -> list[Formula]:
        if not term.is_product:
            entering = Number(1) if self.is_seed(term) else self.quotient(term.step.node)
            return [self.formula(without_ones(substitute(term.step.rule, {self.upstream_name: entering})))]
        local = self.edge(term.step.node, term.local)
        return [self.total(term.step.node), local]

    def formulas(self, link: Link) -> Formula | None:
        """Write the same with the local derivatives written out; None where a rule is no product."""
        return self._sum(link, self._formulas) if all(term.is_product for term in link.terms) else None

    def _formulas(self, term: Term) -> list[Formula]:
        assert term.local.formula is not None
        return [self.total(term.step.node), self.formula_factor(term.local.formula)]

    def numbers(self, link: Link) -> Formula | None:
        """Write the same with numbers put in; None where they are arrays, made up, or no product of those numbers."""
        values = [x for term in link.terms for x in (term.step.upstream, term.step.contribution)]
        if self.explanation.sizes is not None or any(np.ndim(value) for value in values):
            return None
        if any(term.local.formula is None or term.is_gate for term in link.terms):
            return None
        return self._sum(link, self._numbers)

    def _numbers(self, term: Term) -> list[Formula]:
        return [self.factor(self.number(value)) for value in (term.step.upstream, term.local.value)]

    def is_seed(self, term: Term) -> bool:
        """Return whether the upstream gradient is the 1 that enters at the output, which no rule writes."""
        return self.plain_seed and term.step.node == self.explanation.output

    def _sum(self, link: Link, factors: Callable[[Term], Sequence[Formula]]) -> Formula:
        """Write the sum over the consumers; of a great many the first and the last, with None between."""
        if not link.terms:
            return self.entering()
        terms: list[Term | None] = [*link.terms]
        if self.most is not None and len(terms) > self.most:
            terms = [*terms[: self.most - 3], None, *terms[-2:]]
        alone = len(terms) == 1
        return self.sum([None if one is None else self.product(one, factors(one), is_alone=alone) for one in terms])
