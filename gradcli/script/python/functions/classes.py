"""Classes that snippets define: real Python classes with the special methods that snippets may define."""

from __future__ import annotations

import ast
from abc import ABCMeta
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.functions.functions import apply_decorators, decorators
from gradcli.script.python.members.reserved import check_class
from gradcli.script.python.syntax.compiler import Closure, Unit, compile_node, compiles, refusal
from gradcli.script.python.syntax.displays import several
from gradcli.script.python.syntax.names import store_name
from gradcli.script.python.syntax.scopes import CLASS, OUTER, Env, Scope, bound_names, mangle
from gradcli.script.python.syntax.statements import block
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.kinds import BuiltinType, Defined, DefinedAbstract, DefinedError, Facade
from gradcli.script.python.values.parents import parent as standing_for
from gradcli.script.python.values.special import BUILTIN, DEFINABLE, WRAPPED, check_own, is_special, wrap_special

FIELDS = " fields"  # where a class has its annotated names, for dataclasses: no assignment of a snippet reaches it
PLAIN = ("__doc__", "__slots__", "__match_args__")  # special attributes that a class may set
ANCESTORS = 200  # of one class; each class lists all of its own


@compiles(ast.ClassDef)
def define(node: ast.ClassDef, scope: Scope, unit: Unit) -> Closure:
    if any(keyword.arg is None for keyword in node.keywords):
        raise refusal(node, unit, "** in the head of a class is not supported", "write class Name(Parent, key=value):")
    name = scope.qualified(node.name)
    doc = ast.get_docstring(node, clean=False)
    mangle(node)
    around = Scope("cell", frozenset((CLASS,)), scope.outer if scope.kind == "class" else scope)
    names = bound_names(node.body)
    for defined in names["local"]:
        if is_special(defined) and defined not in DEFINABLE and defined not in PLAIN:
            raise refusal(node, unit, f"defining {defined} is not supported", "use a method with a plain name")
    inner = Scope("class", names["local"], around, names["global"], names["nonlocal"], name=name)
    body, parents = block(node.body, inner, unit), several(node.bases, scope, unit)
    named = [(keyword.arg or "", compile_node(keyword.value, scope, unit)) for keyword in node.keywords]
    decorated = decorators(node.decorator_list, scope, unit)
    store, in_class = store_name(node.name, scope, unit), scope.kind == "class"

    def run(env: Env) -> None:
        called_decorators = [(place, decorator(env)) for place, decorator in decorated]
        bases = parents(env)
        options = {key: value(env) for key, value in named}
        cell: Env = {OUTER: env[OUTER] if in_class else env}
        namespace: Env = {OUTER: cell}
        body(namespace)
        del namespace[OUTER]
        contents = {"__doc__": doc, **namespace, FIELDS: dict(inner.inside), "__qualname__": name}
        defined_class = new_class(node.name, bases, contents, options, cell)
        store(env, apply_decorators(called_decorators, defined_class))

    return run


def new_class(name: str, parents: list[Any], namespace: dict[str, Any], options: dict[str, Any], cell: Env) -> type:
    """Make a class; its parents are classes of the snippet or of our facades, or exceptions."""
    bases = tuple([base for base in map(_base, parents) if base is not object]) or (Facade,)
    if max(len(base.__mro__) for base in bases) > ANCESTORS:
        raise RecursionError("maximum recursion depth exceeded")
    meta = _metaclass(bases, options.pop("metaclass", None))
    check_own(bases, namespace)
    for special in WRAPPED.keys() & namespace.keys():
        namespace[special] = wrap_special(special, namespace[special])
    check_class(bases, namespace)
    if "__slots__" in namespace:
        namespace["__slots__"] = _slots(namespace["__slots__"])
    kind: type = meta.__new__(meta, name, bases, {**namespace, "__module__": "__main__"}, **options)
    cell[CLASS] = kind
    meta.__init__(kind, name, bases, namespace, **options)
    return kind


def _slots(given: Any) -> tuple[str, ...]:
    """Return the names of slots, which are read once: what a snippet iterates may change its mind."""
    slots = (given,) if isinstance(given, str) else tuple(given)
    for slot in slots:
        if type(slot) is not str or is_special(slot):
            raise TypeError("__slots__ must be identifiers")
    return slots


def named_class(name: Any, parents: Any, namespace: Any, /, **options: Any) -> type:
    """Make a class as `type(name, parents, namespace)` does."""
    if not isinstance(name, str) or not isinstance(parents, tuple) or not isinstance(namespace, dict):
        raise TypeError("type() takes a text, a tuple and a dict")
    attributes = dict(dict.items(namespace))  # without calling methods of a snippet's class
    for key in attributes:
        if type(key) is not str or (is_special(key) and key not in DEFINABLE and key not in (*PLAIN, "__module__")):
            raise UnsupportedError("such a name in the namespace of a class is not supported here")
    attributes.pop("__module__", None)
    name, parents = str.__str__(name), list(tuple.__iter__(parents))
    return new_class(name, parents, {"__doc__": None, **attributes, FIELDS: {}, "__qualname__": name}, options, {})


def _metaclass(bases: tuple[type, ...], asked: Any) -> Any:
    """Return the metaclass of a new class, which marks it as defined by a snippet."""
    python = asked.python if isinstance(asked, BuiltinType) else asked
    if asked is not None and python is not ABCMeta and python is not type:
        raise UnsupportedError("this metaclass is not supported here", python=TypeError, help=NO_METACLASS)
    if any(issubclass(base, BaseException) for base in bases):
        return DefinedError
    marked = [meta for base in bases for meta in type.mro(type(base)) if meta in MARKED]
    return MARKED[marked[0]] if marked else DefinedAbstract if python is ABCMeta else Defined


NO_METACLASS = "define __init_subclass__ in the parent, or write a function that changes the class"
MARKED: dict[type, type] = {ABCMeta: DefinedAbstract}  # the classes of classes of our facades, as a snippet's have them


def _base(parent: Any) -> type:
    python = parent.python if isinstance(parent, BuiltinType) else parent
    if isinstance(python, type):
        if python in BUILTIN:
            return standing_for(python)
        if python is object or isinstance(python, Defined) or issubclass(python, Exception):
            return python
        if issubclass(python, Facade) and python.__parent__:
            return python
    shown = parent.name if isinstance(parent, BuiltinType) else represent(parent)
    raise UnsupportedError(
        f"a class cannot have {shown} for a parent here",
        python=TypeError,
        help="nn.Module, torch.autograd.Function, exceptions and your own classes can be parents",
    )
