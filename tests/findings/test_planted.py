"""The first finding about a lesson with a planted fault is that fault, whatever the variables are called."""

from __future__ import annotations

import pytest

from tests.findings.finding import findings
from tests.findings.planted import LESSONS, OTHER_NAMES, Fault, lines_at, planted, renamed

PLANTED = list(planted())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "fault", "names"), PLANTED, ids=[f"{x.lesson}-{n}" for n, (_, x, _) in enumerate(PLANTED)]
)
def test_the_fault_is_told_first(text: str, fault: Fault, names: dict[str, str]) -> None:
    found = findings(text)
    first = next((one for one in found if one.severity != "note"), found[0])
    assert first.code in fault.codes.split()
    assert not fault.at or first.line in lines_at(text, fault, names)
    told = " ".join((first.name, first.message, first.because, first.instead or ""))
    assert not fault.names or any(renamed(name, names) in told for name in fault.names.split())


@pytest.mark.parametrize("lesson", LESSONS)
def test_nothing_is_wrong_without_a_fault(lesson: str) -> None:
    for names in OTHER_NAMES:
        assert [one for one in findings(renamed(LESSONS[lesson], names)) if one.severity != "note"] == []
