"""Functions that snippets define: parameters, closures, decorators, lambdas, generators."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

from gradcli.script.limits import DEPTH
from gradcli.script.python.functions.generators import generator_function
from gradcli.script.python.functions.parameters import PARAMETERS, VARIABLES_AROUND, Parameters, bind
from gradcli.script.python.syntax.compiler import RESULT, Closure, Unit, compile_node, compiles
from gradcli.script.python.syntax.names import store_name
from gradcli.script.python.syntax.scopes import OUTER, Env, Scope, bound_names, has_blocks, nodes_of, yields
from gradcli.script.python.syntax.statements import block
from gradcli.script.python.values.places import Place, note_call

Function = Callable[..., Any]
POSTPONED = "from __future__ import annotations"


class Code:
    """The code of one `def` or `lambda`; each time that it runs, `function` makes a function of it."""

    def __init__(self, name: str, parameters: ast.arguments, scope: Scope, unit: Unit) -> None:
        self.name = name
        self.qualified = scope.qualified(name)
        self.machine = unit.machine
        self.parameters = Parameters(parameters, self.qualified)
        self.body: Closure | None = None  # answers a signal, and leaves the result
        self.answer: Closure | None = None  # of a lambda: the result itself
        self.generate: Callable[[Env], Iterator[Any]] | None = None
        self.doc: str | None = None
        self.line = 0
        every = (*parameters.posonlyargs, *parameters.args, parameters.vararg, *parameters.kwonlyargs, parameters.kwarg)
        self.annotations = {p.arg: p.annotation for p in every if p is not None and p.annotation is not None}
        self.around = scope, unit
        self.kept: frozenset[str] | None = None  # the variables that blocks inside hold, if there are such blocks
        defaults = [compile_node(default, scope, unit) for default in parameters.defaults]
        names = self.parameters.positional[len(self.parameters.positional) - len(defaults) :]
        named = zip(self.parameters.only_named, parameters.kw_defaults, strict=True)
        self.defaults = [
            *zip(names, defaults, strict=True),
            *((name, compile_node(default, scope, unit)) for name, default in named if default is not None),
        ]

    def function(self, env: Env, here: Env) -> Function:
        """Make the function with the variables around it; its defaults are evaluated in the block that defines it."""
        defaults = {name: default(here) for name, default in self.defaults}
        function: Any = self._running(env, defaults) if self.generate is None else self._generating(env, defaults)
        function._facts = partial(self._fact, env, defaults, here if self.annotations else {})
        function.__name__, function.__qualname__, function.__module__ = self.name, self.qualified, "__main__"
        if self.doc is not None:
            function.__doc__ = self.doc
        return function  # type: ignore[no-any-return]

    def _fact(self, outer: Env, defaults: dict[str, Any], here: Env, name: str) -> Any:
        """Return a fact about the function, by its name in Python; annotations are evaluated when asked for."""
        if name == "__annotations__":
            if POSTPONED in self.around[1].source.text:
                return {name: ast.unparse(node) for name, node in self.annotations.items()}
            return {name: compile_node(node, *self.around)(here) for name, node in self.annotations.items()}
        if name == PARAMETERS:
            return self.parameters, defaults
        if name == VARIABLES_AROUND:
            return outer
        only_named = self.parameters.only_named
        if name == "__kwdefaults__":
            return {name: value for name, value in defaults.items() if name in only_named} or None
        return tuple(value for name, value in defaults.items() if name not in only_named) or None

    def _variables(self, outer: Env, defaults: Env, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Env:
        names = self.parameters.positional
        least = len(names) - len(defaults)
        if self.parameters.is_simple and not keywords and least <= len(arguments) <= len(names):
            env = dict(zip(names, arguments, strict=False))
            if len(arguments) < len(names):
                env = {**defaults, **env}
        else:
            env = bind(self.parameters, defaults, arguments, keywords)
        env[OUTER] = outer
        return env

    @cached_property
    def _running(self) -> Callable[[Env, Env], Function]:
        """Return what makes a function that runs the code; most functions and methods take one argument or two."""
        names, variables = self.parameters.positional, self._variables
        count = len(names) if self.parameters.is_simple and len(names) in (1, 2) else -1
        first, second = names[0] if names else "", names[-1] if names else ""
        machine, body, answer, line, kept = self.machine, self.body, self.answer, self.line, self.kept
        budget, lines, source = machine.budget, machine.lines, self.around[1].source

        def make(outer: Env, defaults: Env) -> Function:
            def call(*arguments: Any, **keywords: Any) -> Any:
                if keywords or len(arguments) != count:
                    env = variables(outer, defaults, arguments, keywords)
                elif count == 1:
                    env = {OUTER: outer, first: arguments[0]}
                else:
                    env = {OUTER: outer, first: arguments[0], second: arguments[1]}
                before, caller = lines[0], machine.source
                if machine.depth >= DEPTH:
                    raise RecursionError("maximum recursion depth exceeded")
                machine.depth += 1
                machine.source = source
                try:
                    if answer is not None:
                        budget.left -= 1
                        if budget.left < 0:
                            budget.look()
                        lines[0] = line
                        return answer(env)
                    assert body is not None
                    return env[RESULT] if body(env) is not None else None
                finally:
                    machine.depth -= 1
                    lines[0], machine.source = before, caller
                    if kept is not None:  # what no block inside reads goes with the call, as in Python
                        for name in env.keys() - kept:
                            del env[name]

            return call

        return make

    def _generating(self, outer: Env, defaults: Env) -> Function:
        name, qualified, generate, variables = self.name, self.qualified, self.generate, self._variables
        assert generate is not None

        def call(*arguments: Any, **keywords: Any) -> Any:
            generator: Any = generate(variables(outer, defaults, arguments, keywords))
            generator.__name__, generator.__qualname__ = name, qualified
            return generator

        return call


@compiles(ast.FunctionDef)
def define(node: ast.FunctionDef, scope: Scope, unit: Unit) -> Closure:
    code = code_of(node.name, node.args, node.body, scope, unit)
    code.doc = ast.get_docstring(node, clean=False)
    if node.returns is not None:
        code.annotations["return"] = node.returns
    decorated = decorators(node.decorator_list, scope, unit)
    store = store_name(node.name, scope, unit)
    in_class = scope.kind == "class"

    def run(env: Env) -> None:
        called_decorators = [(place, decorator(env)) for place, decorator in decorated] if decorated else []
        store(env, apply_decorators(called_decorators, code.function(env[OUTER] if in_class else env, env)))

    return run


def decorators(nodes: list[ast.expr], scope: Scope, unit: Unit) -> list[tuple[Place, Closure]]:
    """The decorators in the order in which they are evaluated, with their places."""
    return [(Place(node, unit.source), compile_node(node, scope, unit)) for node in nodes]


def apply_decorators(decorators: list[tuple[Place, Any]], decorated: Any) -> Any:
    """Apply the decorators to a function or class, the closest first."""
    for place, decorator in reversed(decorators):
        try:
            decorated = decorator(decorated)
        except Exception as error:
            note_call(error, place)
            raise
    return decorated


@compiles(ast.Lambda)
def compile_lambda(node: ast.Lambda, scope: Scope, unit: Unit) -> Closure:
    answer = ast.copy_location(ast.Return(node.body), node.body)
    code = code_of("<lambda>", node.args, [answer], scope, unit)
    in_class = scope.kind == "class"
    return lambda env: code.function(env[OUTER] if in_class else env, env)


def code_of(name: str, parameters: ast.arguments, body: list[ast.stmt], scope: Scope, unit: Unit) -> Code:
    """Compile a function; its block sees the block around it, past the variables of a class."""
    code = Code(name, parameters, scope, unit)
    names = bound_names(body)
    inner = Scope(
        "function",
        (code.parameters.names | names["local"]) - names["global"] - names["nonlocal"],
        scope.outer if scope.kind == "class" else scope,
        names["global"],
        names["nonlocal"],
        first_parameter=code.parameters.first,
        name=code.qualified,
    )
    code.line = body[0].lineno
    nodes = nodes_of(body)
    if yields(nodes):
        code.generate = generator_function(body, inner, unit)
    elif len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value and unit.machine.timeline is None:
        code.answer = compile_node(body[0].value, inner, unit)
    else:
        code.body = block(body, inner, unit)
    if has_blocks(nodes):
        code.kept = frozenset((OUTER, *inner.cells))
    return code
