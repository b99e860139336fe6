"""What the README prints is what comes out."""

from __future__ import annotations

import re

import pytest

from tests.commands.running import ROOT, gradcli

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
EXAMPLES = [
    (command, output)
    for block in BLOCKS
    for command, output in re.findall(r"^\$ gradcli (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    if " | " not in command
]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_examples(capsys: pytest.CaptureFixture[str], command: str, output: str) -> None:
    result = gradcli(capsys, command)
    assert (result.code, result.err) == (0, "")
    assert result.out == output


def test_the_options_are_those_of_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    table = README.partition("| option | meaning |")[2].partition("\n\n")[0]
    listed = set(re.findall(r"`(--?[a-z-]+)", table))
    shown = gradcli(capsys, "eval --help").out
    assert listed <= set(re.findall(r"--?[a-z][a-z-]*", shown))


def test_every_command_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    commands = re.findall(r"^  (\w+) ", gradcli(capsys, "--help").out.partition("Commands:")[2], re.MULTILINE)
    assert commands == re.findall(r"^\| `gradcli (\w+) ", README, re.MULTILINE)
