"""Every sample goes through every command, and gives the gradients that its comments promise."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from tests.commands.running import ROOT, document, gradcli
from tests.programs import some

SAMPLES = sorted((ROOT / "samples").glob("*.grad"))
COMMANDS = ["eval", "grad", "trace --paths", "graph", "graph --format dot", "graph --format mermaid", "verify"]


def comment(file: Path, name: str) -> str:
    found = re.search(rf"^# {name}: (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else ""


def arguments(file: Path) -> str:
    wrt = comment(file, "wrt").replace(" ", "")
    return f"-f '{file}'" + (f" --wrt {wrt}" if wrt else "")




@pytest.mark.slow
@pytest.mark.parametrize(("file", "command"), some(product(SAMPLES, COMMANDS), 7))
def test_every_command_takes_it(capsys: pytest.CaptureFixture[str], file: Path, command: str) -> None:
    result = gradcli(capsys, f"{command} {arguments(file)}")
    kink = command == "verify" and "kink" in result.out
    assert (result.code, result.err) == (3 if kink else 0, "")
    assert result.out
    written = gradcli(capsys, f"{command} {arguments(file)} --json")
    assert written.code == result.code
    assert document(written.out)["ok"] == (written.code == 0)


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_the_gradients_are_those_promised(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    found = document(gradcli(capsys, f"grad {arguments(file)} --json").out)["gradients"]
    promised = dict(pair.split(" = ") for pair in comment(file, "gradients").split("; ") if pair)
    assert {name: found[name] for name in promised} == {name: float(value) for name, value in promised.items()}
    assert promised or comment(file, "wrt")


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_the_command_in_the_comment_works(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    (command,) = re.findall(r"^# gradcli (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert f"samples/{file.name}" in command
    assert gradcli(capsys, command.replace("samples/", f"{ROOT}/samples/")).code == 0
