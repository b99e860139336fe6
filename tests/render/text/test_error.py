"""A message is cut where it is too long to read, at one place for every form and every command."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gradcli.errors import LONGEST, EvaluationError
from gradcli.render.text.error import print_error
from gradcli.source import Source, Span
from tests.commands.running import gradcli

FORMS = ["full", "concise", "json", "document"]
WORD = "a" * 50_000
CUT = f" ... ({50_000 - LONGEST:,} characters more)"
MOST = 3 * LONGEST


@pytest.mark.parametrize("form", FORMS)
def test_every_text_of_an_error(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = Source(WORD, "week.toml")
    print_error(EvaluationError("E201", WORD, help=WORD, span=Span(10, 20), source=source, label="here"), form)
    printed = "".join(capsys.readouterr())
    assert printed.count(CUT) == 2
    assert len(printed) < MOST


def test_a_text_that_is_just_short_enough_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(EvaluationError("E201", "a" * LONGEST), "concise")
    assert capsys.readouterr().err == f"error[E201]: {'a' * LONGEST}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["eval", f"{WORD}(1)"], ""),
        (["eval", f"x.{WORD}()", "x=1"], ""),
        (["eval", f"sum(x, '{WORD}')", "x=1"], ""),
        (["eval", f"sum(x, {WORD}=1)", "x=1"], ""),
        (["eval", "+".join(f"x{k}" for k in range(9000))], ""),
        (["eval", f"reshape(x, ({'1, ' * 20_000}))", "x=1"], ""),
        (["eval", f"x + {'9' * 50_000}", "x=1"], ""),
        (["eval", "x", f"x={WORD}"], ""),
        (["eval", "x", "x=1", "--of", WORD], ""),
        (["eval", "x", "x=1", f"--{WORD}"], ""),
        (["eval", "-f", "a" * 3000], ""),
        ([WORD], ""),
        (["ops", WORD], ""),
        (["run", "-"], f"raise ValueError('{WORD}')"),
        (["run", "-"], f"import torch\ntorch.{WORD}"),
        (["run", "-"], f"{WORD} {WORD}"),
        (["batch", "x"], f'{{"x": "{WORD}"}}\n'),
        (["batch", "--each"], f'{{"program": "{WORD}(1)"}}\n'),
        (["check", "-", "--key"], f'[[question]]\nid = "{WORD}"\nprogram = "d = x"\nat = {{x = 1}}\nask = ["e"]\n'),
        (["check", "-", "--key"], f'[[question]]\nid = "q"\n{WORD} = 1\n'),
    ],
    ids=lambda value: f"{' '.join(value)[:20]}" if isinstance(value, list) else value[:30],
)
def test_no_command_prints_a_longer_one(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    found = gradcli(capsys, arguments)
    assert found.code in (2, 3, 4)
    assert len(found.out) + len(found.err) < 3 * MOST


def test_warnings_too(capsys: pytest.CaptureFixture[str]) -> None:
    found = gradcli(capsys, ["eval", "x", "x=1", *(f"y{k}=1" for k in range(2000))])
    assert found.code == 0
    assert "warning: the program does not use y0, y1" in found.err
    assert len(found.err) < MOST


@pytest.mark.slow
def test_errors_of_homework_are_short_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "week.toml"
    file.write_text('[[question]]\nid = "q"\nprogram = "d = x"\nat = { x = 1 }\nask = ["d"]\n')
    answers: dict[str, Any] = {
        "name.txt": f"[q]\nd = {WORD}\n",
        "heading.txt": f"[{WORD}]\nd = 1\n",
        "quantity.txt": f"[q]\n{WORD} = 1\n",
        "broken.txt": f"[q]\nd = 1+{'(' * 5000}\n{WORD}\n",
        "all.json": json.dumps({"q": {WORD: 1, "d": WORD}, WORD: {"x": 2}}),
        "class.csv": f"student,question,quantity,answer\n{WORD},q,d,{WORD}\nb,{WORD},d,2\nc,q,{WORD},1\n",
    }
    for name, text in answers.items():
        (tmp_path / name).write_text(text)
    found = gradcli(capsys, ["check", str(file), "--all", *(str(tmp_path / name) for name in answers)])
    assert found.code == 1
    assert len(found.out) + len(found.err) < 3 * MOST * len(answers)
