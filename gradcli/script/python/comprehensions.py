"""Comprehensions and generator expressions: a block of their own, whose first source is evaluated outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from gradcli.script.python.compiler import Closure, Unit, compiled, compiles
from gradcli.script.python.control import iterated
from gradcli.script.python.operators import bounded
from gradcli.script.python.places import Place
from gradcli.script.python.scopes import OUTER, Env, Scope, bound
from gradcli.script.python.targets import Store, assignment

Display = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
Clause = tuple[Store, Closure, list[Closure], Place]


@compiles(ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
def comprehension(node: Display, scope: Scope, unit: Unit) -> Closure:
    names = bound([generator.target for generator in node.generators])["local"]
    inner = Scope("comprehension", names, scope.outer if scope.kind == "class" else scope)
    source = compiled(node.generators[0].iter, scope, unit)
    clauses = [_clause(generator, inner, unit) for generator in node.generators]
    item = _item(node, inner, unit)
    in_class, budget, place = scope.kind == "class", unit.machine.budget, Place(node.generators[0].iter, unit.source)

    def items(env: Env, first: Any) -> Iterator[Any]:
        variables: Env = {OUTER: env[OUTER] if in_class else env}
        for _ in combinations(variables, clauses, iter(first)):
            budget.spend(1)
            yield item(variables)

    def lazily(env: Env) -> Iterator[Any]:
        return items(env, iterated(source(env), place))

    if isinstance(node, ast.GeneratorExp):
        return lazily
    build: Any = {ast.ListComp: list, ast.SetComp: set, ast.DictComp: dict}[type(node)]
    return lambda env: build(lazily(env))


def _item(node: Display, scope: Scope, unit: Unit) -> Closure:
    if not isinstance(node, ast.DictComp):
        return compiled(node.elt, scope, unit)
    key, value = compiled(node.key, scope, unit), compiled(node.value, scope, unit)
    return lambda env: (key(env), value(env))


def _clause(generator: ast.comprehension, scope: Scope, unit: Unit) -> Clause:
    tests = [compiled(test, scope, unit) for test in generator.ifs]
    source = compiled(generator.iter, scope, unit)
    return assignment(generator.target, scope, unit), source, tests, Place(generator.iter, unit.source)


def combinations(env: Env, clauses: list[Clause], first: Iterator[Any]) -> Iterator[None]:
    """Set the variables to each combination that passes the tests, as nested loops would."""
    waiting = [first]
    while waiting:
        store, _, tests, _ = clauses[len(waiting) - 1]
        for value in waiting[-1]:
            store(env, value)
            if all(test(env) for test in tests):
                break
        else:
            waiting.pop()
            continue
        if len(waiting) == len(clauses):
            yield None
        else:
            _, source, _, place = clauses[len(waiting)]
            waiting.append(iter(iterated(bounded(source(env)), place)))
