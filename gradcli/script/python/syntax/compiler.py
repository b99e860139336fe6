"""From Python's syntax tree to closures: each node becomes a function of the variables, once, and then runs many times.

Syntax without a compiler here cannot run: the table lists the syntax of snippets. An expression's closure
answers its value; a statement's answers None, or a signal (`BREAK`, `CONTINUE`, `RETURN`) that its block passes on.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from gradcli.errors import ProgramSyntaxError
from gradcli.facts import dataclass
from gradcli.script.machine import Machine
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.values.places import span_of
from gradcli.source import Source

Closure = Callable[[Env], Any]
Statement = Callable[[Env], object]

BREAK, CONTINUE, RETURN = "break", "continue", "return"
RESULT = " result"  # where a block leaves the value of its return statement: no name has a space


@dataclass(frozen=True)
class Unit:
    """One piece of source, and the machine that it will run on."""

    source: Source
    machine: Machine


Compiler = Callable[[Any, Scope, Unit], Closure]
Any_Compiler = TypeVar("Any_Compiler", bound=Compiler)

COMPILERS: dict[type[ast.AST], Compiler] = {}

# What to write instead of the syntax that is not here.
INSTEAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("async functions", "write def"),
    ast.AsyncFor: ("async for", "write for"),
    ast.AsyncWith: ("async with", "write with"),
    ast.Await: ("await", "call the function"),
    ast.TryStar: ("except*", "write except, and look at error.exceptions"),
    ast.Yield: ("yield in this place", "give it a statement of its own: x = yield y"),
    ast.YieldFrom: ("yield in this place", "give it a statement of its own: x = yield from y"),
}


def compiles(*kinds: type[ast.AST]) -> Callable[[Any_Compiler], Any_Compiler]:
    """Declare the compiler of these kinds of nodes."""

    def declare(compiler: Any_Compiler) -> Any_Compiler:
        for kind in kinds:
            COMPILERS[kind] = compiler
        return compiler

    return declare


def compile_node(node: ast.AST, scope: Scope, unit: Unit) -> Closure:
    """Return the closure of a node; raise ProgramSyntaxError for syntax that snippets may not contain.

    This recurses as deep as the tree, whose depth Python's own parser limits.
    """
    compiler = COMPILERS.get(type(node))
    if compiler is None:
        what, instead = INSTEAD.get(type(node), (f"{type(node).__name__} in a snippet", "write it another way"))
        raise refusal(node, unit, f"{what} is not supported", instead)
    return compiler(node, scope, unit)


def refusal(node: ast.AST, unit: Unit, message: str, instead: str) -> ProgramSyntaxError:
    """Return an error for syntax of Python that does not run here."""
    return ProgramSyntaxError(
        "E105", message, span=span_of(node, unit.source), label="not supported", help=instead, source=unit.source
    )
