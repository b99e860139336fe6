"""A message is cut where it is too long to read, at one place for every form and every command."""

from __future__ import annotations

import io
import sys

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
