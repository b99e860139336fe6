"""Gradients in named intermediates: over the names of nodes, and over names for the gradients of nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import numpy as np

from gradcli.engine.symbolic.notation import literal
from gradcli.explanation.chain.links import chain
from gradcli.explanation.folding import folded
from gradcli.explanation.formulas.checking import simplify_checked
from gradcli.explanation.formulas.derivation import LARGEST_UPSTREAM
from gradcli.explanation.model import Explanation, Intermediate
from gradcli.explanation.naming import NAMELESS, unused
from gradcli.language.rewrite import replaced, substitute
from gradcli.language.simplify.simplifier import products_of
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Binary, Expression, Name, names, postorder
from gradcli.language.unparser import unparse

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
        for above in reversed(self.links):
            name = self.gradients[above]
            if length(tree) <= LONGEST and name in names(tree):
                tree = substitute(tree, {name: self.gradient(above)})
        if length(tree) <= LONGEST:
            tree = self.checked(tree)
            put_in = self.checked(self.with_short(tree))
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

    def by_name(self, formulas: Sequence[Expression | None]) -> list[Expression | None]:
        """Return formulas with the tensors that the program names, and that recur in them, by their names."""
        trees, expanded, names_shown = list(formulas), dict[str, Expression](), set[str]()
        for id, node in self.nodes.items():
            inner = {name: expanded[name] for name in names(node.expression) & expanded.keys()}
            tree = substitute(node.expression, inner) if node.kind == "op" else Name(id)
            expanded[id] = tree if length(tree) <= LONGEST else Name(id)
        for id in reversed([*self.written]):
            if not self.nodes[id].shape or NAMELESS.fullmatch(id) or isinstance(expanded[id], Name):
                continue
            tree = self.checked(expanded[id])
            counts = [0 if f is None else sum(x == tree for x in postorder(f)) for f in trees]
            if sum(counts) > (id not in names_shown) and not isinstance(tree, Name):
                names_shown |= names(self.written[id])
                trees = [f and replaced(f, tree, Name(id)) for f in trees]
        return trees

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
        names = {mark: Name(name) for mark, name in numbered.items()}
        self.deltas = {numbered[mark]: (id, substitute(tree, names)) for mark, (id, tree) in self.deltas.items()}
        return {id: substitute(tree, names) for id, tree in trees_of.items()}

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
