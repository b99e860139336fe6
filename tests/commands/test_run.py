"""`gradcli run` as its users meet it: what is printed where, exit codes, notebooks and pages, errors with a caret."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import ROOT, SNAPSHOTS, document, gradcli, snapshot

RUNS = sorted((SNAPSHOTS / "runs").glob("*.txt"))
SAMPLES = ROOT / "samples" / "snippets"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return tmp_path / "lesson.py"


@pytest.mark.parametrize("file", RUNS, ids=lambda file: file.stem)
def test_snapshots(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    snapshot(capsys, file)


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("*.py")), ids=lambda file: file.stem)
def test_the_command_in_the_comment_works(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    (command,) = [line for line in file.read_text(encoding="utf-8").split("\n") if line.startswith("# gradcli ")]
    assert f"samples/snippets/{file.name}" in command
    result = gradcli(capsys, command.removeprefix("# gradcli "))
    assert result.code == 0
    assert result.out.startswith(file.with_suffix(".out").read_text(encoding="utf-8"))


def test_a_pipe_is_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"import torch\nprint(torch.ones(2))\n")))
    assert gradcli(capsys, "run -").out == "tensor([1., 1.])\n"


def test_a_function_of_another_cell_has_its_own_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its warnings and its rows stand at its cell, also where the cell that calls it is shorter."""
    monkeypatch.chdir(tmp_path)
    first = "import torch\nimport torch.nn.functional as F\nx = torch.tensor([1.0, 2.0], requires_grad=True)"
    second = "def act(u, v):\n    s = u * v\n    return F.softmax(s.reshape(1, 1)).sum()"
    cells = [{"cell_type": "code", "source": text} for text in (first, second, "act(*x).backward()")]
    Path("lesson.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    warned = gradcli(capsys, "run lesson.ipynb")
    assert (warned.code, "lesson.ipynb cell 2:3: UserWarning: Implicit dimension" in warned.err) == (0, True)
    shown = gradcli(capsys, "run lesson.ipynb --explain")
    assert (shown.code, "cell 2 line 2: s = u * v" in shown.out) == (0, True)


def test_a_page_shows_a_name_that_is_a_number_by_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import torch\nx = torch.ones(2, requires_grad=True)\nk = torch.ones(4)\nk = 5\n(x * k).sum().backward()"
    Path("lesson.py").write_text(text, encoding="utf-8")
    assert gradcli(capsys, "run lesson.py -o page.html").code == 0
    assert Path("page.html").exists()


def test_a_notebook_echoes_its_cells(capsys: pytest.CaptureFixture[str]) -> None:
    result = gradcli(capsys, "run samples/snippets/lesson.ipynb")
    assert result.out == "tensor([1., 2., 3.], requires_grad=True)\ngradient:\ntensor([2., 4., 6.])\n"


def test_a_page_runs_its_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    assert gradcli(capsys, "run samples/snippets/lesson.md").out == "tensor(8., grad_fn=<PowBackward0>)\ntensor(12.)\n"


def test_quiet_prints_the_explanation_alone(capsys: pytest.CaptureFixture[str]) -> None:
    both = gradcli(capsys, "run samples/snippets/two_paths.py --explain").out
    alone = gradcli(capsys, "run samples/snippets/two_paths.py --quiet").out
    printed = gradcli(capsys, "run samples/snippets/two_paths.py").out
    assert both == printed + alone


def test_the_document_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(gradcli(capsys, "run samples/snippets/two_paths.py --json").out)
    assert found["ok"]
    assert found["printed"] == gradcli(capsys, "run samples/snippets/two_paths.py").out
    assert [event["kind"] for event in found["timeline"]].count("backward") == 1
    assert {leaf["name"]: leaf["grad"] for leaf in found["leaves"]} == {"x": 312.0}


RAW, SHORT = "2*(x**2 + 1)*x + 2*(x**2 - 1)*x", "4*x**3"


def test_long_gradients_are_in_named_intermediates(capsys: pytest.CaptureFixture[str], lesson: Path) -> None:
    lesson.write_text(
        "import torch\nW = torch.eye(2, requires_grad=True)\nh = torch.ones(2)\n"
        "for _ in range(6):\n    h = torch.tanh(W @ h)\nh.sum().backward()\n"
    )
    (explanation,) = explanations(capsys, lesson)
    assert len(explanation["formulas"]["W"]) < 400
    assert {x["name"] for x in explanation["intermediates"]} >= {"h_2", "h_3"}


def explanations(capsys: pytest.CaptureFixture[str], lesson: Path, option: str = "") -> list[Any]:
    """Return the explanations of the passes of a run, from its document."""
    found = document(gradcli(capsys, f"run {lesson} --json {option}").out)
    return [event["explanation"] for event in found["timeline"] if event["kind"] == "backward"]


def test_warnings_go_to_standard_error_once_a_line(capsys: pytest.CaptureFixture[str], lesson: Path) -> None:
    lesson.write_text(
        "import torch\ny = torch.ones(1, requires_grad=True) * 2\nfor i in range(3):\n    print(y.grad)\n"
    )
    result = gradcli(capsys, f"run {lesson}")
    assert result.out == "None\nNone\nNone\n"
    assert result.err.count("UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor") == 1
    assert f"{lesson}:4: UserWarning" in result.err


def test_what_a_snippet_prints_on_standard_error_goes_there(
    capsys: pytest.CaptureFixture[str], lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson.write_text("import sys\nprint(1)\nprint('on\\x1b[1me', file=sys.stderr)\nsys.stderr.write('two\\n')\n")
    result = gradcli(capsys, f"run {lesson}")
    assert (result.out, result.err) == ("1\n", "on\x1b[1me\ntwo\n")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert gradcli(capsys, f"run {lesson} --json").err == "on\\x1b[1me\ntwo\n"


def test_a_terminal_gets_no_control_characters(
    capsys: pytest.CaptureFixture[str], lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson.write_text("print('\\x1b[31mred\\tblue')\n")
    assert gradcli(capsys, f"run {lesson}").out == "\x1b[31mred\tblue\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert gradcli(capsys, f"run {lesson}").out == "\\x1b[31mred\tblue\n"


WRONG = {
    "nowhere.py": (None, 2, "cannot read nowhere.py"),
    "notebook.ipynb": ("{", 2, "is not a notebook"),
    "empty.ipynb": (json.dumps({"cells": []}), 2, "has no code cells"),
    "page.md": ("# nothing here\n", 2, "has no Python blocks"),
    "syntax.py": ("x = (1,\n", 2, "'(' was never closed"),
    "binary.py": ("x = '\0'\n", 2, "null bytes"),
    "unknown.py": ("import tensorfow\n", 3, "No module named 'tensorfow'"),
    "endless.py": ("while True:\n    pass\n", 3, "more than 1,000 steps"),
    "large.py": ("import torch\ntorch.zeros(10**12)\n", 3, "1,000,000,000,000 elements"),
}


@pytest.mark.parametrize(("name", "case"), WRONG.items(), ids=WRONG)
def test_what_cannot_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, case: tuple[str | None, int, str]
) -> None:
    text, code, words = case
    if text is not None:
        (tmp_path / name).write_text(text)
    result = gradcli(capsys, f"run {tmp_path / name if text is not None else name} --max-steps 1000")
    assert (result.code, result.out) == (code, "")
    assert words in result.err
    assert "= help: " in result.err
