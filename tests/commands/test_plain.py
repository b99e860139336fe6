"""A command line of a program and its values alone is run without typer, and to the same end."""

from __future__ import annotations

import pytest

from gradcli.cli import is_plain
from tests.commands.running import gradcli

PLAIN = [
    ["eval", "z=(x1+a*x2)**2", "x1=1", "a=2", "x2=3"],
    ["grad", "log(x)", "x=0"],
    ["trace", "x*y", "x=2", "y=3"],
    ["verify", "x**3", "x=2"],
    ["run", "nowhere.py"],
    ["eval", "x +* y"],
]


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize("argv", PLAIN)
def test_a_plain_line_is_what_typer_makes_of_it(
    argv: list[str], is_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [*argv, "--json"] if is_json else argv
    assert is_plain(argv)
    plainly = gradcli(capsys, argv)
    monkeypatch.setattr("gradcli.cli.is_plain", lambda argv: False)
    assert gradcli(capsys, argv) == plainly


def test_the_version_is_what_typer_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert gradcli(capsys, ["--version"]) == gradcli(capsys, ["-v"])


def test_lines_that_are_not_plain() -> None:
    for argv in (
        ["eval", "x", "--wrt", "x"],
        ["eval"],
        ["run", "a.py", "b.py"],
        ["check", "a.toml"],
        ["grad", "-"],
        [],
    ):
        assert not is_plain(argv)
