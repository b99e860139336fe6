"""A finding: one cause, found in one run, with its evidence and what to write instead."""

from __future__ import annotations

from gradcli.facts import dataclass

SEVERITIES = ("error", "warning", "note")  # the result is wrong or the run ended; probably not meant; a convention


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause at one place.

    `name` is what it is about in the asker's own words, `message` the fault, `because` the numbers of this run, and
    `instead` code that can be typed there, None where there is none. `see` are other lines of the same source.
    `cell` is the number of a code cell, None outside of notebooks.
    """

    code: str
    severity: str
    source: str
    line: int
    cell: int | None
    name: str
    message: str
    because: str
    instead: str | None = None
    see: tuple[int, ...] = ()
