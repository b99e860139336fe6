"""The settings of an assignment that change credit and reading: `[grading]` and `[input]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradcli.errors import UsageError
from gradcli.homework.assignment.places import Path

GRADING = ("carry_share", "entries", "attempt_penalty")
SHARES = {"carry_share": 1.0, "attempt_penalty": 0.0}  # of the points, where nothing is said
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
    return {**{name: float(share) for name, share in shares.items()}, "entries": entries, "strict": strict}
