"""The arguments of torch's operators that are not there: a call that gives one is refused by its name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gradcli.script.errors import UnsupportedError
from gradcli.source import shipped

FILE = "absent.txt"


@cache
def absent() -> dict[str, frozenset[str]]:
    """Return the arguments by the operation that has them in torch."""
    lines = shipped(Path(__file__).with_name(FILE)).splitlines()
    return {name: frozenset(names.split()) for name, _, names in (line.partition(": ") for line in lines)}


def check_present(operation: str, keyword: str) -> None:
    """Refuse an argument that torch has; one that it has not is a mistake of the snippet."""
    if keyword in absent().get(operation, ()):
        raise UnsupportedError(f"{operation}({keyword}=...) is not supported here", help="leave the argument out")
