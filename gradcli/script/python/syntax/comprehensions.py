"""Comprehensions and generator expressions: a block of their own, whose first source is evaluated outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from gradcli.script.python.syntax.compiler import Closure, Unit, compiled, compiles
from gradcli.script.python.syntax.control import iterated
from gradcli.script.python.syntax.expressions import tested
from gradcli.script.python.syntax.names import Store
from gradcli.script.python.syntax.scopes import OUTER, Env, Scope, bound
from gradcli.script.python.syntax.targets import assignment
from gradcli.script.python.values.nesting import hashable
from gradcli.script.python.values.places import Place, placed

Display = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
Clause = tuple[Store, Closure, Closure | None, Place]  # the target, the source, the condition if there is one


@compiles(ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
def comprehension(node: Display, scope: Scope, unit: Unit) -> Closure:
    names = bound([generator.target for generator in node.generators])["local"]
    inner = Scope("comprehension", names, scope.outer if scope.kind == "class" else scope)
    source = compiled(node.generators[0].iter, scope, unit)
    clauses = [_clause(generator, inner, unit) for generator in node.generators]
    item = _item(node, inner, unit)
    in_class, place, whole = (
        scope.kind == "class",
        Place(node.generators[0].iter, unit.source),
        Place(node, unit.source),
    )

    def items(env: Env, held: list[Iterator[Any]]) -> Iterator[Any]:
        variables: Env = {OUTER: env[OUTER] if in_class else env}
        try:
            for _ in combinations(variables, clauses, held, unit):
                yield item(variables)
        except BaseException:
            held.clear()  # here, for Python looks for the exception that is handled through all generators that run
            raise

    def lazily(env: Env) -> Iterator[Any]:
        # In a list, for generators that hold each other are freed by a walk as deep as there are.
        made: Any = items(env, [iterated(source(env), place)])
        made.__name__ = made.__qualname__ = "<genexpr>"
        return made  # type: ignore[no-any-return]

    def simply(env: Env) -> list[Any]:
        """A list of one clause, which most are, without generators in between."""
        budget, found = unit.machine.budget, list[Any]()
        variables: Env = {OUTER: env[OUTER] if in_class else env}
        for value in iterated(source(env), place):
            budget.left -= 1
            if budget.left < 0:
                budget.look()
            store(variables, value)
            if test is None or test(variables):
                found.append(item(variables))
        return found

    if isinstance(node, ast.GeneratorExp):
        return lazily
    store, _, test, _ = clauses[0]
    each = simply if len(clauses) == 1 else lazily
    build: Any = {ast.ListComp: list, ast.SetComp: set, ast.DictComp: dict}[type(node)]

    def evaluate(env: Env) -> Any:
        try:
            found = each(env)
            return found if build is list and each is simply else build(found)
        except Exception as error:
            placed(error, whole)
            raise

    return evaluate


def _item(node: Display, scope: Scope, unit: Unit) -> Closure:
    if isinstance(node, ast.DictComp):
        key, value = compiled(node.key, scope, unit), compiled(node.value, scope, unit)
        return lambda env: (hashable(key(env)), value(env))
    one = compiled(node.elt, scope, unit)
    return (lambda env: hashable(one(env))) if isinstance(node, ast.SetComp) else one


def _clause(generator: ast.comprehension, scope: Scope, unit: Unit) -> Clause:
    tests = [tested(test, scope, unit) for test in generator.ifs]
    source = compiled(generator.iter, scope, unit)
    test = None if not tests else tests[0] if len(tests) == 1 else (lambda env: all(test(env) for test in tests))
    return assignment(generator.target, scope, unit), source, test, Place(generator.iter, unit.source)


def combinations(env: Env, clauses: list[Clause], held: list[Iterator[Any]], unit: Unit) -> Iterator[None]:
    """Set the variables to each combination that passes the tests, as nested loops would."""
    budget, waiting = unit.machine.budget, held
    while waiting:
        store, _, test, _ = clauses[len(waiting) - 1]
        for value in waiting[-1]:
            budget.left -= 1
            if budget.left < 0:
                budget.look()
            store(env, value)
            if test is None or test(env):
                break
        else:
            waiting.pop()
            continue
        if len(waiting) == len(clauses):
            yield None
        else:
            _, source, _, place = clauses[len(waiting)]
            waiting.append(iterated(source(env), place))
