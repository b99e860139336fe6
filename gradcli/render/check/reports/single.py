"""The one submission that a report about one student is written for."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.homework.model import Result


def only(results: Iterable[Result]) -> Result:
    """The one result; ValueError where there is none or a second."""
    found = iter(results)
    first, second = next(found, None), next(found, None)
    if first is None or second is not None:
        raise ValueError("this report is about one submission: write one for each student")
    return first
