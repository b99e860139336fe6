"""The results of operations with several: `torch.return_types.max(values=..., indices=...)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gradcli.ops.support.pairs import ReturnType
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import NAMED_TYPES

NAMES = (
    "aminmax cummax cummin frexp geqrf histogram kthvalue linalg_cholesky_ex linalg_eigh linalg_inv_ex "
    "linalg_ldl_factor linalg_ldl_factor_ex linalg_lstsq linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_qr "
    "linalg_slogdet linalg_solve_ex linalg_svd lu_unpack max median min mode nanmedian qr slogdet sort svd topk "
    "triangular_solve"
)


class OfName(type):
    """The class of types such as `torch.return_types.max`, whose instances are the results of one operation."""

    result: str

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, ReturnType) and value.name == cls.result


SELECTIONS = ["cummax", "cummin", "kthvalue", "max", "median", "min", "mode", "nanmedian", "sort", "topk"]


@cache
def named(name: str) -> BuiltinType:
    def construct(parts: Any) -> ReturnType:
        if name not in SELECTIONS:
            raise UnsupportedError(f"making a torch.return_types.{name} is not supported here")
        if len(parts) != 2:
            raise TypeError(f"torch.return_types.{name}() takes a 2-sequence ({len(parts)}-sequence given)")
        return ReturnType(name, values=parts[0], indices=parts[1])

    construct.__name__ = construct.__qualname__ = name
    return BuiltinType(name, OfName(name, (), {"result": name}), construct, module="torch.return_types")


def namespace(name: str) -> Namespace:
    """`torch.return_types`."""
    names = NAMES.split()
    return Namespace(name, find=lambda part: named(part) if part in names else None, known=names)


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
    "values indices min max sign logabsdet eigenvalues eigenvectors Q R U S V Vh P L LU LD pivots info inverse result "
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
    setters=dict.fromkeys(GETTERS, fixed),
)
NAMED_TYPES.append(kind)
REPRESENTATIONS[ReturnType] = text
