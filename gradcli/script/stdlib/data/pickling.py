"""`pickle`: a snippet gets no bytes, but an object that gives copies of what was pickled."""

from __future__ import annotations

from pickle import PickleError, PicklingError, UnpicklingError
from typing import Any

from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace
from gradcli.script.python.values.kinds import TYPES
from gradcli.script.stdlib.data.copying import Pickling, deepcopy
from gradcli.script.stdlib.process.streams import BytesIO


class Pickled(Facade):
    """What stands for the bytes of a pickled object."""

    def __init__(self, content: Any) -> None:
        self._content = content


def dumps(obj: Any, protocol: int | None = None) -> Pickled:
    return Pickled(deepcopy(obj, Pickling()))


def loads(data: Any) -> Any:
    if not isinstance(data, Pickled):
        raise TypeError(f"a bytes-like object is required, not {type(data).__name__!r}")
    return deepcopy(data._content)


def dump(obj: Any, file: BytesIO, protocol: int | None = None) -> None:
    file.keep(deepcopy(obj, Pickling()))


def load(file: BytesIO) -> Any:
    return deepcopy(file.taken())


def namespace(name: str) -> Namespace:
    """`pickle`, in memory alone."""
    members = {"dumps": dumps, "loads": loads, "dump": dump, "load": load, "HIGHEST_PROTOCOL": 5, "DEFAULT_PROTOCOL": 4}
    errors = {kind.__name__: python_type(kind) for kind in (PickleError, PicklingError, UnpicklingError)}
    return Namespace(name, {**members, **errors})


def python_type(kind: type) -> BuiltinType:
    return TYPES.setdefault(kind, BuiltinType(kind.__name__, kind, kind, module="_pickle"))
