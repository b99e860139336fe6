"""The fields of dataclasses: the annotated names of a class, and what they are declared to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradcli.script.python.functions.classes import FIELDS
from gradcli.script.python.members.reserved import check_free
from gradcli.script.python.members.tables import describe, fields
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.builtins import type_of
from gradcli.script.python.values.kinds import Defined
from gradcli.script.python.values.readonly import ReadOnly
from gradcli.script.python.values.special import check_name

# Where a class has its fields, and whether they are fixed: no assignment of a snippet reaches these names.
KNOWN, FROZEN = " dataclass", " frozen"
MISSING: Any = object()


@dataclass(eq=False)
class Field:
    """A field of a dataclass."""

    default: Any
    default_factory: Any
    init: Any
    repr: Any
    hash: Any
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
    hash: Any = None,
    compare: Any = True,
    metadata: Any = None,
    kw_only: Any = MISSING,
) -> Field:
    """Declare a field."""
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    facts = {} if metadata is None else metadata
    return Field(default, default_factory, init, repr, hash, compare, facts, kw_only)


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
    found: dict[str, Field] = {}
    for base in reversed(kind.__mro__[1:]):
        if KNOWN in vars(base):
            if vars(base)[FROZEN] is not bool(options["frozen"]):
                words = ("non-frozen dataclass from a frozen", "frozen dataclass from a non-frozen")
                raise TypeError(f"cannot inherit {words[bool(options['frozen'])]} one")
            found |= vars(base)[KNOWN]
    by_name, own = options["kw_only"], vars(kind)[FIELDS]
    for name in own:
        check_name(name)
        check_free(kind, name)
        found[name] = _declared(kind, name, by_name)
    for name, value in vars(kind).items():
        if isinstance(value, Field) and name not in own:
            raise TypeError(f"{name!r} is a field but has no type annotation")
    type.__setattr__(kind, FROZEN, bool(options["frozen"]))
    return found


def _declared(kind: Any, name: str, by_name: bool) -> Field:
    default = getattr(kind, name, MISSING)
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
