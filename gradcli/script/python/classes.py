"""Classes that snippets define: real Python classes, made of what snippets may define and nothing else."""

from __future__ import annotations

import ast
from abc import ABCMeta
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.compiler import Closure, Unit, compiles, refusal
from gradcli.script.python.displays import several
from gradcli.script.python.functions import decorate, decorators
from gradcli.script.python.kinds import BuiltinType, Defined, DefinedAbstract, DefinedError, Facade, is_own_function
from gradcli.script.python.names import store_name
from gradcli.script.python.places import Place, placed
from gradcli.script.python.scopes import CLASS, OUTER, Env, Scope, bound, mangle
from gradcli.script.python.special import DEFINABLE, is_special, readable_only
from gradcli.script.python.statements import block

FIELDS = " fields"  # where a class has its annotated names, for dataclasses: no assignment of a snippet reaches it
ANCESTORS = 200  # of one class; each class lists all of its own


@compiles(ast.ClassDef)
def define(node: ast.ClassDef, scope: Scope, unit: Unit) -> Closure:
    if node.keywords:
        raise refusal(node.keywords[0], unit, "keywords of a class are not supported", "write class Name(Parent):")
    name = scope.qualified(node.name)
    doc = ast.get_docstring(node, clean=False)
    mangle(node)
    around = Scope("cell", frozenset((CLASS,)), scope.outer if scope.kind == "class" else scope)
    names = bound(node.body)
    for defined in names["local"]:
        if is_special(defined) and defined not in DEFINABLE and defined not in ("__doc__", "__slots__"):
            raise refusal(node, unit, f"defining {defined} is not supported", "use a method with a plain name")
    inner = Scope("class", names["local"], around, names["global"], names["nonlocal"], name=name)
    body, parents, place = block(node.body, inner, unit), several(node.bases, scope, unit), Place(node, unit.source)
    decorated = decorators(node.decorator_list, scope, unit)
    store, in_class = store_name(node.name, scope, unit), scope.kind == "class"

    def run(env: Env) -> None:
        found = [(place, decorator(env)) for place, decorator in decorated]
        bases = parents(env)
        cell: Env = {OUTER: env[OUTER] if in_class else env}
        namespace: Env = {OUTER: cell}
        body(namespace)
        del namespace[OUTER]
        try:
            made = new_class(node.name, bases, {"__doc__": doc, **namespace, FIELDS: tuple(inner.inside)}, name, cell)
        except Exception as error:
            placed(error, place)
            raise
        store(env, decorate(found, made))

    return run


def new_class(name: str, parents: list[Any], namespace: dict[str, Any], qualified: str, cell: Env) -> type:
    """A class of the snippet; its parents are its own classes, those of our facades, or exceptions."""
    bases = tuple([base for base in map(_base, parents) if base is not object]) or (Facade,)
    if max(len(base.__mro__) for base in bases) > ANCESTORS:
        raise RecursionError("maximum recursion depth exceeded")
    if any(issubclass(base, BaseException) for base in bases):
        meta: type[Defined] = DefinedError
    else:
        meta = DefinedAbstract if any(isinstance(base, ABCMeta) for base in bases) else Defined
    for special, wrap in WRAPPED.items():
        if is_own_function(namespace.get(special)):
            namespace[special] = wrap(namespace[special])
    slots = namespace.get("__slots__", ())
    if any(not isinstance(slot, str) or is_special(slot) for slot in ((slots,) if isinstance(slots, str) else slots)):
        raise TypeError("__slots__ must be identifiers")
    made = meta.__new__(meta, name, bases, {**namespace, "__module__": "__main__", "__qualname__": qualified})
    cell[CLASS] = made
    meta.__init__(made, name, bases, namespace)
    return made


# What Python does by itself to plain functions of these names, and numpy's questions kept from `__getattr__`.
WRAPPED: dict[str, Any] = {
    "__new__": staticmethod,
    "__init_subclass__": classmethod,
    "__class_getitem__": classmethod,
    "__getattr__": readable_only,
}


def _base(parent: Any) -> type:
    python = parent.python if isinstance(parent, BuiltinType) else parent
    if isinstance(python, type) and (python is object or issubclass(python, Facade | Exception)):
        return python
    shown = parent.name if isinstance(parent, BuiltinType) else repr(parent)
    raise UnsupportedError(
        f"a class cannot have {shown} for a parent here",
        python=TypeError,
        help="nn.Module, torch.autograd.Function, exceptions and your own classes can be parents",
    )
