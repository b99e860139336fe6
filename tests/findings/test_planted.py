"""The first finding about a lesson with a planted fault is that fault, whatever the variables are called."""

from __future__ import annotations

import pytest

from tests.findings.finding import findings
from tests.findings.planted import LESSONS, OTHER_NAMES, Fault, lines_at, planted, renamed


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_fault_is_told_first(lesson: str) -> None:
    assert [fault for text, fault, names in planted(lesson) if not is_told_first(text, fault, names)] == []


def is_told_first(text: str, fault: Fault, names: dict[str, str]) -> bool:
    found = findings(text)
    first = next((one for one in found if one.severity != "note"), found[0])
    told = " ".join((first.name, first.message, first.because, first.instead or ""))
    return (
        first.code in fault.codes.split()
        and (not fault.at or first.line in lines_at(text, fault, names))
        and (not fault.names or any(renamed(name, names) in told for name in fault.names.split()))
    )


@pytest.mark.parametrize("lesson", LESSONS)
def test_nothing_is_wrong_without_a_fault(lesson: str) -> None:
    for names in OTHER_NAMES:
        assert [one for one in findings(renamed(LESSONS[lesson], names)) if one.severity != "note"] == []
