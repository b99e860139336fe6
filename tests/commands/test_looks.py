"""Colour, width and symbols: what decides, in order."""

from __future__ import annotations

import io
import os
import termios
from typing import ClassVar

import pytest

from gradcli.render.text.looks import looks, wants_color
from tests.commands.running import gradcli

CASES = [  # the option, the environment, whether it is a terminal, whether there is colour
    ("auto", {}, True, True),
    ("auto", {}, False, False),
    ("always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
    ("never", {"FORCE_COLOR": "1"}, True, False),
    ("auto", {"NO_COLOR": "1"}, True, False),
    ("auto", {"NO_COLOR": ""}, True, True),
    ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, True, False),
    ("auto", {"FORCE_COLOR": "1"}, False, True),
    ("auto", {"FORCE_COLOR": "0"}, True, False),
    ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
    ("auto", {"CLICOLOR_FORCE": "0"}, True, False),
    ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
    ("auto", {"TERM": "dumb"}, True, False),
]


class Stream(io.StringIO):
    encoding: ClassVar[str] = "utf-8"

    def __init__(self, terminal: bool, encoding: str = "utf-8") -> None:
        super().__init__()
        self.terminal = terminal
        type(self).encoding = encoding

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize(("choice", "environment", "terminal", "expected"), CASES)
def test_colour(
    monkeypatch: pytest.MonkeyPatch, choice: str, environment: dict[str, str], terminal: bool, expected: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_color(choice, terminal) == expected


@pytest.mark.parametrize(
    ("encoding", "ascii"), [("utf-8", False), ("UTF8", False), ("ascii", True), ("latin-1", True), ("cp1252", True)]
)
def test_symbols_that_the_stream_cannot_write_are_spelt_out(encoding: str, ascii: bool) -> None:
    found = looks(color="auto", ascii=False, stream=Stream(True, encoding))
    assert found.ascii == ascii


def test_a_pager_has_the_width_of_the_terminal_that_errors_go_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which a pseudo-terminal stands for."""
    controller, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (24, 63))
    with os.fdopen(controller), os.fdopen(terminal, "w") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        assert looks(color="always", ascii=False, stream=Stream(False)).width == 63
        assert looks(color="auto", ascii=False, stream=Stream(False)).width is None
        monkeypatch.setenv("CLICOLOR_FORCE", "1")
        assert looks(color="auto", ascii=False, stream=Stream(False)).width == 63
    monkeypatch.setattr("sys.stderr", Stream(False))
    assert looks(color="always", ascii=False, stream=Stream(False)).width is None


def test_a_pipe_never_wraps(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    wide = gradcli(capsys, ["eval", "+".join(f"x*{n}" for n in range(2, 80)), "x=1"]).out
    monkeypatch.setenv("COLUMNS", "20")
    assert gradcli(capsys, ["eval", "+".join(f"x*{n}" for n in range(2, 80)), "x=1"]).out == wide
    assert max(map(len, wide.splitlines())) > 300


@pytest.mark.parametrize("text", ["[red]x[/red]", "[bold]", "[/]", ":smile:"])
def test_nothing_from_outside_is_markup(capsys: pytest.CaptureFixture[str], text: str) -> None:
    result = gradcli(capsys, ["eval", f"mse_loss(x, 1, reduction='{text}')", "x=1", "--color", "always"])
    assert f"error[E300]: {text} is not a valid value" in result.err
    commented = gradcli(capsys, ["eval", f"x + 1 # {text}", "x=1"])
    assert commented.code == 0
