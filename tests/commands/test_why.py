"""`gradcli why`: its forms, its exit codes, its catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.running import gradcli

FAULT = """\
import torch
x, y = torch.linspace(0, 1, 5).unsqueeze(1), torch.linspace(0, 2, 5)
w = torch.tensor([[1.0]], requires_grad=True)
loss = ((x @ w - y) ** 2).mean()
loss.backward()
print("printed")
"""


@pytest.fixture
def fault(tmp_path: Path) -> Path:
    path = tmp_path / "fault.py"
    path.write_text(FAULT)
    return path


def test_a_finding_has_five_lines_at_most_and_nothing_is_printed(
    capsys: pytest.CaptureFixture[str], fault: Path
) -> None:
    result = gradcli(capsys, ["why", str(fault)])
    first, _, rest = result.out.partition("\n\n")
    assert (result.code, len(first.splitlines()) <= 5) == (1, True)
    assert first.startswith("line 4  loss = ")
    assert first.splitlines()[0].endswith("broadcast-loss")
    assert "instead: (x @ w).squeeze(1) - y" in first
    assert rest.startswith("1 finding; gradcli run ")
    assert "printed" not in result.out + result.err


def test_lines_for_editors_and_for_workflows(capsys: pytest.CaptureFixture[str], fault: Path) -> None:
    concise = gradcli(capsys, ["why", str(fault), "--error-format", "concise"])
    assert concise.out.startswith(f"{fault}:4: warning[broadcast-loss] x @ w is (5, 1)")
    annotated = gradcli(capsys, ["why", str(fault), "--format", "github", "--exit-zero"])
    assert (annotated.code, len(annotated.out.splitlines())) == (0, 1)
    assert annotated.out.startswith(f"::warning file={fault},line=4,title=broadcast-loss::x @ w is (5, 1)")


def test_a_run_tells_the_same_first_and_nothing_twice(capsys: pytest.CaptureFixture[str], fault: Path) -> None:
    told = gradcli(capsys, ["why", str(fault)]).out.partition("\n\n")[0]
    assert gradcli(capsys, ["run", str(fault), "--quiet"]).out.startswith(f"{told}\n\nline 2: ")
    findings = json.loads(gradcli(capsys, ["why", str(fault), "--json"]).out)["findings"]
    assert json.loads(gradcli(capsys, ["run", str(fault), "--json"]).out)["findings"] == findings


def test_a_reason_that_a_finding_tells_is_named_at_its_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lost = (
        "import torch\nw = torch.tensor(2.0, requires_grad=True)\nv = w.detach() * w\nv = torch.tensor(v.item() * 2)\n"
    )
    (tmp_path / "lost.py").write_text(f"{lost}(torch.ones(1, requires_grad=True) * v).backward()\nprint(w.grad)\n")
    out = gradcli(capsys, ["run", str(tmp_path / "lost.py"), "--quiet"]).out
    assert "w.grad is None: left-graph, line 4" in out
    assert out.count("item()") == 2  # in the finding, whose line is told once


def test_what_cannot_be_read_exits_with_3(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("x = (1\n")
    assert gradcli(capsys, ["why", str(tmp_path / "broken.py")]).code == 3


def test_an_error_of_the_snippet_is_a_finding(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "stops.py").write_text("import torch\ntorch.ones(2, 3) @ torch.ones(2, 3)\n")
    result = gradcli(capsys, ["why", str(tmp_path / "stops.py")])
    assert (result.code, "stopped" in result.out, result.err) == (1, True, "")


def test_cells_of_notebooks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in FAULT.split("\nloss = ")]
    cells[1]["source"] = f"\nloss = {cells[1]['source']}"
    (tmp_path / "page.ipynb").write_text(
        json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})
    )
    page = str(tmp_path / "page.ipynb")
    assert gradcli(capsys, ["why", page]).out.startswith("cell 2, line 2  loss = ")
    annotated = gradcli(capsys, ["why", page, "--format", "github"]).out
    assert annotated.startswith(f"::warning file={page},title=broadcast-loss::cell 2, line 2: x @ w is (5, 1)")


def test_expressions(capsys: pytest.CaptureFixture[str]) -> None:
    result = gradcli(capsys, ["why", "sqrt(sum(x*x))", "x=[0,0]"])
    assert (result.code, "nan-at-edge" in result.out) == (1, True)
    assert gradcli(capsys, ["why", "x**2", "x=3"]).code == 0


def test_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    codes = gradcli(capsys, "why --codes").out.splitlines()
    assert any(line.startswith("accumulated ") for line in codes)
    page = gradcli(capsys, "why --explain accumulated").out
    assert page.startswith("accumulated (warning): ")
    assert "    loss.backward()" in page
    assert gradcli(capsys, "why --explain acumulated").code == 2
