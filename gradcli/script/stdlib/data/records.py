"""`dataclasses`: classes whose annotated names are their fields; no code is made of the names."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import FrozenInstanceError
from itertools import pairwise
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.functions.classes import FIELDS
from gradcli.script.python.functions.parameters import Parameters, bind
from gradcli.script.python.members.lookup import ABSENT, in_class, member_of
from gradcli.script.python.members.reserved import check_free
from gradcli.script.python.members.tables import checked_member, describe, fields
from gradcli.script.python.text.formatting import represent, with_fields
from gradcli.script.python.values.attributes import BuiltinType, Namespace, attribute
from gradcli.script.python.values.builtins import TYPES, type_of
from gradcli.script.python.values.kinds import Defined
from gradcli.script.python.values.operators import COMPARISONS
from gradcli.script.python.values.readonly import ReadOnly
from gradcli.script.python.values.reflection import set_attribute
from gradcli.script.python.values.special import check_name
from gradcli.script.stdlib.data.copying import deepcopy

# Where a class has its fields, and whether they are fixed: no assignment of a snippet reaches these names.
KNOWN, FROZEN = " dataclass", " frozen"
MISSING: Any = object()


@dataclasses.dataclass(eq=False)
class Field:
    """A field of a dataclass."""

    default: Any
    default_factory: Any
    init: Any
    repr: Any
    compare: Any
    metadata: Any
    kw_only: Any
    name: str = ""


FACTS = fields("name default init repr compare kw_only")
describe(Field, getters={**FACTS, "metadata": lambda field: ReadOnly(dict(field.metadata))})


def field(
    *,
    default: Any = MISSING,
    default_factory: Any = MISSING,
    init: Any = True,
    repr: Any = True,
    compare: Any = True,
    metadata: Any = None,
    kw_only: Any = MISSING,
) -> Field:
    """Declare a field."""
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    facts = {} if metadata is None else metadata
    return Field(default, default_factory, init, repr, compare, facts, kw_only)


def fields_by_name(kind: Any) -> dict[str, Field]:
    """Return the fields of a dataclass by name; none of another class."""
    above = kind.__mro__ if isinstance(kind, Defined) else ()
    return next((vars(base)[KNOWN] for base in above if KNOWN in vars(base)), {})


def is_dataclass(obj: Any) -> bool:
    kind = obj if isinstance(obj, type) else type(obj)
    return isinstance(kind, Defined) and any(KNOWN in vars(base) for base in kind.__mro__)


def is_instance(value: Any) -> bool:
    """Whether it is an object of a dataclass."""
    return not isinstance(value, type) and is_dataclass(value)


def fields_(class_or_instance: Any) -> tuple[Field, ...]:
    """`dataclasses.fields`."""
    if not is_dataclass(class_or_instance):
        raise TypeError("must be called with a dataclass type or instance")
    kind = class_or_instance if isinstance(class_or_instance, type) else type(class_or_instance)
    return tuple(fields_by_name(kind).values())


def collected(kind: Any, options: dict[str, Any]) -> dict[str, Field]:
    """Return the fields of the classes above, then the own ones; their defaults stay in the class."""
    fields: dict[str, Field] = {}
    for base in reversed(kind.__mro__[1:]):
        if KNOWN in vars(base):
            if vars(base)[FROZEN] is not bool(options["frozen"]):
                words = ("non-frozen dataclass from a frozen", "frozen dataclass from a non-frozen")
                raise TypeError(f"cannot inherit {words[bool(options['frozen'])]} one")
            fields |= vars(base)[KNOWN]
    by_name, annotated = options["kw_only"], vars(kind)[FIELDS]
    for name in annotated:
        check_name(name)
        check_free(kind, name)
        fields[name] = _declared(kind, name, by_name)
    for name, value in vars(kind).items():
        if isinstance(value, Field) and name not in annotated:
            raise TypeError(f"{name!r} is a field but has no type annotation")
    type.__setattr__(kind, FROZEN, bool(options["frozen"]))
    return fields


def _declared(kind: Any, name: str, by_name: bool) -> Field:
    default = MISSING if member_of(kind.__mro__, name) is ABSENT else in_class(kind, name)
    declared = default if isinstance(default, Field) else field()
    if declared is not default:
        declared.default = default
    declared.name = name
    declared.kw_only = by_name if declared.kw_only is MISSING else declared.kw_only
    if declared.default is not MISSING:
        if type(declared.default).__hash__ is None:
            words = f"mutable default {represent(type_of(declared.default))} for field {name} is not allowed"
            raise ValueError(f"{words}: use default_factory")
        type.__setattr__(kind, name, declared.default)
    elif declared is default and name in vars(kind):
        type.__delattr__(kind, name)
    return declared


MADE: Any = object()  # stands for what a factory will make
ORDERS = {"__lt__": ast.Lt, "__le__": ast.LtE, "__gt__": ast.Gt, "__ge__": ast.GtE}
OPTIONS = {
    "init": True, "repr": True, "eq": True, "order": False, "frozen": False, "match_args": True,
    "kw_only": False,
}  # fmt: skip


def dataclass(cls: Any = None, /, **given: Any) -> Any:
    """Give a class an `__init__`, `__repr__` and `__eq__` of its fields."""
    unknown = [name for name in given if name not in OPTIONS]
    if unknown:
        raise UnsupportedError(f"dataclass({unknown[0]}=...) is not supported here", python=TypeError)
    if cls is None:
        return lambda cls: dataclass(cls, **given)
    if not isinstance(cls, Defined):
        raise TypeError("a dataclass is a class of the snippet")
    options = OPTIONS | given
    if options["order"] and not options["eq"]:
        raise ValueError("eq must be true if order is true")
    fields = collected(cls, options)
    type.__setattr__(cls, KNOWN, fields)
    for name, method in _methods(cls, options, list(fields.values())).items():
        type.__setattr__(cls, name, method)
    return cls


def _methods(kind: Any, options: dict[str, Any], every: list[Field]) -> dict[str, Any]:
    """Return the methods that a dataclass gets."""
    namespace, compared = vars(kind), [field.name for field in every if field.compare]
    methods: dict[str, Any] = {}
    if options["init"] and "__init__" not in namespace:
        methods["__init__"] = _init(kind, every, is_frozen=options["frozen"])
    if options["repr"] and "__repr__" not in namespace:
        methods["__repr__"] = lambda self: _text(self, [field.name for field in every if field.repr])
    if options["eq"] and "__eq__" not in namespace:
        methods["__eq__"] = lambda self, other: _compared(ast.Eq, compared, self, other)
    for name, operator in ORDERS.items() if options["order"] else ():
        _check_free(kind, name, ". Consider using functools.total_ordering")
        methods[name] = lambda self, other, operator=operator: _compared(operator, compared, self, other)
    if options["frozen"]:
        for name, verb in (("__setattr__", "assign to"), ("__delattr__", "delete")):
            _check_free(kind, name)
            methods[name] = _frozen(kind, every, verb)
    methods |= _hashing(namespace, options, every)
    for name, method in methods.items():
        if method is not None:
            method.__name__, method.__qualname__ = name, f"{kind.__qualname__}.{name}"
            methods[name] = checked_member(method, (kind,))
    if options["match_args"] and "__match_args__" not in namespace:
        methods["__match_args__"] = tuple(field.name for field in every if field.init and not field.kw_only)
    return methods


def _check_free(kind: Any, name: str, advice: str = "") -> None:
    if name in vars(kind):
        raise TypeError(f"Cannot overwrite attribute {name} in class {kind.__name__}{advice}")


def _hashing(namespace: Mapping[str, Any], options: dict[str, Any], every: list[Field]) -> dict[str, Any]:
    """Return the `__hash__` of a dataclass: of its fields if it is frozen, None if it only compares."""
    has_hash = "__hash__" in namespace and not (namespace["__hash__"] is None and "__eq__" in namespace)
    if options["eq"] and options["frozen"] and not has_hash:
        hashed = [field.name for field in every if field.compare]
        return {"__hash__": lambda self: hash(tuple(attribute(self, name) for name in hashed))}
    return {"__hash__": None} if options["eq"] and not has_hash else {}


def _init(kind: Any, every: list[Field], *, is_frozen: bool) -> Callable[..., None]:
    taking = [field for field in every if field.init]
    standard, named = [field for field in taking if not field.kw_only], [field for field in taking if field.kw_only]
    defaults = {field.name: _default(field) for field in taking if _default(field) is not MISSING}
    for before, after in pairwise(standard):
        if before.name in defaults and after.name not in defaults:
            raise TypeError(f"non-default argument {after.name!r} follows default argument")
    optional: list[ast.expr] = [ast.Constant(None)] * sum(field.name in defaults for field in standard)
    given = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in ("self", *(field.name for field in standard))], vararg=None,
        kwonlyargs=[ast.arg(field.name) for field in named], kw_defaults=[None] * len(named), kwarg=None,
        defaults=optional,
    )  # fmt: skip
    parameters = Parameters(given, f"{kind.__qualname__}.__init__")
    put = object.__setattr__ if is_frozen else set_attribute

    def __init__(*arguments: Any, **keywords: Any) -> None:  # noqa: N807
        self, values = arguments[0], bind(parameters, defaults, arguments, keywords)
        for field in every:
            value = values.get(field.name, MISSING) if field.init else _default(field)
            value = field.default_factory() if value is MADE else value
            if value is not MISSING and (field.init or value is not field.default):
                put(self, field.name, value)
        if hasattr(type(self), "__post_init__"):
            attribute(self, "__post_init__")()

    return __init__


def _default(field: Field) -> Any:
    return MADE if field.default_factory is not MISSING else field.default


def _text(self: Any, names: list[str]) -> str:
    return with_fields(type(self).__qualname__, ((name, attribute(self, name)) for name in names))


def _compared(operator: type[ast.cmpop], names: list[str], self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    here, there = (tuple(attribute(value, name) for name in names) for value in (self, other))
    return COMPARISONS[operator](here, there)


def _frozen(kind: Any, every: list[Field], doing: str) -> Callable[..., None]:
    names = {field.name for field in every}

    def refuse(self: Any, name: str, *new: Any) -> None:
        if type(self) is kind or name in names:
            raise FrozenInstanceError(f"cannot {doing} field {name!r}")
        attribute(super(kind, self), "__setattr__" if new else "__delattr__")(name, *new)

    return refuse


def asdict(obj: Any, *, dict_factory: Callable[..., Any] = dict) -> Any:
    """Return the fields by name; dataclasses inside become dicts too."""
    if not is_instance(obj):
        raise TypeError("asdict() should be called on dataclass instances")
    return _inside(obj, lambda pairs: dict_factory(pairs) if dict_factory is not dict else dict(pairs))


def astuple(obj: Any) -> Any:
    """Return the values of the fields; dataclasses inside become tuples too."""
    if not is_instance(obj):
        raise TypeError("astuple() should be called on dataclass instances")
    return _inside(obj, lambda pairs: tuple(item for _, item in pairs))


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    return ((field.name, attribute(value, field.name)) for field in fields_(value))


def _inside(value: Any, make: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    if is_instance(value):
        return make([(name, _inside(item, make)) for name, item in _pairs(value)])
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)([_inside(item, make) for item in value])
    if isinstance(value, dict):
        return type(value)({key: _inside(item, make) for key, item in value.items()})
    return deepcopy(value)


def replace(obj: Any, /, **changes: Any) -> Any:
    """Return an object of the same class with other values of some fields."""
    if not is_instance(obj):
        raise TypeError("replace() should be called on dataclass instances")
    for field in fields_by_name(type(obj)).values():
        if not field.init and field.name in changes:
            words = f"field {field.name} is declared with init=False"
            raise ValueError(f"{words}, it cannot be specified with replace()")
        if field.init and field.name not in changes:
            changes[field.name] = attribute(obj, field.name)
    return type(obj)(**changes)


FROZEN_ERROR = BuiltinType("FrozenInstanceError", FrozenInstanceError, module="dataclasses")


def namespace(name: str) -> Namespace:
    """`dataclasses`."""
    members = {
        "dataclass": dataclass,
        "field": field,
        "fields": fields_,
        "asdict": asdict,
        "astuple": astuple,
        "replace": replace,
        "is_dataclass": is_dataclass,
        "FrozenInstanceError": TYPES.setdefault(FrozenInstanceError, FROZEN_ERROR),
    }
    return Namespace(name, members)
