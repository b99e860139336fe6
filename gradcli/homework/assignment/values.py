"""The values of a question, and the tables of TOML that they are read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from gradcli.errors import GradcliError, UsageError
from gradcli.explanation.lines import numbers
from gradcli.explanation.values import constant
from gradcli.homework.assignment.choices import CHOOSE, Choice, read_choice
from gradcli.homework.assignment.numbers import literals
from gradcli.homework.assignment.places import Path, Places
from gradcli.language.names import read_name
from gradcli.language.parser import parse_expression
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

    def decimals(self, table: Mapping[str, Any], path: Path) -> int | None:
        found = table.get("decimals")
        if found is not None and not (type(found) is int and 0 <= found <= 15):
            place = self.places.value(*path, "decimals")
            raise self.refuse(place, f"decimals is {found!r:.40}", "write decimals = 3, or another number from 0 to 15")
        return found

    def rate(self, table: Mapping[str, Any], path: Path, name: str) -> dict[str, float]:
        """Return a share of a number that an answer may be off, by its name; nothing where none is written."""
        if name not in table:
            return {}
        value = self.typed(table, path, name, (int, float), 0.0)
        if not 0 <= value < 1:
            place = self.places.value(*path, name)
            raise self.refuse(place, f"{name} is {value}", f"write {name} = 1e-5, or another number from 0 to 1")
        return {name: float(value)}

    def points(self, table: Mapping[str, Any], path: Path, written: str) -> float:
        points = table.get("points", 1)
        if type(points) not in (int, float) or not 0 <= points < 1e6:
            place = self.places.value(*path, "points")
            raise self.refuse(place, f"the points of {written} are {points!r:.40}", "write points = 1")
        return float(points)


GRADING = ("carry_share", "entries", "attempt_penalty", "deadline", "late_penalty", "precision_share")
SHARES = {
    "carry_share": 1.0,
    "attempt_penalty": 0.0,
    "late_penalty": 0.0,
    "precision_share": 0.0,
}  # of the points, where nothing is said
DEADLINE = 'write deadline = "2026-11-20T23:59+01:00"'
INPUT = ("strict",)
ENTRIES = ("all", "each")

Refuse = Callable[[Path, str, str], UsageError]  # from the path at fault, a message and a help


def settings(table: Mapping[str, Any], refuse: Refuse) -> dict[str, Any]:
    """Return the settings by the names that an assignment has for them. Raises UsageError at the path at fault."""
    grading, own = table.get("grading", {}), table.get("input", {})
    shares, entries = {name: grading.get(name, usual) for name, usual in SHARES.items()}, grading.get("entries", "all")
    for name, share in shares.items():
        if type(share) not in (int, float) or not 0 <= share <= 1:
            help = f"write {name} = 0.5, or another number from 0 to 1"
            raise refuse(("grading", name), f"{name} is {share!r:.40}", help)
    if entries not in ENTRIES:
        raise refuse(("grading", "entries"), f"entries is {entries!r:.40}", 'write entries = "all" or "each"')
    if not isinstance(own, dict):
        raise refuse(("input",), "input is a table", "write [input], and strict = true below it")
    for key in own:
        if key not in INPUT:
            raise refuse(("input", key), f"[input] has no {key}", "it has strict")
    strict = own.get("strict", False)
    if not isinstance(strict, bool):
        raise refuse(("input", "strict"), f"strict is {strict!r:.40}", "write strict = true or false")
    try:
        deadline = grading.get("deadline")
        deadline = datetime.fromisoformat(deadline) if isinstance(deadline, str) else deadline
    except ValueError:
        deadline = ""
    if deadline is None and shares["late_penalty"]:
        raise refuse(("grading", "late_penalty"), "late_penalty needs a deadline", DEADLINE)
    if not isinstance(deadline, datetime | None):
        raise refuse(("grading", "deadline"), f"deadline is {grading['deadline']!s:.40}", DEADLINE)
    own_settings = {"entries": entries, "strict": strict, "deadline": deadline}
    return {**{name: float(share) for name, share in shares.items()}, **own_settings}


class Values(Tables):
    def point(self, table: Mapping[str, Any], path: Path, script: Source | None) -> dict[str, Any]:
        """The values of the variables: numbers, nested lists, texts with a constant expression, or a choice of them.

        Those of a script are choices alone, of names to which it gives numbers.
        """
        at = self.typed(table, path, "at", dict, {})
        found = {read_name(name) or name: self.given(value, (*path, "at", name)) for name, value in at.items()}
        known = None if script is None else literals(script.text)
        for name, value in found.items() if script else ():
            if not isinstance(value, Choice):
                place, what = self.places.value(*path, "at", name), "a script has its values in itself"
                raise self.refuse(place, what, f"remove {name}, or {CHOOSE}")
            if known is not None and name not in known:
                place, what = self.places.key(*path, "at", name), f"the script gives no number to {name}"
                raise self.refuse(place, what, f"write {name} = torch.tensor(1.5) in it, or {name} = 1.5")
        return found

    def names(self, table: Mapping[str, Any], path: Path) -> list[str]:
        """Return the variables that are constant."""
        found = table.get("constant", [])
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            told = f"constant is {found!r:.40}"
            raise self.refuse(self.places.value(*path, "constant"), told, 'write constant = ["y", "lam"]')
        return found

    def given(self, value: Any, path: Path) -> Any:
        if not isinstance(value, dict):
            return self.value(value, path)
        return read_choice(value, path, self.value, lambda place, *told: self.refuse(self.places.value(*place), *told))

    def value(self, value: Any, path: Path) -> Any:
        span = self.places.value(*path)
        try:
            if isinstance(value, str):
                text = Source(value, str(path[-1]))
                value = constant(parse_expression(text), text)
            return numbers(value, f"the value of {path[-1]}")
        except GradcliError as error:
            if error.span is not None and isinstance(value, str):
                span = self.places.within(path, error.span)
            raise self.refuse(span, error.message, "write at = { x = 2, w = [0.5, 1], c = '1/3' }") from None
