"""Functions that snippets define: parameters, closures, decorators, lambdas, generators."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

from gradcli.script.limits import DEPTH
from gradcli.script.python.compiler import RESULT, Closure, Unit, compiled, compiles
from gradcli.script.python.generators import generator_function
from gradcli.script.python.scopes import OUTER, Env, Scope, bound, yields
from gradcli.script.python.statements import block
from gradcli.script.python.targets import store_name


class Code:
    """What one `def` or `lambda` compiles to; each time it runs it makes a `function`."""

    def __init__(self, name: str, parameters: ast.arguments, scope: Scope, unit: Unit) -> None:
        self.name = name
        self.machine = unit.machine
        self.body: Closure = lambda env: None
        self.generate: Callable[[Env], Iterator[Any]] | None = None
        self.doc: str | None = None
        positional = [*parameters.posonlyargs, *parameters.args]
        self.positional = tuple(p.arg for p in positional)
        self.only_positional = frozenset(p.arg for p in parameters.posonlyargs)
        self.only_named = tuple(p.arg for p in parameters.kwonlyargs)
        self.rest = parameters.vararg.arg if parameters.vararg else None
        self.others = parameters.kwarg.arg if parameters.kwarg else None
        self.simple = not (self.only_named or self.rest or self.others)
        self.defaults = [compiled(default, scope, unit) for default in parameters.defaults]
        self.named_defaults = [
            (p.arg, compiled(default, scope, unit))
            for p, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
            if default is not None
        ]

    @property
    def names(self) -> frozenset[str]:
        extra = [name for name in (self.rest, self.others) if name]
        return frozenset((*self.positional, *self.only_named, *extra))


class function:  # noqa: N801  its name is what type errors show
    """A function of a snippet, with the variables around it and the defaults of its parameters."""

    def __init__(self, code: Code, env: Env) -> None:
        self.code = code
        self.env = env
        self.__name__ = code.name
        self.__doc__ = code.doc
        values = [default(env) for default in code.defaults]
        self.defaults = dict(zip(code.positional[len(code.positional) - len(values) :], values, strict=True))
        self.defaults.update({name: default(env) for name, default in code.named_defaults})

    def __repr__(self) -> str:
        return f"<function {self.__name__} at {id(self):#x}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        code = self.code
        if code.simple and not keywords and len(arguments) == len(code.positional):
            env: Env = dict(zip(code.positional, arguments, strict=True))
        else:
            env = bind(self, arguments, keywords)
        env[OUTER] = self.env
        if code.generate is not None:
            return code.generate(env)
        machine = code.machine
        if machine.depth >= DEPTH:
            raise RecursionError("maximum recursion depth exceeded")
        line, machine.depth = machine.line, machine.depth + 1
        try:
            return env.get(RESULT) if code.body(env) is not None else None
        finally:
            machine.depth -= 1
            machine.line = line


def bind(called: function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Env:
    """The parameters with their values; TypeError in Python's words where they do not fit."""
    code = called.code
    env: Env = dict(zip(code.positional, arguments, strict=False))
    given = len(arguments)
    if code.rest is not None:
        env[code.rest] = arguments[len(code.positional) :]
    elif given > len(code.positional):
        takes = len(code.positional)
        raise TypeError(
            f"{code.name}() takes {takes} positional argument{'s' * (takes != 1)} but {given} "
            f"{'was' if given == 1 else 'were'} given"
        )
    unknown: dict[str, Any] = {}
    known = {*code.positional, *code.only_named} - code.only_positional
    for name, value in keywords.items():
        if name not in known:
            unknown[name] = value
        elif name in env:
            raise TypeError(f"{code.name}() got multiple values for argument {name!r}")
        else:
            env[name] = value
    if code.others is not None:
        env[code.others] = unknown
    elif unknown:
        raise TypeError(f"{code.name}() got an unexpected keyword argument {next(iter(unknown))!r}")
    for name, value in called.defaults.items():
        env.setdefault(name, value)
    check_complete(code, env)
    return env


def check_complete(code: Code, env: Env) -> None:
    """Refuse a call that leaves parameters without a value."""
    for kind, names in (("positional", code.positional), ("keyword-only", code.only_named)):
        absent = [f"{name!r}" for name in names if name not in env]
        if absent:
            *first, last = absent
            listed = f"{', '.join(first)}{',' * (len(first) > 1)} and {last}" if first else last
            plural = "s" * (len(absent) > 1)
            raise TypeError(f"{code.name}() missing {len(absent)} required {kind} argument{plural}: {listed}")


@compiles(ast.FunctionDef)
def define(node: ast.FunctionDef, scope: Scope, unit: Unit) -> Closure:
    code = code_of(node.name, node.args, node.body, scope, unit)
    code.doc = ast.get_docstring(node)
    decorators = [compiled(decorator, scope, unit) for decorator in reversed(node.decorator_list)]
    store = store_name(node.name, scope, unit)
    in_class = scope.kind == "class"

    def run(env: Env) -> None:
        made: Any = function(code, env[OUTER] if in_class else env)
        for decorator in decorators:
            made = decorator(env)(made)
        store(env, made)

    return run


@compiles(ast.Lambda)
def lambda_(node: ast.Lambda, scope: Scope, unit: Unit) -> Closure:
    answer = ast.copy_location(ast.Return(node.body), node.body)
    code = code_of("<lambda>", node.args, [answer], scope, unit)
    in_class = scope.kind == "class"
    return lambda env: function(code, env[OUTER] if in_class else env)


def code_of(name: str, parameters: ast.arguments, body: list[ast.stmt], scope: Scope, unit: Unit) -> Code:
    """Compile a function; its block sees the block around it, past the variables of a class."""
    code = Code(name, parameters, scope, unit)
    names = bound(body)
    inner = Scope(
        "function",
        (code.names | names["local"]) - names["global"] - names["nonlocal"],
        scope.outer if scope.kind == "class" else scope,
        names["global"],
        names["nonlocal"],
        first_parameter=code.positional[0] if code.positional else None,
    )
    if yields(body):
        code.generate = generator_function(body, inner, unit)
    else:
        code.body = block(body, inner, unit)
    return code
