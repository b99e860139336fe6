"""`dataclasses`, and `typing.NamedTuple`: classes whose annotated names are their fields."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.functions.classes import FIELDS, named_class
from gradcli.script.python.text.formatting import REPRESENTATIONS, with_fields
from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace, describe, fields
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.python.values.parents import parent
from gradcli.script.python.values.readonly import ReadOnly
from gradcli.script.stdlib.data.containers import made_of
from gradcli.script.stdlib.data.copying import deepcopy

OPTIONS = ("init", "eq", "order", "unsafe_hash", "frozen", "kw_only", "slots", "match_args")  # not how it is shown


class InitVar(Facade):
    """The annotation of what `__init__` takes and hands to `__post_init__`."""

    def __class_getitem__(cls, _: Any) -> type[InitVar]:
        return cls


def kind_of(annotation: str) -> Any:
    """Return what an annotation is to dataclasses: types are never evaluated."""
    name = annotation.partition("[")[0].rpartition(".")[2]
    return {"InitVar": dataclasses.InitVar, "KW_ONLY": dataclasses.KW_ONLY}.get(name, object)


def dataclass(kind: Any = None, /, *, repr: bool = True, **options: Any) -> Any:
    """Give a class an `__init__`, `__repr__` and `__eq__` of its fields."""
    if kind is None:
        return lambda kind: dataclass(kind, repr=repr, **options)
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise UnsupportedError(f"dataclass({unknown[0]}=...) is not supported here", python=TypeError)
    kind.__annotations__ = {name: kind_of(annotation) for name, annotation in vars(kind)[FIELDS].items()}
    made: Any = dataclasses.dataclass(repr=False, **options)(kind)
    if repr and "__repr__" not in vars(made):
        made.__repr__ = _text
    return made


def make_dataclass(cls_name: str, fields: Any, *, bases: Any = (), namespace: Any = None, **options: Any) -> Any:
    """Make a dataclass of names, each alone or with its type and default."""
    each = [(field,) if isinstance(field, str) else tuple(field) for field in fields]
    given = {**(namespace or {}), **{field[0]: field[2] for field in each if len(field) > 2}}
    made = named_class(cls_name, tuple(bases), given)
    type.__setattr__(made, FIELDS, {field[0]: "object" for field in each})
    return dataclass(made, **options)


def _text(self: Any) -> str:
    fields = [field.name for field in dataclasses.fields(self) if field.repr]
    return with_fields(type(self).__qualname__, ((name, getattr(self, name)) for name in fields))


def asdict(value: Any, *, dict_factory: Callable[..., Any] = dict) -> Any:
    """Return the fields by name; dataclasses inside become dicts too."""
    if not is_instance(value):
        raise TypeError("asdict() should be called on dataclass instances")
    return _inside(value, lambda pairs: dict_factory(pairs) if dict_factory is not dict else dict(pairs))


def astuple(value: Any) -> Any:
    """Return the values of the fields; dataclasses inside become tuples too."""
    if not is_instance(value):
        raise TypeError("astuple() should be called on dataclass instances")
    return _inside(value, lambda pairs: tuple(item for _, item in pairs))


def _inside(value: Any, make: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    if is_instance(value):
        return make([(field.name, _inside(getattr(value, field.name), make)) for field in dataclasses.fields(value)])
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)([_inside(item, make) for item in value])
    if isinstance(value, dict):
        return type(value)({key: _inside(item, make) for key, item in value.items()})
    return deepcopy(value)


def is_instance(value: Any) -> bool:
    """Whether it is an object of a dataclass."""
    return not isinstance(value, type) and dataclasses.is_dataclass(value)


FACTS = fields("name default init repr compare kw_only")
describe(dataclasses.Field, getters={**FACTS, "metadata": lambda field: ReadOnly(dict(field.metadata))})


class NamedTuple(parent(tuple)):  # type: ignore[misc]
    """The parent of classes whose objects are tuples with named items."""

    def __init_subclass__(cls) -> None:
        if NamedTuple not in cls.__bases__:
            return
        fields = list(vars(cls)[FIELDS])
        defaults = [vars(cls)[name] for name in fields if name in vars(cls)]
        made: Any = namedtuple(cls.__name__, fields, defaults=defaults)  # type: ignore[misc]
        for name in (*fields, "_asdict", "_replace", "_fields", "_field_defaults"):
            setattr(cls, name, vars(made)[name])
        cls.__new__, cls._make = staticmethod(made.__new__), classmethod(made_of)  # type: ignore[assignment]


REPRESENTATIONS[NamedTuple] = lambda value: with_fields(type(value).__name__, zip(value._fields, value, strict=True))


FROZEN = BuiltinType("FrozenInstanceError", dataclasses.FrozenInstanceError, module="dataclasses")


def namespace(name: str) -> Namespace:
    """`dataclasses`."""
    members = {
        "dataclass": dataclass,
        "make_dataclass": make_dataclass,
        "InitVar": InitVar,
        "KW_ONLY": dataclasses.KW_ONLY,
        "field": dataclasses.field,
        "fields": dataclasses.fields,
        "asdict": asdict,
        "astuple": astuple,
        "replace": dataclasses.replace,
        "is_dataclass": dataclasses.is_dataclass,
        "FrozenInstanceError": TYPES.setdefault(dataclasses.FrozenInstanceError, FROZEN),
    }
    return Namespace(name, members)
