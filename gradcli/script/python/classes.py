"""Classes that snippets define: real Python classes, made of what snippets may define and nothing else."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.attributes import SPECIAL, BuiltinType, Facade
from gradcli.script.python.compiler import Closure, Unit, compiled, compiles, refusal
from gradcli.script.python.displays import several
from gradcli.script.python.scopes import CLASS, OUTER, Env, Scope, bound
from gradcli.script.python.statements import block
from gradcli.script.python.targets import store_name

FIELDS = "_fields_in_order"  # the annotated names of a class, for dataclasses


@compiles(ast.ClassDef)
def define(node: ast.ClassDef, scope: Scope, unit: Unit) -> Closure:
    if node.keywords:
        raise refusal(node.keywords[0], unit, "keywords of a class are not supported", "write class Name(Parent):")
    around = Scope("cell", frozenset((CLASS,)), scope.outer if scope.kind == "class" else scope)
    names = bound(node.body)
    for name in names["local"]:
        if name.startswith("__") and name.endswith("__") and name not in SPECIAL and name != "__doc__":
            raise refusal(node, unit, f"defining {name} is not supported", "use a method with a plain name")
    inner = Scope("class", names["local"], around, names["global"], names["nonlocal"])
    body, parents = block(node.body, inner, unit), several(node.bases, scope, unit)
    decorators = [compiled(decorator, scope, unit) for decorator in reversed(node.decorator_list)]
    store, doc, in_class = store_name(node.name, scope, unit), ast.get_docstring(node), scope.kind == "class"

    def run(env: Env) -> None:
        cell: Env = {OUTER: env[OUTER] if in_class else env}
        namespace: Env = {OUTER: cell}
        body(namespace)
        del namespace[OUTER]
        made: Any = new_class(node.name, parents(env), {**namespace, "__doc__": doc, FIELDS: tuple(inner.inside)})
        cell[CLASS] = made
        for decorator in decorators:
            made = decorator(env)(made)
        store(env, made)

    return run


def new_class(name: str, parents: list[Any], namespace: dict[str, Any]) -> type:
    """A class of the snippet; its parents are its own classes, those of our facades, or exceptions."""
    bases = [_base(parent) for parent in parents]
    bases = [base for base in bases if base is not object] or [Facade]
    return type(name, tuple(bases), {**namespace, "__module__": "__main__", "__qualname__": name})


def _base(parent: Any) -> type:
    python = parent.python if isinstance(parent, BuiltinType) else parent
    if python is object or (isinstance(python, type) and issubclass(python, Facade | Exception)):
        return python
    raise UnsupportedError(
        f"a class cannot have {parent.name if isinstance(parent, BuiltinType) else parent!r} for a parent here",
        python=TypeError,
        help="nn.Module, torch.autograd.Function, exceptions and your own classes can be parents",
    )
