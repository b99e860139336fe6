"""Derivatives in words of the page: `∂z/∂v2`, sums of products, the same with numbers put in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np

from gradcli.explanation.chain.links import Link, Path, Term
from gradcli.explanation.model import Explanation, Leaf, Local, Node, Value, ordinal, unused
from gradcli.language.rewrite import substitute, with_children, without_ones
from gradcli.language.tree import Binary, Expression, Name, Number, Statement, Unary, fold, names, postorder
from gradcli.language.unparser import precedence, unparse
from gradcli.render.lesson.readable import ENTRYWISE, bare, each_part, gets, readable
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import grid, short
from gradcli.source import visible

# The chain rule of one node: which factors a line shows, and when numbers. Text and LaTeX are scripts of it.


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
        sizes = (size for shape in (explanation.sizes or {}).values() for size in shape if isinstance(size, str))
        self.ranks = dict.fromkeys(sizes, 0) | {name: len(node.shape) for name, node in self.nodes.items()}
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
                exact = [self.nodes[side.id].value if isinstance(side, Name) else side.value for side in (left, right)]
                first, second = (float(f"{float(value):.{self.precision}g}") for value in exact)
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
        return self.sum([None if term is None else self.product(term, factors(term), is_alone=alone) for term in terms])


PRODUCT = Binary("*", Name("a"), Name("b"))


class Terms(ChainRule[str]):
    """Writes the derivatives of one explanation as text."""

    def __init__(self, explanation: Explanation, looks: Looks, *, most: int | None = MOST) -> None:
        super().__init__(explanation, most=most)
        self.looks, self.precision = looks, looks.precision
        self.edges = Counter(
            local.input for node in explanation.nodes if node.grad is not None for local in node.locals
        )
        self.gradients = {x.name: self.quotient(x.gradient_of) for x in explanation.intermediates if x.gradient_of}
        self.gradients |= {
            x.name: Name(x.name.replace("δ", "delta" if looks.ascii else "δ")) for x in explanation.deltas
        }
        self.gradients[explanation.seed_name] = self.quotient(explanation.output)
        self.ranks |= {f"{looks.partial}{id}": rank for id, rank in self.ranks.items()}

    def derivative(self, of: str, by: str) -> str:
        partial = self.looks.partial
        return f"{partial}{visible(of)}/{partial}{visible(by)}"

    def edge(self, of: str, local: Local) -> str:
        """Return the local derivative on an edge: `∂y/∂x|v1` where v1, which depends on x, does not move.

        In ASCII that is `local dy/dx (v1 held)`. Of two edges between the same nodes each says which one it is.
        """
        symbol, held = self.derivative(of, local.input), ", ".join(map(visible, local.held))
        which = self.which(local)
        if not self.looks.ascii:
            return f"{symbol}{f'|{held}' if held else ''}{f' ({which})' if which else ''}"
        remarks = ", ".join(filter(None, [held and f"{held} held", which]))
        return f"{'local ' if held else ''}{symbol}{f' ({remarks})' if remarks else ''}"

    def fans_out(self, input: str) -> bool:
        """Return whether the gradient of a node is a sum over several edges."""
        return self.edges[input] > 1

    def which(self, local: Local) -> str:
        """Return `1st` or `2nd` where several edges lead from a node to the same input; else nothing."""
        return ordinal(local.use) if local.use else ""

    @property
    def entrywise(self) -> str:
        return self.looks.times if self.looks.ascii else ENTRYWISE

    def typed(self, tree: Expression) -> str:
        """Return an expression of the program."""
        tree = readable(tree, self.ranks, self.entrywise, is_typed=True)
        return visible(unparse(tree, multiply=self.looks.times))

    def statement(self, statement: Statement) -> str:
        named = "" if statement.target is None else f"{visible(statement.target)} = "
        return f"{named}{self.typed(statement.value)}"

    def formula(self, tree: Expression, ranks: Mapping[str, int] | None = None) -> str:
        """Return a formula; `ranks` are those of names that are not of the program, as of `g`."""
        known = self.ranks if ranks is None else {**self.ranks, **ranks}
        each, where = each_part(tree, known)
        return f"{self._formula(each, known)}{where}"

    def _formula(self, tree: Expression, ranks: Mapping[str, int]) -> str:
        tree = readable(tree, ranks, self.entrywise)
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

    def number(self, value: Value, digits: int | None = None) -> str:
        return short(value, digits or self.precision, ascii=self.looks.ascii, width=60)

    def with_numbers(self, tree: Expression, numbers: Mapping[str, Value], digits: int) -> str:
        within = isinstance(tree, Binary | Unary)
        return self.formula(
            substitute(tree, {id: _number(self.number(value, digits), within) for id, value in numbers.items()})
        )

    def local(self, local: Local) -> str:
        """Return the local derivative, or the rule of an edge for `g`."""
        if local.formula is not None:
            return f"= {self.formula(local.formula)}"
        return self.rule(local)

    def rule(self, local: Local) -> str:
        """Return the rule of an edge for the `g` of its node: `g → g @ B.T`, `each entry gets g/3`."""
        written = self.formula(local.rule, self.arriving(local))
        each = gets(written)
        if each is not None:
            return f"{each[0]} gets {each[1]}"
        return f"{self.upstream_name} {self.looks.arrow} {written}"

    def entering(self) -> str:
        return "1" if self.plain_seed and self.explanation.sizes is not None else ""

    def factor(self, text: str) -> str:
        return factor(text)

    def formula_factor(self, tree: Expression) -> str:
        text = self.formula(tree)
        return f"({text})" if precedence(tree) < precedence(PRODUCT) or text.startswith("-") else text

    def product(self, term: Term, factors: Sequence[str], *, is_alone: bool) -> str:
        times = self.times(term.local, factors[-1])
        factors = factors if is_alone else [bare(text) for text in factors]
        return f" {times} ".join(factors) if is_alone or times == ENTRYWISE else factor(times.join(factors))

    def times(self, local: Local, written: str = "") -> str:
        """Return the sign between an upstream gradient and a local derivative, which may be `written` as a number."""
        formula = local.formula
        is_plain = isinstance(formula.operand if isinstance(formula, Unary) else formula, Number)
        is_number = formula is not None and is_plain and written == self.formula_factor(formula)
        return self.entrywise if local.is_entrywise and not is_number else self.looks.times

    def sum(self, products: Sequence[str | None]) -> str:
        return " + ".join(self.looks.ellipsis if product is None else product for product in products)

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

    def result(self, link: Link) -> str:
        """Return the gradient, with the reason where a term is not the product that stands to its left."""
        gates = dict.fromkeys(visible(term.step.node) for term in link.terms if term.is_gate)
        why = f", for the rule of {' and '.join(gates)} gives 0 here whatever arrives" if gates else ""
        is_rest = ", which means 0" if link.input in self.explanation.rests and not np.ndim(link.total) else ""
        total = link.total if is_rest else self.explanation.without_dust(link.input, link.total)
        return f"{self.grid(total)}{why}{is_rest}"

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
