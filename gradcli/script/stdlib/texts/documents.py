"""`json`, `pprint` and `textwrap`: values as text, and text in lines; measured as it grows."""

from __future__ import annotations

import json
import pprint
import textwrap
from collections.abc import Callable
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import check_width, represent
from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace
from gradcli.script.python.values.kinds import type_name
from gradcli.script.python.values.nesting import measure
from gradcli.script.python.values.special import exact

WRITING = ("skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys", "indent", "separators", "default")
READING = ("object_hook", "parse_float", "parse_int", "parse_constant", "object_pairs_hook")
PRINTED = ("indent", "width", "depth", "compact", "sort_dicts", "underscore_numbers")


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


def _chosen(options: dict[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    for name in options:
        if name not in known:
            raise UnsupportedError(f"the option {name} is not supported here", python=TypeError)
    return options


class Printer(pprint.PrettyPrinter):
    """Python's printer, with the texts that values have everywhere in a snippet."""

    def format(self, object: Any, context: dict[int, int], maxlevels: int, level: int) -> tuple[str, bool, bool]:
        if isinstance(object, dict | list | tuple | set | frozenset):
            return super().format(object, context, maxlevels, level)
        return represent(object), True, False


def pformat(object: Any, indent: int = 1, width: int = 80, depth: Any = None, **options: Any) -> str:
    """`pprint.pformat`; a value whose text is too long is refused first."""
    represent(object)
    check_width(f"{indent} {width}")
    return Printer(indent, width, depth, **_chosen(options, PRINTED)).pformat(object)


def pprint_(object: Any, stream: Any = None, *layout: Any, **options: Any) -> None:
    """`pprint.pprint`."""
    running.machine.write(pformat(object, *layout, **options) + "\n")


def _pp(object: Any, *layout: Any, sort_dicts: bool = False, **options: Any) -> None:
    pprint_(object, *layout, sort_dicts=sort_dicts, **options)


class PrettyPrinter(Facade):
    """`pprint.PrettyPrinter`: keeps the options of its output."""

    def __init__(self, *layout: Any, stream: Any = None, **options: Any) -> None:
        self._layout, self._options = layout, options

    def pprint(self, object: Any) -> None:
        pprint_(object, None, *self._layout, **self._options)

    def pformat(self, object: Any) -> str:
        return pformat(object, *self._layout, **self._options)


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of text whose indents are repeated at most as often as there are characters."""

    def call(text: Any, *given: Any, **options: Any) -> Any:
        text, *rest = (exact(word) if isinstance(word, str) else word for word in (text, *given))
        named = {name: exact(word) if isinstance(word, str) else word for name, word in options.items()}
        if not isinstance(text, str):
            raise TypeError(f"expected a text, got {type_name(text)!r}")
        words = [word for word in (*rest, *named.values()) if isinstance(word, str)]
        running.machine.budget.fits(len(text) * (1 + sum(map(len, words))), "the text")
        return function(text, *rest, **named)

    return call


def namespace(name: str) -> Namespace:
    """`json`, `pprint` or `textwrap`."""
    if name == "json":
        error = BuiltinType("JSONDecodeError", json.JSONDecodeError, module="json.decoder")
        return Namespace(name, {"dumps": dumps, "loads": loads, "JSONDecodeError": error})
    if name == "pprint":
        return Namespace(name, {"pprint": pprint_, "pformat": pformat, "pp": _pp, "PrettyPrinter": PrettyPrinter})
    words = ("dedent", "indent", "fill", "wrap", "shorten")
    return Namespace(name, {word: _wrapping(getattr(textwrap, word)) for word in words})
