"""--json: exactly one document on standard output, after its schema, whatever happens."""

from __future__ import annotations

import json

import pytest

from gradcli.engine.primitive import REGISTRY
from tests.commands.running import ROOT, document, gradcli
from tests.programs import wrong

WEEK = f"'{ROOT}/samples/homework/chain_rule.toml'"

DOCUMENTS = {
    "explanation": "eval 'sum(x*y)' x=[1,2] y=3",
    "gradients": "grad 'sum(x*y)' x=[1,2] y=3",
    "formulas": "grad --symbolic 'x*y'",
    "derivatives": "grad --hessian 'sum(x*y)' x=[1,2] y=3",
    "trace": "trace 'sum(x*y)' x=[1,2] y=3 --paths",
    "plot": "plot 'x**2/y' x=-1..1 y=1..2 --at x=0,y=1 --descend lr=0.1",
    "graph": "graph 'sum(x*y)' x=[1,2] y=3 --format dot",
    "verification": "verify 'sum(x*y)' x=[1,2] y=3",
    "operations": "ops",
    "check": f"check {WEEK} '{ROOT}/samples/homework/chain_rule/perfect.txt'",
    "key": f"check --key {WEEK}",
    "findings": f"why '{ROOT}/samples/snippets/learn_a_slope.py'",
    "lint": f"check --lint '{ROOT}/samples/course/week1.toml'",
}
ERRORS = {
    "eval --jsom": "E001",
    "evl": "E001",
    "eval": "E002",
    "eval -f nowhere": "E003",
    "eval x x": "E004",
    "eval x x=1 x=2": "E005",
    "eval y=x+1 y=1": "E006",
    "eval x x=1 --wrt y": "E007",
    "trace x x=1 --to y": "E008",
    "ops sofmax": "E008",
    "eval x x=@nowhere.csv": "E009",
    "eval x x=1 --of y": "E010",
    "eval x+": "E104",
    "eval x": "E201",
    "eval 'sum(x, foo=1)' x=1": "E203",
    "eval 'foo(x)' x=1": "E208",
    "eval 'zeros(10**12)'": "E210",
    "eval 'x*2' x=[1,2]": "E213",
    "eval x+y x=[1,2] y=[1,2,3]": "E301",
    "grad --symbolic 'X@w'": "E301",
    "verify 'x*2' x=[1,2]": "E213",
    "plot x x=2..1": "E016",
    "plot x x=0..1 --descend nonsense=1": "E015",
    "plot 'x*y' x=0..1 y=[1,2]": "E213",
    "plot '[1,2]*x' x=0..1 --of nothing": "E010",
    "graph 'x' x=1 --format beamer": "E008",
    "check --lint --key week1.toml": "E001",
    f"check {WEEK}": "E002",
    f"check {WEEK} -": "E003",
    "check week0.toml nobody.txt": "E003",
    f"check '{ROOT}/README.md' '{ROOT}/README.md'": "E020",
    f"check '{ROOT}/pyproject.toml' '{ROOT}/README.md'": "E021",
    f"check --key '{ROOT}/tests/commands/programs/unknown_function.toml'": "E022",
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "command"), DOCUMENTS.items(), ids=DOCUMENTS)
def test_results(capsys: pytest.CaptureFixture[str], name: str, command: str) -> None:
    result = gradcli(capsys, f"{command} --json")
    assert (result.code, result.err) == (0, "")
    assert result.out.count("\n") == 1
    found = document(result.out)
    assert (found["schema"], found["ok"]) == (f"gradcli.{name}/1", True)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "code"), ERRORS.items(), ids=ERRORS)
def test_errors(capsys: pytest.CaptureFixture[str], command: str, code: str) -> None:
    result = gradcli(capsys, f"{command} --json")
    assert result.code in (2, 3)
    assert result.err == ""
    found = document(result.out)
    assert (found["schema"], found["ok"], found["error"]["code"]) == ("gradcli.error/1", False, code)
    on_standard_error = gradcli(capsys, f"{command} --error-format json")
    assert (on_standard_error.code, on_standard_error.out) == (result.code, "")


@pytest.mark.parametrize("command", ["eval 'x + 1' x=1 unused=2", "eval 'mse_loss(x, y)' x=[1,2] y=[[1],[2]]"])
def test_a_warning_stays_out_of_the_document(capsys: pytest.CaptureFixture[str], command: str) -> None:
    result = gradcli(capsys, f"{command} --json")
    assert document(result.out)["ok"]
    assert result.err.startswith("warning: ")
    assert "Warning" not in result.err


def test_no_colour_in_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in gradcli(capsys, "eval 'x + 1' x=1 --json --color always").out


def test_numbers_that_are_not_finite(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(gradcli(capsys, "eval 'sum(x)' x=[nan,inf,-inf,1] --json").out)
    assert found["nodes"][0]["value"] == ["NaN", "Infinity", "-Infinity", 1.0]


@pytest.mark.parametrize(
    ("x", "factor", "code", "outcome", "reason"),
    [(2, 1.0, 0, "agrees", None), (2, 1.001, 1, "disagrees", None), (0, 1.0, 3, "cannot be judged", "kink")],
)
def test_the_outcome_of_a_verification(
    capsys: pytest.CaptureFixture[str], x: float, factor: float, code: int, outcome: str, reason: str | None
) -> None:
    with wrong(REGISTRY["relu"], factor):
        result = gradcli(capsys, f"verify 'relu(x)' x={x} --json")
        page = gradcli(capsys, f"verify 'relu(x)' x={x}")
    found = document(result.out)
    (row,) = found["rows"]
    assert (result.code, page.code, found["ok"], found["outcome"]) == (code, code, code == 0, outcome)
    assert (row["outcome"], row["agrees"]) == (outcome, code == 0)
    assert row["reason"] is None if reason is None else reason in row["reason"]
    assert (row["error_estimate"] < 1e-9) == (x != 0)
    assert outcome in page.out.lower()
    assert (reason or "") in page.out


def test_schemas_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for name in gradcli(capsys, "schema").out.split():
        assert json.loads(gradcli(capsys, f"schema {name}").out)["$schema"].startswith("https://json-schema.org/")
        assert gradcli(capsys, f"schema gradcli.{name}/1").code == 0


def test_a_path_to_infinity_is_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    result = gradcli(capsys, "plot x**4 x=-2..2 --descend lr=10,from=1 --json")
    assert (result.code, result.err) == (0, "")
    assert document(result.out)["path"]["values"][-1] == "Infinity"
