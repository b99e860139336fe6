"""`gradcli run --compare torch`: both sides in one line, or the line at which they differ."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.commands.running import document, gradcli, validator

DIFFERS = "import torch\nx = torch.ones(2)\nprint(x.sum())\nprint(torch.fft.fft(x).real)\n"


@pytest.fixture
def lesson(tmp_path: Path) -> str:
    path = tmp_path / "lesson.py"
    path.write_text("import torch\nw = torch.ones(2, requires_grad=True)\n(w*w).sum().backward()\nprint(w.grad)\n")
    return str(path)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
def test_both_sides(capsys: pytest.CaptureFixture[str], lesson: str, tmp_path: Path) -> None:
    agreed = gradcli(capsys, ["run", lesson, "--compare", "torch", "--json"])
    assert agreed.code == 0
    assert agreed.err == f"note: --compare torch executes {lesson} with torch\n"
    told = document(agreed.out)
    validator("comparison").validate(told)
    assert told["gradcli"] == told["torch"] == {
        "printed": "tensor([2., 2.])\n", "gradients": {"w": [2.0, 2.0]}, "error": None,
    }  # fmt: skip
    other = tmp_path / "other.py"
    other.write_text(DIFFERS)
    differs = gradcli(capsys, ["run", str(other), "--compare", "torch", "--ascii"])
    assert differs.code == 1
    first, source, ours, theirs = differs.out.splitlines()
    assert first.endswith(f" at {other}:4: error")
    assert source == "  4 | print(torch.fft.fft(x).real)"
    assert ours.startswith("  gradcli  ")
    assert theirs.startswith("  torch    ")
    endless = gradcli(capsys, ["run", lesson, "--compare", "torch", "--timeout", "0.01"])
    assert endless.code == 3
    assert "error[E403]: torch takes more than 0.01 s" in endless.err


def test_without_torch(capsys: pytest.CaptureFixture[str], lesson: str, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = type("Done", (), {"stdout": json.dumps({"missing": "torch"}), "returncode": 0})()
    monkeypatch.setattr("gradcli.commands.comparing.subprocess.run", lambda *_, **__: missing)
    result = gradcli(capsys, ["run", lesson, "--compare", "torch"])
    assert result.code == 2
    assert "error[E009]: torch is not installed\n  = help: pip install torch" in result.err


def test_another_library(capsys: pytest.CaptureFixture[str], lesson: str) -> None:
    result = gradcli(capsys, ["run", lesson, "--compare", "jax"])
    assert result.code == 2
    assert "there is no library to compare with: 'jax'" in result.err
