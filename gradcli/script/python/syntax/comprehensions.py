"""Comprehensions and generator expressions: a block of their own, whose first source is evaluated outside."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles
from gradcli.script.python.syntax.control import iterator_of
from gradcli.script.python.syntax.expressions import truth_of
from gradcli.script.python.syntax.names import Store
from gradcli.script.python.syntax.scopes import OUTER, Env, Scope, bound_names
from gradcli.script.python.syntax.targets import assignment
from gradcli.script.python.values.nesting import hashable
from gradcli.script.python.values.places import Place, note_place

Display = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
Begun = tuple[Env, Iterator[Any]]  # the variables, and the iterator of the first clause
Clause = tuple[Store, Closure, Closure | None, Place]  # the target, the source, the condition if there is one


@compiles(ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
def comprehension(node: Display, scope: Scope, unit: Unit) -> Closure:
    in_class = scope.kind == "class"
    names = bound_names([generator.target for generator in node.generators])["local"]
    inner = Scope("comprehension", names, scope.outer if in_class else scope)
    source, first = compile_node(node.generators[0].iter, scope, unit), Place(node.generators[0].iter, unit.source)
    clauses = [_clause(generator, inner, unit) for generator in node.generators]
    item, place = _item(node, inner, unit), Place(node, unit.source)

    def begin(env: Env) -> Begun:
        return {OUTER: env[OUTER] if in_class else env}, iterator_of(source(env), first)

    if isinstance(node, ast.GeneratorExp):
        return _lazily(begin, clauses, item, unit)
    is_simple = len(clauses) == 1
    each = _at_once(begin, clauses[0], item, unit) if is_simple else _lazily(begin, clauses, item, unit)
    build: Any = {ast.ListComp: list, ast.SetComp: set, ast.DictComp: dict}[type(node)]

    def evaluate(env: Env) -> Any:
        try:
            items = each(env)
            return items if build is list and is_simple else build(items)
        except Exception as error:
            note_place(error, place)
            raise

    return evaluate


def _lazily(begin: Callable[[Env], Begun], clauses: list[Clause], item: Closure, unit: Unit) -> Closure:
    """Return a closure that makes the generator of a comprehension."""

    def items(variables: Env, held: list[Iterator[Any]]) -> Iterator[Any]:
        try:
            for _ in combinations(variables, clauses, held, unit):
                yield item(variables)
        except BaseException:
            held.clear()  # here, for Python looks for the exception that is handled through all generators that run
            raise

    def generate(env: Env) -> Iterator[Any]:
        variables, values = begin(env)
        # In a list, for generators that hold each other are freed by a walk as deep as there are.
        generator: Any = items(variables, [values])
        generator.__name__ = generator.__qualname__ = "<genexpr>"
        return generator  # type: ignore[no-any-return]

    return generate


def _at_once(begin: Callable[[Env], Begun], clause: Clause, item: Closure, unit: Unit) -> Closure:
    """Return a closure that makes the list of a comprehension with one clause, as most have, without a generator."""
    store, _, test, _ = clause
    budget = unit.machine.budget

    def listed(env: Env) -> list[Any]:
        items = list[Any]()
        variables, values = begin(env)
        for value in values:
            budget.left -= 1
            if budget.left < 0:
                budget.look()
            store(variables, value)
            if test is None or test(variables):
                items.append(item(variables))
        return items

    return listed


def _item(node: Display, scope: Scope, unit: Unit) -> Closure:
    if isinstance(node, ast.DictComp):
        key, value = compile_node(node.key, scope, unit), compile_node(node.value, scope, unit)
        return lambda env: (hashable(key(env)), value(env))
    element = compile_node(node.elt, scope, unit)
    return (lambda env: hashable(element(env))) if isinstance(node, ast.SetComp) else element


def _clause(generator: ast.comprehension, scope: Scope, unit: Unit) -> Clause:
    tests = [truth_of(test, scope, unit) for test in generator.ifs]
    source = compile_node(generator.iter, scope, unit)
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
            waiting.append(iterator_of(source(env), place))
