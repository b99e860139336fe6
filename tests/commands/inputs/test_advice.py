"""Command lines that are nearly right: the refusal says what to type, and what it says works."""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from gradcli.commands.forms import FORMS
from gradcli.commands.parsing import COMMANDS
from gradcli.errors import CODES
from tests.commands.running import ROOT, gradcli

SNIPPET = "import torch\nx = torch.tensor(3.0, requires_grad=True)\n(x * x).backward()\nprint(x.grad)\n"
TAKE_PROGRAMS = ("eval", "grad", "trace", "graph", "verify")


def read_as_programs(*names: str) -> list[tuple[str, str]]:
    """Each command with each name of a file; `graph` draws what Python does."""
    pairs = product(TAKE_PROGRAMS, names)
    return [(command, name) for command, name in pairs if (command, Path(name).suffix) != ("graph", ".py")]


@contextmanager
def standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> Iterator[int]:
    """Replace standard input by a pipe that holds a text; yields its descriptor."""
    ours, theirs = os.pipe()
    os.write(theirs, content)
    os.close(theirs)
    with os.fdopen(ours, "rb") as raw, io.TextIOWrapper(raw) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        yield ours


@pytest.mark.parametrize("command", TAKE_PROGRAMS)
def test_a_program_on_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    for arguments in (["-"], ["-f", "-"]):
        with standard_input(monkeypatch, b"z = x**2 + y\n"):
            read = gradcli(capsys, [command, *arguments, "x=3", "y=1"])
        assert read.code == 0
        assert read.out == gradcli(capsys, [command, "z = x**2 + y", "x=3", "y=1"]).out


def test_a_batch_takes_its_program_or_its_records_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "points.jsonl").write_text('{"x": 3}\n')
    with standard_input(monkeypatch, b"x**2"):
        assert '"x":6' in gradcli(capsys, ["batch", "-", "-i", str(tmp_path / "points.jsonl")]).out.replace(" ", "")
    for arguments in (["-"], ["-f", "-"]):
        assert "error[E014]" in gradcli(capsys, ["batch", *arguments]).err


@pytest.mark.parametrize("command", TAKE_PROGRAMS)
def test_missing_values_lead_to_formulas(capsys: pytest.CaptureFixture[str], command: str) -> None:
    err = gradcli(capsys, [command, "x**2"]).err
    (option,) = re.findall(r"gradcli grad (--\w+) needs no values", err)
    assert gradcli(capsys, ["grad", option, "x**2"]).code == 0


@pytest.mark.parametrize(("command", "name"), read_as_programs("train.py", "a snippet.txt", "lesson"))
def test_python_leads_to_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(SNIPPET)
    err = gradcli(capsys, [command, "-f", name]).err
    (line,) = re.findall(r"for Python type gradcli (.*)", err)
    assert gradcli(capsys, shlex.split(line)).out == "tensor(6.)\n"
    assert "Python runs from a file: type gradcli run FILE" in gradcli(capsys, [command, SNIPPET]).err
    with standard_input(monkeypatch, SNIPPET.encode()):
        assert "for Python type gradcli run -\n" in gradcli(capsys, [command, "-"]).err


@pytest.mark.parametrize("text", ["y = x.backward(", "x.backward()", "from_ = ", "y = important", "import_ +"])
def test_a_file_that_is_no_python_stays_a_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    (tmp_path / "program.txt").write_text(text)
    (tmp_path / "program.py").write_text(text)
    assert "gradcli run" not in gradcli(capsys, ["eval", "-f", str(tmp_path / "program.txt"), "x=1"]).err
    assert "gradcli run" in gradcli(capsys, ["eval", "-f", str(tmp_path / "program.py"), "x=1"]).err


@pytest.mark.parametrize(
    ("command", "name"), read_as_programs("train.py", "prog.txt", "./prog.txt", "a file.txt", "lesson")
)
def test_the_name_of_a_file_in_place_of_a_program(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(SNIPPET if name.endswith(".py") else "3**2")
    (line,) = re.findall(r"is a file: type gradcli (.*)", gradcli(capsys, [command, name]).err)
    assert gradcli(capsys, shlex.split(line)).code == 0
    Path(name).unlink()
    assert "is a file" not in gradcli(capsys, [command, name]).err


@pytest.mark.parametrize("command", [*COMMANDS, ""])
def test_help_is_a_command(capsys: pytest.CaptureFixture[str], command: str) -> None:
    words = [command] if command else []
    page = gradcli(capsys, [*words, "--help"])
    assert page.code == 0
    assert gradcli(capsys, ["help", *words]) == page
    assert gradcli(capsys, ["help", *words, "--help"]) == page


@pytest.mark.parametrize("command", ["eval", "trace", "graph"])
@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_is_taken_for_an_option(capsys: pytest.CaptureFixture[str], command: str, form: str) -> None:
    result = gradcli(capsys, [command, "x**2", "x=3", f"--{form}"])
    if command in FORMS[form].renderers and form != "json":
        assert result.err.endswith(f"= help: write --format {form}\n")
        assert gradcli(capsys, [command, "x**2", "x=3", "--format", form]).code in (0, 2)  # 2: a picture needs a file
    else:
        assert "write --format" not in result.err


def test_a_variable_without_a_value_can_have_a_shape(capsys: pytest.CaptureFixture[str]) -> None:
    result = gradcli(capsys, ["grad", "--symbolic", "cross_entropy(z, 2)"])
    assert result.err.endswith("z without a value is a number here; give an array its shape, such as z:3\n")
    assert gradcli(capsys, ["grad", "--symbolic", "cross_entropy(z, 2)", "z:3"]).code == 0


def test_help_tells_what_a_code_is_about(capsys: pytest.CaptureFixture[str]) -> None:
    told = gradcli(capsys, "help e301")
    assert told == gradcli(capsys, "help E301")
    assert (told.code, told.out) == (0, f"E301: {CODES['E301']}\n")
    refused = gradcli(capsys, "help E999")
    assert (refused.code, "no error has the code E999" in refused.err) == (2, True)


def test_every_code_has_its_sentence() -> None:
    """And every sentence a code that something raises."""
    used = {
        code
        for path in (ROOT / "gradcli").rglob("*.py")
        for code in re.findall(r'"(E\d{3})"(?!:)', path.read_text("utf-8"))
    }
    assert used == set(CODES)
