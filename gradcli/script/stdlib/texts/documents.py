"""`json`: values as text, measured as it grows."""

from __future__ import annotations

import json
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import check_width
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.nesting import measure

WRITING = ("skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys", "indent", "separators", "default")
READING = ("object_hook", "parse_float", "parse_int", "parse_constant", "object_pairs_hook")


def dumps(obj: Any, **options: Any) -> str:
    """`json.dumps`."""
    measure(obj)
    check_width(str(options.get("indent")))
    chosen = _chosen(options, WRITING)
    pieces: list[str] = []
    length = 0
    for piece in json.JSONEncoder(**chosen).iterencode(obj):
        pieces.append(piece)
        length += len(piece)
        running.machine.budget.fits(length, "the text")
    return "".join(pieces)


def loads(s: Any, **options: Any) -> Any:
    """`json.loads`."""
    return json.loads(s, **_chosen(options, READING))


def _chosen(options: dict[str, Any], supported: tuple[str, ...]) -> dict[str, Any]:
    for name in options:
        if name not in supported:
            raise UnsupportedError(f"the option {name} is not supported here", python=TypeError)
    return options


def namespace(name: str) -> Namespace:
    """`json`."""
    error = BuiltinType("JSONDecodeError", json.JSONDecodeError, module="json.decoder")
    return Namespace(name, {"dumps": dumps, "loads": loads, "JSONDecodeError": error})
