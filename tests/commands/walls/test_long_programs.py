"""Programs that are deeper or longer than any stack, through every command."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from itertools import product

import pytest

from tests.commands.running import document, gradcli
from tests.programs import some

DEPTH = 300  # beyond the limit of recursion that these tests have
PROGRAMS = {
    "parentheses": "(" * DEPTH + "x" + ")" * DEPTH,
    "signs": "-" * DEPTH + "x",
    "calls": "sin(" * 2 * DEPTH + "x" + ")" * 2 * DEPTH,
    "sum": "+".join(["x"] * DEPTH),
    "statements": "\n".join(["s0 = x", *(f"s{n + 1} = s{n}*1.0001 + 1" for n in range(DEPTH))]),
    "doubling": "\n".join(["s0 = x", *(f"s{n + 1} = s{n} + s{n}" for n in range(60))]),
    "squaring": "\n".join(["s0 = x", *(f"s{n + 1} = s{n}*s{n}" for n in range(60))]),
}
COMMANDS = [
    "eval",
    "eval --json",
    "grad",
    "grad --symbolic",
    "trace --paths",
    "trace --paths --json",
    "graph",
    "graph --format dot",
    "graph --format mermaid",
    "verify",
]


@pytest.fixture
def shallow() -> Iterator[None]:
    """Python's stack may grow by fewer frames than the programs are deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + DEPTH - 50)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.slow
@pytest.mark.usefixtures("shallow")
@pytest.mark.parametrize(("program", "command"), some(product(PROGRAMS, COMMANDS), 5))
def test_they_go_all_the_way(capsys: pytest.CaptureFixture[str], program: str, command: str) -> None:
    name, *options = command.split()
    result = gradcli(capsys, [name, *options, "--", PROGRAMS[program], "x=0.5"])
    assert (result.code, result.err) == (0, "")
    assert result.out
    if "--json" in options:
        assert json.loads(result.out)["ok"]


def test_paths_are_counted_exactly_and_the_first_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    program = PROGRAMS["doubling"]
    result = gradcli(capsys, ["trace", program, "x=1", "--paths"])
    assert f"{2**60:,} paths from s60 to x" in result.out
    assert f"{2**60 - 20:,} more paths" in result.out
    (leaf,) = document(gradcli(capsys, ["trace", program, "x=1", "--paths", "--json"]).out)["leaves"]
    assert (leaf["paths"]["count"], len(leaf["paths"]["listed"])) == (str(2**60), 20)
    assert leaf["gradient"] == 2.0**60
    assert (leaf["formula"], leaf["formula_raw"]) == ("2**60", None)


def test_a_long_page_is_cut_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    page = gradcli(capsys, ["eval", PROGRAMS["statements"], "x=1"]).out
    assert len(page.splitlines()) < 250
    assert "--all shows every row" in page
    assert max(map(len, page.splitlines())) < 200
    short = "\n".join(["s0 = x", *(f"s{n + 1} = s{n} + 1" for n in range(50))])
    assert "--all" not in gradcli(capsys, ["eval", short, "x=1", "--all"]).out


def test_a_sum_of_many_terms_is_cut_on_the_page_and_whole_in_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    program = f"sum([{', '.join(['x'] * 38)}])"
    page = gradcli(capsys, ["trace", program, "x=1"]).out
    assert "+ … +" in page
    (leaf,) = document(gradcli(capsys, ["trace", program, "x=1", "--json"]).out)["leaves"]
    assert leaf["lines"][-1]["symbols"].count(" + ") == 37


@pytest.mark.slow
@pytest.mark.parametrize("depth", [65, 66, 300, 3000])
def test_a_tensor_of_too_many_dimensions(capsys: pytest.CaptureFixture[str], depth: int) -> None:
    for inner in ("x", "1"):
        result = gradcli(capsys, ["eval", "sum(" + "[" * depth + inner + "]" * depth + ")", "x=1"])
        assert result.code == 3
        assert "bug" not in result.err


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_as_many_dimensions_as_there_may_be(capsys: pytest.CaptureFixture[str], command: str) -> None:
    name, *options = command.split()
    program = f"sum(x*{'[' * 64}2{']' * 64} + {'[' * 40}x{']' * 40})"
    assert gradcli(capsys, [name, *options, program, "x=3"]).code == 0
