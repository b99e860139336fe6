"""Tables of TOML: their keys, the kinds of their values, and refusals with a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.errors import UsageError
from gradcli.homework.assignment.places import Path, Places
from gradcli.source import Source, Span, did_you_mean


class Tables:
    """Reads the tables of one file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.places = Places(source.text)

    def refuse(self, span: Span, message: str, help: str, code: str = "E021") -> UsageError:
        return UsageError(code, message, span=span, help=help, source=self.source)

    def known(self, table: Mapping[str, Any], known: Sequence[str], path: Path, whose: str) -> None:
        for key in table:
            if key not in known:
                close = did_you_mean(key, known)
                help = f"did you mean {close}?" if close else f"it has {', '.join(known)}"
                raise self.refuse(self.places.key(*path, key), f"{whose} has no {key}", help)

    def typed(self, table: Mapping[str, Any], path: Path, key: str, kind: Any, default: Any) -> Any:
        value = table.get(key, default)
        kinds = {str: "a text in quotes", dict: "a table, such as { x = 2 }", bool: "true or false"}
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            what = kinds.get(kind, "a number")
            raise self.refuse(self.places.value(*path, key), f"{key} is {value!r:.40}", f"{key} is {what}")
        return value

    def points(self, table: Mapping[str, Any], path: Path, written: str) -> float:
        points = table.get("points", 1)
        if type(points) not in (int, float) or not 0 <= points < 1e6:
            place = self.places.value(*path, "points")
            raise self.refuse(place, f"the points of {written} are {points!r:.40}", "write points = 1")
        return float(points)
