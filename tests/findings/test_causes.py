"""Each cause is found where it is, nothing is where it is not, and examples have what they are examples of."""

from __future__ import annotations

import pytest

from gradcli.findings.catalogue import CATALOGUE
from gradcli.findings.finding import SEVERITIES
from gradcli.script.execution import execute
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.reading import read_snippet
from tests.findings.cases import WITH, WITHOUT
from tests.findings.finding import HEAD, codes, findings

GRADIENTS = "print([(k, v.grad) for k, v in globals().items() if hasattr(v, 'is_leaf') and v.is_leaf])"


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in WITH.items() for text in texts])
def test_a_cause_is_found_first(code: str, text: str) -> None:
    assert codes(text)[:1] == [code]


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in WITHOUT.items() for text in texts])
def test_nothing_is_found_where_nothing_is(code: str, text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize("code", [code for code in CATALOGUE if code in WITH])
def test_to_look_changes_nothing(code: str) -> None:
    for text in WITH[code][:3]:
        text = f"{HEAD}{text}\n{GRADIENTS}"
        machine, told = Machine(Limits(), (printed := list[str]()).append), list[str]()
        execute(read_snippet(text, "snippet.py"), machine)
        findings(text, write=told.append)
        assert printed == told


@pytest.mark.parametrize("code", CATALOGUE)
def test_an_example_has_its_cause(code: str) -> None:
    assert code in [one.code for one in findings(CATALOGUE[code].example)]


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_finding_is_told_whole(code: str) -> None:
    for one in findings(CATALOGUE[code].example):
        assert one.severity in SEVERITIES
        assert one.line >= 1
        assert one.message.endswith(".")
        assert "\n" not in f"{one.message}{one.because}{one.instead}"
        assert not any(word in one.message for word in ("None's", "v1", "leaf1", "addmm"))
