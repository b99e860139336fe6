"""Snippets that say something else: a detach or a zero_grad that is not seen, one that is not there, another operator.

The snippet is changed as text and run again, so that loops, optimizers and several passes go on from the mistake.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy

from gradcli.facts import dataclass
from gradcli.homework.mistakes.declaration import Mistake, Slip
from gradcli.homework.mistakes.habits import STALE_GRAD
from gradcli.homework.mistakes.training.descents import (
    DESCENT,
    Change,
    Found,
    before,
    left_out,
    put,
    steps,
    updates,
)
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import HOOK
from gradcli.language.catalogue import FAMILY_OF

ROUNDS = 5  # of a loop, each of which may have been the last
FIRST = "_first"  # a name that no snippet has


def other_passes(places: list[ast.AST]) -> Iterator[Found]:
    """A loop that ends after fewer rounds, or goes round once more."""
    for node in places:
        if not isinstance(node, ast.For):
            continue
        count, written = node.iter, ast.unparse(node.iter)
        if isinstance(count, ast.List | ast.Tuple) and len(count.elts) > 1:
            for less in range(1, min(len(count.elts), ROUNDS)):
                last = "round" if less == 1 else f"{less} rounds"
                message = f"you left out the last {last} of the loop over {written}"
                yield DESCENT.code, f"{less} less", message, [count], put(f"({written})[:-{less}]"), 2 + less
        elif isinstance(count, ast.Call) and ast.unparse(count.func) == "range" and len(count.args) == 1:
            (end,) = count.args
            most = end.value if isinstance(end, ast.Constant) and isinstance(end.value, int) else 2
            for less in range(1, min(most, ROUNDS)):
                message = f"{written} goes round {'once' if less == 1 else f'{less} times'} more than you did"
                fewer = put(f"range({ast.unparse(end)} - {less})")
                yield DESCENT.code, f"{less} less", message, [count], fewer, 2 + less
            message = f"{written} goes round once less than you did"
            yield DESCENT.code, "once more", message, [count], put(f"range({ast.unparse(end)} + 1)"), 4
        else:
            message = f"you left out the last round of the loop over {written}"
            yield DESCENT.code, "1 less", message, [count], put(f"list({written})[:-1]"), 3


def one_gradient(places: list[ast.AST]) -> Iterator[Found]:
    """The gradient at the first weights used for every step of a loop."""
    taken = steps(places)
    for node in places:
        if isinstance(node, ast.For) and any(_holds(step, taken) for step in node.body) and len(node.body) > 1:
            message = (
                f"each round of {ast.unparse(node.iter)} has a gradient of its own, and you used the first for all"
            )
            yield DESCENT.code, "the first gradient", message, [node], _once(taken), 2


def _holds(statement: ast.AST, some: list[ast.AST]) -> bool:
    return any(node is wanted for node in ast.walk(statement) for wanted in some)


def _once(taken: list[ast.AST]) -> Change:
    """Return the change of a loop after which all but its steps is done in the first round alone."""
    written = [ast.unparse(step) for step in taken]

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.For)
        kept = [part for part in node.body if ".grad.zero_(" not in ast.unparse(part) and not _resets(part)]
        is_step = [any(text in ast.unparse(part) for text in written) for part in kept]
        first = [part for part, step in zip(kept, is_step, strict=True) if not step]
        done = ast.parse(f"{FIRST} = False").body
        body: list[ast.stmt] = [ast.If(ast.Name(FIRST, ast.Load()), [*first, *done], [])] if first else []
        body += [part for part, step in zip(kept, is_step, strict=True) if step]
        loop = ast.For(node.target, node.iter, body, node.orelse, lineno=node.lineno)
        return ast.If(ast.Constant(True), [*ast.parse(f"{FIRST} = True").body, deepcopy(loop)], [])

    return change


def _resets(statement: ast.stmt) -> bool:
    written = ast.unparse(statement)
    return "zero_grad(" in written or (isinstance(statement, ast.Assign) and written.endswith(".grad = None"))


DETACH = Mistake("detach", "overlooked a detach, a no_grad or a hook, or saw one where there is none", order=15.5)

MOST = 120  # mutants of one snippet
LINES = 60  # of a snippet that is changed
MAKERS = frozenset(("tensor", "randn", "rand", "Parameter", "manual_seed"))


@dataclass(frozen=True)
class Mutant:
    """A snippet with one mistake in it."""

    code: str
    rule: str
    message: str
    text: str
    rank: int = 0


def mutants(text: str) -> Iterator[Mutant]:
    """Yield the ways in which a snippet is misread, likely ones first."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    if len(text.splitlines()) > LINES:
        return
    places = list(ast.walk(tree))
    candidates = [*cuts_ignored(places), *resets_ignored(places), *resets_added(places), *updates(places)]
    candidates += [
        *other_passes(places),
        *one_gradient(places),
        *cuts_added(places),
    ]
    seen = {ast.unparse(tree)}
    for code, rule, message, chosen, change, rank in candidates[:MOST]:
        changed = ast.unparse(ast.fix_missing_locations(_Changed(chosen, change).at(tree)))
        if changed not in seen:
            seen.add(changed)
            yield Mutant(code, rule, message, changed, rank)


