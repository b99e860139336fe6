"""The results of operations with several: `torch.return_types.max(values=..., indices=...)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gradcli.ops.support.arguments import ReturnType
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import NAMED_TYPES


@cache
def named(name: str) -> BuiltinType:
    return BuiltinType(name, type(name, (), {}), module="torch.return_types")


def text(result: ReturnType) -> str:
    """Each part on a line of its own, with its name."""
    parts = (f"{name}={represent(part)}" for name, part in zip(result._fields, result, strict=True))
    return f"torch.return_types.{result.name}(\n" + ",\n".join(parts) + ")"


def kind(value: Any) -> BuiltinType | None:
    return named(value.name) if isinstance(value, ReturnType) else None


def fixed(result: ReturnType, value: Any) -> None:
    raise AttributeError("readonly attribute")


def part(name: str) -> Callable[[ReturnType], Any]:
    def get(result: ReturnType) -> Any:
        if name not in result._fields:
            raise AttributeError(f"'torch.return_types.{result.name}' object has no attribute '{name}'")
        return result[result._fields.index(name)]

    return get


FIELDS = (
    "values indices min max sign logabsdet eigenvalues eigenvectors Q R U S Vh solution residuals rank singular_values"
)
GETTERS = {name: part(name) for name in FIELDS.split()}
describe(
    ReturnType,
    methods={"index": tuple.index, "count": tuple.count},
    getters={
        **GETTERS,
        "_fields": part("_fields"),
        "__class__": kind,
    },
    setters=dict.fromkeys(GETTERS, fixed),
)
NAMED_TYPES.append(kind)
REPRESENTATIONS[ReturnType] = text
