"""Gradients as a person writes them: simplified, and in named intermediates where one line would be long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from gradcli.engine.modes import switched
from gradcli.engine.symbolic.notation import literal
from gradcli.errors import GradcliError
from gradcli.explanation.causes.infinities import is_finite, kind_of
from gradcli.explanation.formulas.checking import fault, simplify_unchecked
from gradcli.explanation.formulas.in_names import LONG, LONGEST, InNames
from gradcli.explanation.model import MISSING, Explanation, Leaf, Note, missing_notes
from gradcli.explanation.values import apart, rounding, rounding_of, value_of
from gradcli.guard import guarded, noting
from gradcli.language.simplify.simplifier import products_of
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Argument, Binary, Call, Expression, Number, names, postorder
from gradcli.language.unparser import unparse

WIDEST = 160  # characters on one line, which long names fill soon
BESIDE_NAMES = 16, 80  # both where another gradient has intermediates anyway
LONGEST_TERM = 8  # operators and calls of a term of a long sum
MOST_TERMS = 100
MOST_NODES = 400  # of a program whose gradients are written in named intermediates
MOST_WHOLE = 100  # of one in which formulas over variables are sought by the rules of whole operations
MOST_WORK = 20_000  # nodes of formulas that are simplified; the rest of a long program stays as it is
DUST = "terms cancel, and rounding leaves numbers that mean 0 in the gradient of"
TOLERANCE = {"float32": 1e-3}  # relative, of a simplified formula at the point; finer for float64


def simplified(explanation: Explanation, *, at_any_point: bool = False) -> Explanation:
    """Return the explanation with simplified gradients.

    Where a gradient is not finite at the point, or the simplified formula has another value there, the raw formula
    stands, with a note; not if the formulas are to hold `at_any_point`, for made-up values.
    """
    with noting() as missing:
        make = partial(_Gradients, explanation, at_any_point=at_any_point)
        result = guarded("simplification", lambda: make().explanation(), explanation)
    return replace(result, notes=(*result.notes, *missing_notes(missing))) if missing else result


def over_variables(explanation: Explanation, budget: int) -> dict[str, Expression | None]:
    """Return the gradients, simplified, over variables alone, however long; None where there is none.

    At most so many nodes of formulas are simplified; for the others there is no time.
    """
    gradients, formula_of = _Gradients(explanation, at_any_point=True), dict[str, Expression | None]()
    if len(explanation.nodes) > MOST_WHOLE:
        gradients.in_names = None
    for leaf in explanation.leaves:
        budget -= size_of(leaf.formula_raw)
        is_there = leaf.formula_raw is not None and budget >= 0
        formula_of[leaf.name] = next(gradients.formulas(leaf))[0] if is_there else None
    return formula_of


def size_of(formula: Expression | None) -> int:
    return 0 if formula is None else sum(1 for _ in postorder(formula))


class _Gradients:
    """The gradients of one explanation."""

    def __init__(self, explanation: Explanation, *, at_any_point: bool) -> None:
        self.whole = explanation
        self.at_any_point = at_any_point
        self.point = explanation.point
        self.is_of_numbers = not any(map(np.ndim, self.point.values()))  # operations have the same rules whole
        self.notes: list[Note] = []
        self.found: dict[str, tuple[list[tuple[Expression, str]], Iterator[tuple[Expression, str]]]] = {}
        self.left = MOST_WORK
        self.long, self.widest = LONG, WIDEST
        is_short = len(explanation.nodes) <= MOST_NODES
        has_rules = is_short and all(step.rule != MISSING for step in explanation.steps)
        self.in_names = InNames(explanation) if is_short and has_rules else None

    @cached_property
    def products(self) -> tuple[tuple[str, ...], ...]:
        trees = [statement.value for statement in self.whole.parsed.statements]
        return products_of(trees or [node.expression for node in self.whole.nodes])

    def explanation(self) -> Explanation:
        leaves = self.leaves()
        if self.in_names and any(self.in_names.is_used(leaf.formula) for leaf in leaves):
            (self.long, self.widest), self.notes = BESIDE_NAMES, []
            leaves = self.leaves()
        if self.in_names:
            by_name = guarded("simplification", partial(self.in_names.by_name, [x.formula for x in leaves]), None)
            leaves = leaves if by_name is None else tuple(map(lambda x, y: replace(x, formula=y), leaves, by_name))
            leaves = guarded("simplification", partial(self.with_deltas, self.in_names, leaves), leaves)
        names_used = {name for leaf in leaves if leaf.formula is not None for name in names(leaf.formula)}
        intermediates = tuple(self.in_names.needed(names_used)) if self.in_names else ()
        dust = [leaf for leaf in leaves if leaf.is_dust and not self.at_any_point]
        noted = {note.node for note in self.whole.notes if note.code == "cancelled"}
        self.notes += [Note("cancelled", x.node, f"{DUST} {x.name}") for x in dust if x.node not in noted]
        notes = (*self.whole.notes, *self.notes)
        return replace(self.whole, leaves=leaves, notes=notes, intermediates=intermediates)

    def with_deltas(self, in_names: InNames, leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
        """Return the leaves of a network over δ; all as they are where a formula is missing or has no value."""
        reached = {leaf.node: leaf.formula for leaf in leaves if leaf.gradient is not None}
        formulas = {node: tree for node, tree in reached.items() if tree is not None}
        is_sound = self.at_any_point or all(leaf.gradient is None or is_finite(leaf.gradient) for leaf in leaves)
        if not formulas or len(formulas) < len(reached) or not is_sound:
            return leaves
        trees = in_names.with_deltas(formulas)
        return tuple(replace(leaf, formula=trees.get(leaf.node, leaf.formula)) for leaf in leaves)

    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(guarded("simplification", partial(self.leaf, leaf), leaf, leaf.node) for leaf in self.whole.leaves)

    def leaf(self, leaf: Leaf) -> Leaf:
        """Return the leaf with the shortest of its formulas that stands, if that fits a line."""
        if leaf.gradient is None:
            return leaf
        reasons: dict[Expression, str] = {}
        for formula, why in self.formulas(leaf):
            limit, widest = (LONG, WIDEST) if reasons else (self.long, self.widest)
            if length(formula) <= limit and len(unparse(formula)) <= widest:
                return self.with_formula(leaf, formula, why)
            reasons.setdefault(formula, why)
        shortest = min(reasons, key=length, default=None)
        if shortest is not None and (length(shortest) <= LONGEST or is_sum_of_short(shortest)):
            return self.with_formula(leaf, shortest, reasons[shortest])
        self.notes.append(Note("long", leaf.node, f"the formula by {leaf.name} is too long to be written"))
        return replace(leaf, formula=None)

    def with_formula(self, leaf: Leaf, formula: Expression, why: str) -> Leaf:
        """Return the leaf with a formula, and note `why` that is not simplified, if it is not."""
        if why:
            self.notes.append(Note("raw", leaf.node, f"the formula by {leaf.name} is not simplified: {why}"))
        return replace(leaf, formula=formula)

    def formulas(self, leaf: Leaf) -> Iterator[tuple[Expression, str]]:
        """Yield formulas, the one over variables first, each with the reason why it is not simplified, or none.

        What was found is there again for whoever asks a second time.
        """
        formulas_read, formulas_left = self.found.setdefault(leaf.name, ([], self.find_formulas(leaf)))
        yield from formulas_read
        for formula in formulas_left:
            formulas_read.append(formula)
            yield formula

    def find_formulas(self, leaf: Leaf) -> Iterator[tuple[Expression, str]]:
        raw = leaf.formula_raw
        if isinstance(raw, Number) and not is_finite(leaf.gradient):
            raw = None  # 0 for what is 0 times infinity
        size = size_of(raw)
        if raw is not None and size <= self.left:
            self.left -= size
            raw = self.in_shape(raw, leaf.gradient)
            simple = simplify_unchecked(raw, self.point, self.products)
            why = fault(simple, raw, self.point) or self.objection(simple, leaf) if simple != raw else ""
            is_plain = self.is_of_numbers and not why and opaque(simple)[0] == 0
            yield simple if is_plain else self.shorter(raw if why else simple, leaf), why
        elif raw is not None:
            yield raw, ""
        if self.in_names:
            finite = is_finite(leaf.gradient)
            in_names = self.in_names.formulas(leaf.node)
            stands = finite or self.at_any_point
            yield from ((x, "") for x in in_names if stands or self.is_as_infinite(x, leaf.gradient))

    def shorter(self, formula: Expression, leaf: Leaf) -> Expression:
        """Return the formula, or the one by the rules of operations that torch takes several nodes for."""
        by_operations = self.in_names.over_variables(leaf.node) if self.in_names else None
        if by_operations is None or opaque(by_operations) >= opaque(formula) or self.objection(by_operations, leaf):
            return formula
        return by_operations

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
                value = value_of(formula, self.in_names.point)
        except GradcliError:
            return False
        return bool(np.allclose(value, gradient, equal_nan=True))

    def objection(self, formula: Expression, leaf: Leaf) -> str:
        """Return why a simplified formula does not stand at the point; empty if it does."""
        gradient: Any = leaf.gradient
        if self.at_any_point:
            return ""
        if not is_finite(gradient):
            return f"the gradient is {kind_of(gradient)} here"
        try:
            with np.errstate(all="ignore"), switched(default_dtype=gradient.dtype):
                value = np.asarray(value_of(formula, self.point))
        except GradcliError:
            return "it has no value here"
        tolerance = TOLERANCE.get(str(gradient.dtype), 1e-6)
        scale = float(np.max(np.abs(gradient), initial=rounding(self.point, gradient.dtype) / tolerance))
        if value.shape != gradient.shape or not is_finite(value):
            return "it has another value here"
        if np.allclose(value, gradient, rtol=tolerance, atol=tolerance * scale):
            return ""
        is_rounding = apart(value, gradient) <= rounding_of(self.point, formula, leaf.formula_raw)
        return "" if is_rounding else "it has another value here"


def opaque(tree: Expression) -> tuple[int, int]:
    """Return how hard a formula is to read: the functions that are known to torch alone, then the length."""
    adjoint = sum(isinstance(node, Call) and node.function.endswith("_backward") for node in postorder(tree))
    return adjoint, length(tree)


def is_sum_of_short(tree: Expression) -> bool:
    """Tell whether a formula is a sum of not too many terms, each of which is read at a glance."""
    terms, waiting = 0, [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Binary) and node.operator in ("+", "-"):
            waiting.extend((node.left, node.right))
        elif length(node) > LONGEST_TERM:
            return False
        else:
            terms += 1
    return terms <= MOST_TERMS
