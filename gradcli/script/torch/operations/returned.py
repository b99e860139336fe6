"""The results of operations with several: `torch.return_types.max(values=..., indices=...)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.ops.support.pairs import ReturnType
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType, describe
from gradcli.script.python.values.builtins import NAMED_TYPES

TYPES: dict[str, BuiltinType] = {}


def text(result: ReturnType) -> str:
    """Each part on a line of its own, with its name."""
    parts = (f"{name}={represent(part)}" for name, part in zip(result._fields, result, strict=True))
    return f"torch.return_types.{result.name}(\n" + ",\n".join(parts) + ")"


def kind(value: Any) -> BuiltinType | None:
    if not isinstance(value, ReturnType):
        return None
    return TYPES.setdefault(value.name, BuiltinType(value.name, ReturnType, module="torch.return_types"))


def part(name: str) -> Callable[[ReturnType], Any]:
    def get(result: ReturnType) -> Any:
        if name not in result._fields:
            raise AttributeError(f"'torch.return_types.{result.name}' object has no attribute '{name}'")
        return result[result._fields.index(name)]

    return get


FIELDS = (
    "values indices min max sign logabsdet eigenvalues eigenvectors Q R U S V Vh P L LU pivots info inverse result "
    "solution residuals rank singular_values mantissa exponent hist bin_edges"
)
GETTERS = {name: part(name) for name in FIELDS.split()}
describe(
    ReturnType,
    methods={"index": tuple.index, "count": tuple.count},
    getters={
        **GETTERS,
        "n_fields": len,
        "n_sequence_fields": len,
        "n_unnamed_fields": lambda result: 0,
        "_fields": part("_fields"),
        "__class__": kind,
    },
)
NAMED_TYPES.append(kind)
REPRESENTATIONS[ReturnType] = text