class _Changed(ast.NodeTransformer):
    """Changes some nodes of a copy, which are known by their places among all nodes."""

    def __init__(self, chosen: list[ast.AST], change: Change) -> None:
        self.chosen, self.change = chosen, change

    def at(self, tree: ast.Module) -> ast.Module:
        copied = deepcopy(tree)
        places = {id(node): place for place, node in enumerate(ast.walk(tree))}
        numbers = {places[id(node)] for node in self.chosen}
        self.wanted = {id(node) for place, node in enumerate(ast.walk(copied)) if place in numbers}
        changed = self.visit(copied)
        assert isinstance(changed, ast.Module)
        return changed

    def visit(self, node: ast.AST) -> ast.AST | None:
        visited_node = self.generic_visit(node)
        return self.change(visited_node) if id(node) in self.wanted else visited_node


@DETACH.slips
def hook_ignored(problem: Problem) -> Iterator[Slip]:
    """The gradient as it was before a hook."""
    for edge in problem.edges:
        if problem.graph.vertices[edge.vertex].op == HOOK:
            name = problem.label(problem.graph.source(edge))
            message = f"a hook changes the gradient of {name} on its way, and yours has it as it came"
            yield Slip(edge.vertex, "without the hook", message, {edge: lambda g, contribution: g})


def is_cut(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach"


def is_without(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and any("no_grad" in ast.unparse(item) for item in node.items)


def _uncut(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.With):
        return ast.If(ast.Constant(True), node.body, [])
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    return node.func.value


def cuts_ignored(places: list[ast.AST]) -> Iterator[Found]:
    """The gradient goes through a detach or a no_grad; what is detached counts as 0."""
    cuts = [node for node in places if is_cut(node) or is_without(node)]
    for chosen in [[cut] for cut in cuts] + ([cuts] if len(cuts) > 1 else []):
        written = "torch.no_grad()" if is_without(chosen[0]) else ast.unparse(chosen[0])
        yield DETACH.code, "not cut off", f"no gradient goes back through {written}, and yours does", chosen, _uncut, 0
    for node in cuts:
        if is_cut(node):
            message = f"{ast.unparse(node)} has a value like any other; only its gradient is cut off"
            yield DETACH.code, "0", message, [node], put(f"{ast.unparse(node)} * 0"), 1


def cuts_added(places: list[ast.AST]) -> Iterator[Found]:
    """A value counts as cut off that is not; only where the snippet cuts off something."""
    if not any(is_cut(node) or is_without(node) for node in places):
        return
    for node in places:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and is_computed(node.value):
            name = node.targets[0].id
            message = f"{name} is not cut off: a gradient goes back through it"
            cut = put(f"({ast.unparse(node.value)}).detach()")
            yield DETACH.code, f"{name} cut off", message, [node.value], cut, 4


def is_computed(value: ast.expr) -> bool:
    """Whether an expression is an operation and makes no new tensor."""
    calls = (node.func for node in ast.walk(value) if isinstance(node, ast.Call))
    names = {func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in calls}
    makes = names & MAKERS or any(FAMILY_OF.get(name) == "shaping.creation" for name in names)
    return isinstance(value, ast.BinOp | ast.Call) and not (makes or names & {"detach", "grad", "item"})


def resets_ignored(places: list[ast.AST]) -> Iterator[Found]:
    """No zero_grad."""
    for node in places:
        written = ast.unparse(node) if isinstance(node, ast.Expr) else ""
        is_reset = "zero_grad(" in written or ".grad.zero_(" in written
        is_none = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith(".grad")
        if is_reset or is_none:
            message = f"{ast.unparse(node)} takes the old gradients away, and yours still has them"
            yield STALE_GRAD.code, "no reset", message, [node], left_out, 1


def resets_added(places: list[ast.AST]) -> Iterator[Found]:
    """Old gradients taken away before each pass, where nobody does it."""
    passes = [node for node in places if isinstance(node, ast.Expr) and ".backward(" in ast.unparse(node)]
    leaves = [
        ast.unparse(node.targets[0])
        for node in places
        if isinstance(node, ast.Assign) and "requires_grad=True" in ast.unparse(node.value)
    ]
    if leaves and passes and not list(resets_ignored(places)):
        resets = ast.parse("\n".join(f"{leaf}.grad = None" for leaf in leaves)).body
        message = "nothing takes the old gradients away before a backward pass, and they are not in yours"
        yield STALE_GRAD.code, "a reset", message, list(passes), before(resets), 1
