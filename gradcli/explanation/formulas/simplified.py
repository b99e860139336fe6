"""Gradients as a person writes them: simplified, and in named intermediates where one line would be long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np

from gradcli.engine.modes import switched
from gradcli.engine.symbolic.formula import literal
from gradcli.errors import GradcliError
from gradcli.explanation.causes.infinities import is_finite
from gradcli.explanation.chain.links import chain
from gradcli.explanation.folding import folded
from gradcli.explanation.formulas.checking import fault, simplify_checked, simplify_unchecked
from gradcli.explanation.formulas.derivation import LARGEST_UPSTREAM
from gradcli.explanation.formulas.targets import without_sums_of_targets
from gradcli.explanation.model import MISSING, NAMELESS, Explanation, Intermediate, Leaf, Note, missing_notes, unused
from gradcli.explanation.values import apart, rounding, rounding_of, value_of
from gradcli.guard import guarded, noting
from gradcli.language.rewrite import replaced, substitute
from gradcli.language.simplify.simplifier import products_of
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Argument, Binary, Call, Expression, Name, Number, names, postorder
from gradcli.language.unparser import unparse

# Gradients in named intermediates: over the names of nodes, and over names for the gradients of nodes.


INLINE = 6  # operators and calls of a result without a name of its own that is written where it is used
INLINE_WIDTH = 24  # and its characters
LONG = 40  # operators and calls on one line
LONGEST = 80  # on lines that have no shorter form
EASY = 8  # operators and calls of the longest gradient of a network that is read without δ


class InNames:
    """Formulas over the names of nodes, and over names for the gradients of nodes."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation = folded(explanation)
        self.nodes = {node.id: node for node in explanation.nodes}
        self.written = self.inlined()
        self.links = {link.input: link for link in chain(explanation)}
        self.gradients = {id: unused(f"g_{id}", self.nodes) for id in self.links}
        is_named = explanation.is_seed_named and np.ndim(explanation.upstream) > 0
        large = np.size(explanation.upstream) > LARGEST_UPSTREAM or is_named
        self.seed = Name(explanation.seed_name) if large else literal(explanation.upstream)
        self.values = {name: self.nodes[id].grad for id, name in self.gradients.items()}
        self.point = explanation.point | self.values
        self._gradients: dict[str, Expression] = {}
        self._over_variables: dict[str, Expression | None] = {}
        self.deltas: dict[str, tuple[str, Expression]] = {}  # the node whose gradient a δ is, and the formula of that
        trees = [statement.value for statement in explanation.parsed.statements]
        self.products = products_of(trees or [node.expression for node in explanation.nodes])

    def inlined(self) -> dict[str, Expression]:
        """Return the expression of each node that is no variable, with short ones of nameless results put in."""
        trees: dict[str, Expression] = {}
        for id, node in self.nodes.items():
            if node.expression != Name(id):
                inner = {
                    name: trees[name] for name in names(node.expression) & trees.keys() if self.is_short(name, trees)
                }
                trees[id] = substitute(node.expression, inner)
        return trees

    def is_short(self, name: str, trees: Mapping[str, Expression]) -> bool:
        tree = trees[name]
        return bool(NAMELESS.fullmatch(name)) and length(tree) <= INLINE and len(unparse(tree)) <= INLINE_WIDTH

    def with_short(self, tree: Expression) -> Expression:
        """Return a formula with short results without a name of their own put in."""
        written_names = names(tree) & self.written.keys()
        return substitute(
            tree, {name: self.written[name] for name in written_names if self.is_short(name, self.written)}
        )

    def is_used(self, formula: Expression | None) -> bool:
        """Return whether a formula has names that are no variables."""
        return formula is not None and not names(formula).isdisjoint(self.written.keys() | {*self.gradients.values()})

    def formulas(self, node: str) -> Iterator[Expression]:
        """Yield the gradient of a node: over the nodes alone, and over the gradients of the nodes above it."""
        if node not in self.links:
            return
        tree = over_gradients = self.gradient(node)
        names_inside = names(tree)
        for above in reversed(self.links):
            name = self.gradients[above]
            if name in names_inside and length(tree) <= LONGEST:
                tree = substitute(tree, {name: self.gradient(above)})
                names_inside = names(tree)
        if length(tree) <= LONGEST:
            tree = self.checked(tree)
            put_in = self.with_short(tree)
            put_in = self.checked(put_in) if length(put_in) <= LONGEST else put_in
            yield put_in if length(put_in) <= LONG else tree
        yield over_gradients

    def over_variables(self, node: str) -> Expression | None:
        """Return the gradient over variables where operations are whole; None where none is, or it would be long."""
        if node not in self._over_variables:
            has_rules = node in self.links and any(x.whole for x in self.nodes.values())
            self._over_variables[node] = self.substituted(node) if has_rules else None
        return self._over_variables[node]

    def substituted(self, node: str) -> Expression | None:
        """Return the gradient of a node with everything put in that has a name; None where it would be long."""
        tree = self.gradient(node)
        gradients = {name: id for id, name in self.gradients.items()}
        while length(tree) <= LONGEST:
            inner = {name: self.gradient(gradients[name]) for name in names(tree) & gradients.keys()}
            nodes = {name: self.nodes[name].expression for name in names(tree) & self.nodes.keys()}
            inner |= {name: x for name, x in nodes.items() if x != Name(name)}
            if not inner:
                return self.checked(tree)
            tree = substitute(tree, inner)
        return None

    def by_name(self, formulas: Sequence[Expression | None], base: str = "") -> list[Expression | None]:
        """Return formulas with what the program names by its name; of numbers alone, what recurs and is long.

        The formulas are over variables, or over the node `base` and those that do not depend on it.
        """
        trees, expanded = list(formulas), self.expanded(base)
        has_tensors = any(node.shape for node in self.nodes.values())
        for id in reversed([*self.written]):
            if NAMELESS.fullmatch(id) or isinstance(expanded[id], Name):
                continue
            tree = self.checked(expanded[id])
            count = sum(x == tree for f in trees if f is not None for x in postorder(f))
            count += bool(count) and any(id in names(f) for f in trees if f is not None)  # it is explained anyway
            is_long = length(tree) > 1 or isinstance(tree, Call)
            if count and (not isinstance(tree, Name) if has_tensors else count > 1 and is_long):
                trees = [f and replaced(f, tree, Name(id)) for f in trees]
        return [f if f is None or f is tree else self.shorter(f) for f, tree in zip(trees, formulas, strict=True)]

    def shorter(self, tree: Expression) -> Expression:
        """Return a formula as it stands, or simplified once more where names have made that shorter."""
        return min(tree, self.checked(tree), key=length)

    def expanded(self, base: str = "") -> dict[str, Expression]:
        """Return the nodes over variables, long ones as their names; with a base, those above it over that alone."""
        expanded, above = dict[str, Expression](), {base}
        for id, node in self.nodes.items():
            inner = {name: expanded[name] for name in names(node.expression) & expanded.keys()}
            if base and id not in above and above.isdisjoint(inner):
                expanded[id] = Name(id)
                continue
            above.add(id)
            tree = substitute(node.expression, inner) if node.kind == "op" and id != base else Name(id)
            expanded[id] = tree if length(tree) <= LONGEST else Name(id)
        return expanded

    def from_above(self, node: str) -> Expression | None:
        """Return the gradient of a node over it and what does not depend on it, where that is easy to read."""
        tree, expanded = self.gradient(node), self.expanded(node)
        gradients = {name: id for id, name in self.gradients.items()}
        while inner := names(tree) & gradients.keys():
            tree = substitute(tree, {name: self.gradient(gradients[name]) for name in inner})
            if length(tree) > LONGEST:
                return None
        tree = substitute(tree, {name: expanded[name] for name in names(tree) & expanded.keys()})
        if length(tree) > LONGEST:
            return None
        (formula,) = self.by_name([self.checked(tree)], node)
        return formula if formula is not None and length(formula) <= EASY else None

    def with_deltas(self, formulas: Mapping[str, Expression]) -> Mapping[str, Expression]:
        """Return gradients as textbooks write those of a network: over δ, what several gradients have in common.

        A δ is the gradient of a tensor which others are computed from. The formulas stand as they are where all are
        easy, where none has a product of matrices, and where they are no shorter with δ.
        """
        trees = [*formulas.values()]
        is_network = any(
            isinstance(node, Binary) and node.operator == "@" for tree in trees for node in postorder(tree)
        )
        if not is_network or max(map(length, trees)) <= EASY:
            return formulas
        marked, over = dict[str, tuple[str, Expression]](), dict[str, Expression]()
        uses = Counter(id for link in self.links.values() for id in {term.step.node for term in link.terms})
        for id, name in self.gradients.items():
            tree = over[name] = self.checked(self.with_short(substitute(self.gradient(id), over)))
            if length(tree) > LONGEST:
                return formulas
            if self.nodes[id].shape and uses[id] > 1 and length(tree) > 1:
                tree = min(tree, self.from_above(id) or tree, key=length)
                mark = unused(f"δ{len(marked) + 1}", self.nodes)
                marked[mark], over[name] = (id, tree), Name(mark)
                self.point = {**self.point, mark: self.values[name]}
        trees_of = {id: over[self.gradients[id]] for id in formulas}
        for mark, (_, tree) in reversed([*marked.items()]):
            users = [*trees_of.values(), *(tree for _, tree in self.deltas.values())]
            if sum(node == Name(mark) for user in users for node in postorder(user)) > 1:
                self.deltas = {mark: marked[mark], **self.deltas}
                continue
            trees_of = {id: substitute(user, {mark: tree}) for id, user in trees_of.items()}
            self.deltas = {name: (id, substitute(user, {mark: tree})) for name, (id, user) in self.deltas.items()}
        after = [*trees_of.values(), *(tree for _, tree in self.deltas.values())]
        if not self.deltas or sum(map(length, after)) >= sum(map(length, trees)):
            return formulas
        count = len(self.deltas)
        numbered = {mark: unused(f"δ{i if count > 1 else ''}", self.nodes) for i, mark in enumerate(self.deltas, 1)}
        spelling = {mark: Name(name) for mark, name in numbered.items()}
        self.deltas = {numbered[mark]: (id, substitute(tree, spelling)) for mark, (id, tree) in self.deltas.items()}
        return {
            id: substitute(tree, spelling) if names(tree) & spelling.keys() else formulas[id]
            for id, tree in trees_of.items()
        }

    def checked(self, tree: Expression) -> Expression:
        return simplify_checked(tree, self.point, self.products)

    def gradient(self, node: str) -> Expression:
        """Return the sum over the consumers of a node, in terms of their gradients."""
        if node not in self._gradients:
            terms = []
            for term in self.links[node].terms:
                above = self.gradients.get(term.step.node)
                entering = Name(above) if above else self.seed
                terms.append(substitute(term.step.rule, {self.explanation.upstream_name: entering}))
            total = reduce(lambda first, second: Binary("+", first, second), terms)
            self._gradients[node] = self.checked(total)
        return self._gradients[node]

    def needed(self, names_used: set[str]) -> Iterator[Intermediate]:
        """Yield what the names stand for that are no variables, in the order in which it is computed."""
        nodes = self.written
        gradients = {name: id for id, name in self.gradients.items()}
        waiting, met = list(names_used), set(names_used)
        while waiting:
            name = waiting.pop()
            tree = self.gradient(gradients[name]) if name in gradients else nodes.get(name)
            tree = self.deltas[name][1] if name in self.deltas else tree
            names_inside = names(tree) - met if tree is not None else set()
            met |= names_inside
            waiting.extend(names_inside)
        yield from (Intermediate(name, tree, None) for name, tree in nodes.items() if name in met)
        yield from (Intermediate(name, self.gradient(id), id) for name, id in gradients.items() if name in met)
        yield from (Intermediate(name, tree, id) for name, (id, tree) in self.deltas.items() if name in met)


