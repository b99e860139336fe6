"""Gradients as a person writes them: simplified, and in named intermediates where one line would be long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from gradcli.engine.modes import switched
from gradcli.engine.symbolic.notation import literal
from gradcli.errors import GradcliError
from gradcli.explanation.causes.infinities import is_finite, kind_of
from gradcli.explanation.chain.links import chain
from gradcli.explanation.folding import folded
from gradcli.explanation.formulas.derivation import LARGEST_UPSTREAM
from gradcli.explanation.model import Explanation, Intermediate, Leaf, Note
from gradcli.explanation.naming import NAMELESS, unused
from gradcli.explanation.values import apart, rounding, rounding_of, value_of
from gradcli.language.rewrite import substitute
from gradcli.language.simplify.simplifier import products_of, simplify
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Argument, Binary, Call, Expression, Name, names, postorder
from gradcli.language.unparser import unparse

LONG = 40  # operators and calls on one line
INLINE = 6  # operators and calls of a result without a name of its own that is written where it is used
INLINE_WIDTH = 24  # and its characters
WIDEST = 160  # characters on one line, which long names fill soon
BESIDE_NAMES = 16, 80  # both where another gradient has intermediates anyway
LONGEST = 80  # on lines that have no shorter form
LONGEST_TERM = 8  # operators and calls of a term of a long sum
MOST_TERMS = 100
MOST_NODES = 400  # of a program whose gradients are written in named intermediates
MOST_WORK = 20_000  # nodes of formulas that are simplified; the rest of a long program stays as it is
TOLERANCE = {"float32": 1e-3}  # relative, of a simplified formula at the point; finer for float64


def simplified(explanation: Explanation, *, at_any_point: bool = False) -> Explanation:
    """Return the explanation with simplified gradients.

    Where a gradient is not finite at the point, or the simplified formula has another value there, the raw formula
    stands, with a note; not if the formulas are to hold `at_any_point`, for made-up values.
    """
    return _Gradients(explanation, at_any_point=at_any_point).explanation()


class _Gradients:
    """The gradients of one explanation."""

    def __init__(self, explanation: Explanation, *, at_any_point: bool) -> None:
        self.whole = explanation
        self.at_any_point = at_any_point
        self.point = explanation.point
        self.shapes = {name: np.shape(value) for name, value in self.point.items()}
        written = [statement.value for statement in explanation.parsed.statements]
        self.products = products_of(written or [node.expression for node in explanation.nodes])
        self.notes: list[Note] = []
        self.left = MOST_WORK
        self.long, self.widest = LONG, WIDEST
        self.in_names = _InNames(explanation, self.shapes) if len(explanation.nodes) <= MOST_NODES else None

    def explanation(self) -> Explanation:
        leaves = tuple(map(self.leaf, self.whole.leaves))
        if self.in_names and any(self.in_names.is_used(leaf.formula) for leaf in leaves):
            (self.long, self.widest), self.left, self.notes = BESIDE_NAMES, MOST_WORK, []
            leaves = tuple(map(self.leaf, self.whole.leaves))
        found = {name for leaf in leaves if leaf.formula is not None for name in names(leaf.formula)}
        intermediates = tuple(self.in_names.needed(found)) if self.in_names else ()
        notes = (*self.whole.notes, *self.notes)
        return replace(self.whole, leaves=leaves, notes=notes, intermediates=intermediates)

    def leaf(self, leaf: Leaf) -> Leaf:
        """Return the leaf with the shortest of its formulas that stands, if that fits a line."""
        if leaf.gradient is None:
            return leaf
        found: list[Expression] = []
        for formula in self.formulas(leaf):
            long, widest = (LONG, WIDEST) if found else (self.long, self.widest)
            if length(formula) <= long and len(unparse(formula)) <= widest:
                return replace(leaf, formula=formula)
            found.append(formula)
        best = min(found, key=length, default=None)
        if best is not None and (length(best) <= LONGEST or is_sum_of_short(best)):
            return replace(leaf, formula=best)
        self.notes.append(Note("long", leaf.node, f"the formula by {leaf.name} is too long to be written"))
        return replace(leaf, formula=None)

    def formulas(self, leaf: Leaf) -> Iterator[Expression]:
        raw = leaf.formula_raw
        size = 0 if raw is None else sum(1 for _ in postorder(raw))
        if raw is not None and size <= self.left:
            self.left -= size
            raw = self.in_shape(raw, leaf.gradient)
            short = self.shorter(simplify(raw, self.shapes, self.products), leaf)
            why = self.objection(short, leaf) if short != raw else ""
            if why:
                self.notes.append(Note("raw", leaf.node, f"the formula by {leaf.name} is not simplified: {why} here"))
            yield raw if why else short
        elif raw is not None:
            yield raw
        if self.in_names:
            finite = is_finite(leaf.gradient)
            found = self.in_names.formulas(leaf.node)
            yield from (x for x in found if finite or self.at_any_point or self.is_as_infinite(x, leaf.gradient))

    def shorter(self, formula: Expression, leaf: Leaf) -> Expression:
        """Return the formula, or the one by the rules of operations that torch takes several nodes for."""
        other = self.in_names.over_variables(leaf.node) if self.in_names else None
        if other is None or opaque(other) >= opaque(formula) or self.objection(other, leaf):
            return formula
        return other

    def in_shape(self, formula: Expression, gradient: Any) -> Expression:
        """Return a formula in the shape of the gradient: copies may have been lost where they were added to others."""
        if not np.ndim(gradient):
            return formula
        try:
            with np.errstate(all="ignore"), switched(default_dtype=gradient.dtype):
                shape = np.shape(value_of(formula, self.point))
        except GradcliError:
            return formula
        if shape == np.shape(gradient) or len(shape) > np.ndim(gradient):
            return formula
        return Call("expand", (Argument(formula), Argument(literal(np.shape(gradient)))))

    def is_as_infinite(self, formula: Expression, gradient: Any) -> bool:
        """Tell whether a formula in names has the infinite entries of the gradient, and nan where that has."""
        assert self.in_names is not None
        try:
            with np.errstate(all="ignore"), switched(default_dtype=gradient.dtype):
                value = value_of(formula, self.point | self.in_names.values)
        except GradcliError:
            return False
        return bool(np.allclose(value, gradient, equal_nan=True))

    def objection(self, formula: Expression, leaf: Leaf) -> str:
        """Return why a simplified formula does not stand at the point; empty if it does."""
        gradient: Any = leaf.gradient
        if self.at_any_point:
            return ""
        if not is_finite(gradient):
            return f"the gradient is {kind_of(gradient)}"
        try:
            with np.errstate(all="ignore"), switched(default_dtype=gradient.dtype):
                value = np.asarray(value_of(formula, self.point))
        except GradcliError:
            return "it has no value"
        tolerance = TOLERANCE.get(str(gradient.dtype), 1e-6)
        scale = float(np.max(np.abs(gradient), initial=rounding(self.point, gradient.dtype) / tolerance))
        if value.shape == gradient.shape and np.allclose(value, gradient, rtol=tolerance, atol=tolerance * scale):
            return ""
        if value.shape != gradient.shape or apart(value, gradient) > rounding_of(self.point, formula, leaf.formula_raw):
            return "it has another value"
        return ""


def opaque(tree: Expression) -> tuple[int, int]:
    """Return how hard a formula is to read: the functions that are known to torch alone, then the length."""
    adjoint = sum(isinstance(part, Call) and part.function.endswith("_backward") for part in postorder(tree))
    return adjoint, length(tree)


def is_sum_of_short(tree: Expression) -> bool:
    """Tell whether a formula is a sum of not too many terms, each of which is read at a glance."""
    terms, waiting = 0, [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Binary) and part.operator in ("+", "-"):
            waiting.extend((part.left, part.right))
        elif length(part) > LONGEST_TERM:
            return False
        else:
            terms += 1
    return terms <= MOST_TERMS


class _InNames:
    """Formulas over the names of nodes, and over names for the gradients of nodes."""

    def __init__(self, explanation: Explanation, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.explanation = explanation = folded(explanation)
        self.nodes = {node.id: node for node in explanation.nodes}
        self.written = self.inlined()
        self.links = {link.input: link for link in chain(explanation)}
        self.gradients = {id: unused(f"g_{id}", self.nodes) for id in self.links}
        is_named = explanation.is_seed_named and np.ndim(explanation.upstream) > 0
        large = np.size(explanation.upstream) > LARGEST_UPSTREAM or is_named
        self.seed = Name(explanation.seed_name) if large else literal(explanation.upstream)
        self.values = {name: self.nodes[id].grad for id, name in self.gradients.items()}
        self._gradients: dict[str, Expression] = {}
        written = [statement.value for statement in explanation.parsed.statements]
        self.products = products_of(written or [node.expression for node in explanation.nodes])
        self.shapes = dict(shapes) | {self.gradients[id]: self.nodes[id].shape for id in self.links}

    def inlined(self) -> dict[str, Expression]:
        """Return the expression of each node that is no variable, with short ones of nameless results put in."""
        found: dict[str, Expression] = {}
        for id, node in self.nodes.items():
            if node.expression != Name(id):
                short = {
                    name: found[name] for name in names(node.expression) & found.keys() if self.is_short(name, found)
                }
                found[id] = substitute(node.expression, short)
        return found

    def is_short(self, name: str, written: Mapping[str, Expression]) -> bool:
        tree = written[name]
        return bool(NAMELESS.fullmatch(name)) and length(tree) <= INLINE and len(unparse(tree)) <= INLINE_WIDTH

    def is_used(self, formula: Expression | None) -> bool:
        """Return whether a formula has names that are no variables."""
        return formula is not None and not names(formula).isdisjoint(self.written.keys() | {*self.gradients.values()})

    def formulas(self, node: str) -> Iterator[Expression]:
        """Yield the gradient of a node: over the nodes alone, and over the gradients of the nodes above it."""
        if node not in self.links:
            return
        whole = over_gradients = self.gradient(node)
        for above in reversed(self.links):
            name = self.gradients[above]
            if length(whole) <= LONGEST and name in names(whole):
                whole = substitute(whole, {name: self.gradient(above)})
        if length(whole) <= LONGEST:
            whole = simplify(whole, self.shapes, self.products)
            short = {name: self.written[name] for name in names(whole) & self.written.keys()}
            short = {name: tree for name, tree in short.items() if self.is_short(name, self.written)}
            put_in = simplify(substitute(whole, short), self.shapes, self.products)
            yield put_in if length(put_in) <= LONG else whole
        yield over_gradients

    def over_variables(self, node: str) -> Expression | None:
        """Return the gradient over variables where operations are whole; None where none is, or it would be long."""
        if node not in self.links or not any(one.whole for one in self.nodes.values()):
            return None
        tree = self.gradient(node)
        gradients = {name: id for id, name in self.gradients.items()}
        while length(tree) <= LONGEST:
            found = {name: self.gradient(gradients[name]) for name in names(tree) & gradients.keys()}
            nodes = {name: self.nodes[name].expression for name in names(tree) & self.nodes.keys()}
            found |= {name: one for name, one in nodes.items() if one != Name(name)}
            if not found:
                return simplify(tree, self.shapes, self.products)
            tree = substitute(tree, found)
        return None

    def gradient(self, node: str) -> Expression:
        """Return the sum over the consumers of a node, in terms of their gradients."""
        if node not in self._gradients:
            terms = []
            for term in self.links[node].terms:
                above = self.gradients.get(term.step.node)
                entering = Name(above) if above else self.seed
                terms.append(substitute(term.step.rule, {self.explanation.upstream_name: entering}))
            whole = reduce(lambda first, second: Binary("+", first, second), terms)
            self._gradients[node] = simplify(whole, self.shapes, self.products)
        return self._gradients[node]

    def needed(self, found: set[str]) -> Iterator[Intermediate]:
        """Yield what the names stand for that are no variables, in the order in which it is computed."""
        nodes = self.written
        gradients = {name: id for id, name in self.gradients.items()}
        waiting, met = list(found), set(found)
        while waiting:
            name = waiting.pop()
            tree = self.gradient(gradients[name]) if name in gradients else nodes.get(name)
            new = names(tree) - met if tree is not None else set()
            met |= new
            waiting.extend(new)
        yield from (Intermediate(name, tree, None) for name, tree in nodes.items() if name in met)
        yield from (Intermediate(name, self.gradient(id), id) for name, id in gradients.items() if name in met)
