"""The names of types in torch's messages."""

from __future__ import annotations

from typing import Any

import numpy as np

TYPE_NAMES = {
    np.dtype(np.float32): "Float",
    np.dtype(np.float64): "Double",
    np.dtype(np.float16): "Half",
    np.dtype(np.int64): "Long",
    np.dtype(np.int32): "Int",
    np.dtype(np.int16): "Short",
    np.dtype(np.int8): "Char",
    np.dtype(np.uint8): "Byte",
    np.dtype(np.bool_): "Bool",
}
OF_PYTHON: dict[Any, np.dtype[Any]] = {float: np.dtype(np.float64), int: np.dtype(np.int64), bool: np.dtype(np.bool_)}
C_NAMES = {
    "Float": "float",
    "Double": "double",
    "Half": "c10::Half",
    "Long": "long int",
    "Int": "int",
    "Short": "short int",
    "Char": "signed char",
    "Byte": "unsigned char",
    "Bool": "bool",
}


def type_name(value: Any) -> str:
    """The type as Python's C code has it: with its module, unless it is one of Python's own, or of ours."""
    kind = type(value)
    is_bare = kind.__module__.partition(".")[0] in ("builtins", "gradcli")
    return kind.__name__ if is_bare else f"{kind.__module__}.{kind.__name__}"
