"""Each cause is found where it is, nothing is where it is not, and examples have what they are examples of."""

from __future__ import annotations

import ast

import pytest

from gradcli.findings.catalogue import CATALOGUE
from gradcli.findings.finding import SEVERITIES, Finding
from gradcli.script.execution import execute
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.reading import read_snippet
from tests.findings import rounds
from tests.findings.cases import WITH, WITHOUT
from tests.findings.finding import HEAD, codes, findings

GRADIENTS = "print([(k, v.grad) for k, v in globals().items() if hasattr(v, 'is_leaf') and v.is_leaf])"


def pairs(*tables: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return the snippets of tables with their codes."""
    return [(code, text) for table in tables for code, texts in table.items() for text in texts]


@pytest.mark.parametrize(("code", "text"), pairs(WITH, rounds.WITH))
def test_a_cause_is_found_first(code: str, text: str) -> None:
    assert codes(text)[:1] == [code]


@pytest.mark.parametrize(("code", "text"), pairs(WITHOUT, rounds.WITHOUT))
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
    assert code in [one.code for one in findings(CATALOGUE[code].page.example)]


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_finding_is_told_whole(code: str) -> None:
    for one in findings(CATALOGUE[code].page.example):
        assert one.severity in SEVERITIES
        assert one.line >= 1
        assert one.message.endswith(".")
        assert "\n" not in f"{one.message}{one.because}{one.instead}"
        assert not any(word in one.message for word in ("None's", "v1", "leaf1", "addmm"))


def is_like(old: str, new: str) -> bool:
    """Return whether a remedy stands for a statement: it assigns, returns or calls the same."""
    try:
        (before,), (after,) = (ast.parse(text.strip()).body for text in (old, new))
    except (SyntaxError, ValueError):  # words, or several statements
        return old.strip().startswith("return") and new.startswith("return")
    heads = [ast.unparse(x).partition(" = " if isinstance(x, ast.Assign) else "(")[0] for x in (before, after)]
    return type(before) is type(after) and heads[0] == heads[1]


def applied(text: str, one: Finding) -> str | None:
    """Return a snippet with the remedy of a finding in place of its statement; None where it is no statement alone."""
    lines, new = text.splitlines(), one.instead or ""
    old = lines[one.line - 1]
    if "  #" in new or not (is_like(old, new) or new.startswith("with torch.no_grad(): ")):
        return None
    lines[one.line - 1] = old.replace(old.strip(), new)
    return "\n".join(lines)


def unmended(text: str) -> tuple[bool, str]:
    """Return whether the first remedy of a snippet can be applied, and what it leaves of the fault or breaks."""
    one = next(iter(findings(text)), None)
    after = applied(text, one) if one is not None and one.instead else None
    left = [] if one is None or after is None else findings(after)
    wrong = (x for x in left if x.severity == "error" or one is None or (x.code, x.line) == (one.code, one.line))
    return after is not None, next((f"{x.code}, line {x.line}: {x.message}" for x in wrong), "")


@pytest.mark.parametrize("code", [code for code in CATALOGUE if code in {**WITH, **rounds.WITH}])
def test_a_remedy_that_replaces_a_statement_mends_it(code: str) -> None:
    for text in [*WITH.get(code, []), *rounds.WITH.get(code, [])]:
        assert unmended(HEAD + text)[1] == ""


def test_many_examples_have_such_a_remedy() -> None:
    told = [unmended(cause.page.example) for cause in CATALOGUE.values()]
    assert not any(left for _, left in told)
    assert sum(is_applied for is_applied, _ in told) > 12