WIDEST = 160  # characters on one line, which long names fill soon
BESIDE_NAMES = 16, 80  # both where another gradient has intermediates anyway
LONGEST_TERM = 8  # operators and calls of a term of a long sum
MOST_TERMS = 100
MOST_NODES = 400  # of a program whose gradients are written in named intermediates
MOST_WHOLE = 100  # of one in which formulas over variables are sought by the rules of whole operations
MOST_WORK = 20_000  # nodes of formulas that are simplified; the rest of a long program stays as it is
NOT_FINITE = "the gradient is not finite here"  # of which other notes tell the cause
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
        if not self.at_any_point:
            leaves = tuple(replace(x, formula=x.formula and self.with_targets(x.formula)) for x in leaves)
            intermediates = tuple(replace(x, expression=self.with_targets(x.expression)) for x in intermediates)
        dust = [leaf for leaf in leaves if leaf.is_dust and not self.at_any_point]
        noted = {note.node for note in self.whole.notes if note.code == "cancelled"}
        self.notes += [Note("cancelled", x.node, f"{DUST} {x.name}") for x in dust if x.node not in noted]
        notes = (*self.whole.notes, *self.notes)
        return replace(self.whole, leaves=leaves, notes=notes, intermediates=intermediates)

    def with_targets(self, formula: Expression) -> Expression:
        """Return a formula without the sums of targets that are 1, and note which."""
        tree, ones = without_sums_of_targets(formula, self.point)
        notes = [
            Note("target", target, f"{unparse(call)} is 1 here, so the formulas leave it out")
            for call, target in ones.items()
        ]
        self.notes += [note for note in notes if note not in self.notes]
        return tree

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
        if why not in ("", NOT_FINITE):
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
            return NOT_FINITE
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
