"""`types` and `collections.abc`: names of types."""

from __future__ import annotations

from collections import abc
from typing import Any

from gradcli.script.python.members.reserved import check_free
from gradcli.script.python.members.tables import members_named
from gradcli.script.python.text.formatting import with_fields
from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace
from gradcli.script.python.values.special import check_name

ABSTRACT = (
    "Iterable Iterator Generator Callable Hashable Sized Container Collection Sequence MutableSequence Mapping "
    "MutableMapping Set MutableSet Reversible"
)


class SimpleNamespace(Facade):
    """An object with the attributes that it is given."""

    __parent__ = True

    _shown_as = "namespace"

    def __init__(self, **named: Any) -> None:
        for name in named:
            check_name(name)
            check_free(type(self), name)
        vars(self).update(named)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SimpleNamespace) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return with_fields(self._shown_as, vars(self).items())


def namespace(name: str) -> Namespace:
    """`types` or `collections.abc`."""
    if name == "types":
        return Namespace(name, {"SimpleNamespace": SimpleNamespace})
    return Namespace(name, members_named(abc, ABSTRACT, lambda kind: BuiltinType(kind.__name__, kind, module=name)))
