"""`gradcli practice`: at a terminal, in a pipe, and for other front ends."""

from __future__ import annotations

import io
import json
import os
import re
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gradcli.homework.practice.topics import ORDER
from gradcli.render.documents.schemas import schema
from tests.commands.running import ROOT, Result, document, gradcli
from tests.commands.served import served
from tests.commands.streams.test_streams import QUIET, at_terminal

DIAMOND = """
title = "A diamond"
[[question]]
id = "diamond"
text = "s is used\\ntwice."
program = "s = x**2; p = s + 1.5; m = s - 0.7; q = p*m"
at.x = 1.7
ask = ["dq/ds", { quantity = "dq/dx", form = "expression", points = 2 }]
"""
SEED = ["--seed", "7"]


def practised(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, typed: str | bytes, *arguments: str
) -> Result:
    data = typed.encode() if isinstance(typed, str) else typed
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
    return gradcli(capsys, ["practice", *arguments])


@pytest.fixture
def diamond(tmp_path: Path) -> str:
    (tmp_path / "diamond.toml").write_text(DIAMOND, encoding="utf-8")
    return str(tmp_path / "diamond.toml")


def value_of_x(text: str) -> float:
    (found,) = re.findall(r"at x = (\S+)", text)
    return float(found)


@pytest.mark.slow
def test_a_session_in_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, diamond: str) -> None:
    x = value_of_x(practised(capsys, monkeypatch, "", diamond, *SEED).out)
    typed = f"{x * x + 1.5!r}\n?\n?\n{2 * x * x + 0.8!r}\n2*x*(p + m)\n"
    result = practised(capsys, monkeypatch, typed, diamond, *SEED)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "A diamond   2 to answer"
    assert "s is used twice." in lines
    asked = [line for line in lines if line.startswith("[")]
    assert asked[:3] == [f"[1/2] dq/ds = {x * x + 1.5!r}", "[1/2] dq/ds = ?", "[1/2] dq/ds = ?"]
    assert asked[-1] == "[2/2] a formula for dq/dx = 2*x*(p + m)"
    told = [line.strip() for line in lines if line.startswith("  ")]
    assert "✗ not right; another try, or ? for more" in told
    assert any("look again at s" in line for line in told)
    assert any("you kept the branch through m" in line for line in told)
    assert told.count("✓ right") == 2
    assert lines[-3:] == [
        "2.5 of 3 points",
        "1 right at once, 1 right with help, for half the points",
        "--seed 7 asks the same questions again",
    ]


def test_a_matrix_may_have_several_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An empty line, or the end, ends what was never closed."""
    file = tmp_path / "matrix.toml"
    file.write_text('[[question]]\nid = "m"\nscript = "m = [[1, 2], [3, 4]]"\nask = ["m"]\n', encoding="utf-8")
    for typed, told in (("[[1. 2.]\n [3. 4.]]\n", "✓ right"), ("[[1, 2]\n\n", "unclosed"), ("(1.5", "unclosed")):
        assert told in practised(capsys, monkeypatch, typed, str(file), "--count", "1").out


def test_hints_before_an_answer_and_the_derivation_after_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule, the symbols, the numbers; the result stands only where the answer is over."""
    out = practised(capsys, monkeypatch, "?\n?\n?\n0.001\n\n", "chain", "--seed", "3", "--count", "1").out
    hints, _, end = out.partition("not right")
    assert "Put the values into the line of u." in hints
    assert "u = c·x + 1\n" in hints
    assert "u = c·x + 1 = 4.5·1.6 + 1\n" in hints
    assert "8.2" not in hints
    assert "u = c·x + 1 = 4.5·1.6 + 1 = 8.2\n" in end
    helped = practised(capsys, monkeypatch, "?\n8.2\n", "chain", "--seed", "3", "--count", "1").out
    assert "0.5 of 1 points\n1 right with help, for half the points\n" in helped


def test_the_topics(capsys: pytest.CaptureFixture[str]) -> None:
    page = gradcli(capsys, "practice").out
    assert [line.split()[0] for line in page.splitlines()[1:-1]] == list(ORDER)
    (record,) = records(gradcli(capsys, "practice --json").out)
    assert [one["name"] for one in record["topics"]] == list(ORDER)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("chian", "E008", "did you mean chain?"),
        ("nothing-of-it", "E008", "the topics are chain, fan-out"),
        ("week.toml", "E003", "week.toml"),
        ("-", "E014", "give the assignment as a file"),
        ("chain --count 0", "E001", "0"),
        ("chain --seed -1", "E001", "-1"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], arguments: str, code: str, says: str) -> None:
    result = gradcli(capsys, f"practice {arguments}")
    assert (result.code, result.out) == (2, "")
    assert code in result.err
    assert says in result.err


@pytest.mark.slow
def test_anything_can_be_typed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, diamond: str
) -> None:
    lines = [b"\xff\xfe", b"\x1b[31m", b"a" * 200_000, "\u202e∂".encode(), b"[[["]
    result = practised(capsys, monkeypatch, b"\n".join(lines) + b"\n", diamond, *SEED)
    assert (result.code, result.err) == (0, "")
    assert result.out.count("cannot be read") == len(lines) - 1
    assert not {"\x1b", "\u202e"} & set(result.out)


def test_a_wrong_assignment_is_told_before_anything(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Also where it is the second question that has no answer."""
    bad = DIAMOND.replace("p*m", "p*k")
    for text in (bad, DIAMOND + bad.replace('"diamond"', '"other"')):
        (tmp_path / "bad.toml").write_text(text.replace('title = "A diamond"', ""), encoding="utf-8")
        result = gradcli(capsys, ["practice", str(tmp_path / "bad.toml")])
        assert (result.code, result.out) == (2, "")
        assert "E022" in result.err


def test_the_records_of_the_guide_are_those_of_a_session() -> None:
    guide = (ROOT / "samples" / "homework" / "README.md").read_text(encoding="utf-8")
    asked, typed = re.findall(r"^\{.*\}$", guide.partition("## Practice")[2], re.MULTILINE)
    (found,) = records(asked)
    assert found["kind"] == "ask"
    assert list(json.loads(typed)) == ["answer"]


def records(text: str) -> list[dict[str, Any]]:
    """The records of a session, each after its schema; an answer in one after that of `gradcli check --json`."""
    whole = json.loads(schema("check"))
    answer = jsonschema.Draft202012Validator({"$ref": "#/$defs/answer", "$defs": whole["$defs"]})
    found = [document(line) for line in text.splitlines()]
    for one in found:
        if "answer" in one:
            answer.validate(one["answer"])
    return found


def test_records(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, diamond: str) -> None:
    hint, right = {"hint": True}, {"answer": "2*x*(p+m)"}
    moves: list[Any] = [hint, {"answer": 3.5}, hint, hint, "no move", {"answer": True}, right]
    typed = "".join(f"{json.dumps(move)}\n" for move in moves)
    result = practised(capsys, monkeypatch, typed, diamond, *SEED, "--json")
    assert (result.code, result.err) == (0, "")
    found = records(result.out)
    kinds = [one.get("kind", one["schema"]) for one in found]
    error = "gradcli.error/1"
    assert kinds == ["question", "ask", "nothing", "told", "told", "told", "ask", error, error, "told", "score"]
    assert [one["level"] for one in found if one.get("kind") == "told"] == ["verdict", "rule", "value", "verdict"]
    over = found[5]
    x = found[0]["at"]["x"]
    assert over["is_over"]
    assert over["answer"]["expected"] == pytest.approx(2 * x * x + 0.8)
    assert found[3]["answer"]["expected"] is None
    assert {name: found[-1][name] for name in ("points", "max_points", "seed", "is_complete")} == {
        "points": 2.0,
        "max_points": 3.0,
        "seed": 7,
        "is_complete": True,
    }


def test_choices_are_shown_and_taken_by_their_number(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "leaf.toml"
    question = 'script = "x = 2"\nask = [{ quantity = "Is x a leaf?", choices = ["no", "it is none"], answer = 2 }]\n'
    file.write_text(f"[[question]]\n{question}", encoding="utf-8")
    out = practised(capsys, monkeypatch, "2\n", str(file)).out
    assert "1 no\n" in out
    assert "2 it is none\n" in out
    assert "1 right at once" in out
    found = records(practised(capsys, monkeypatch, '{"answer": "it is none"}\n', str(file), "--json").out)
    assert found[1]["choices"] == ["no", "it is none"]
    assert found[2]["is_right"]


class Terminal:
    """A pseudo-terminal with a session in it: what it shows is waited for, and never a time."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.shown = ""

    def until(self, text: str = "\0", again: str = "") -> str:
        """Read until a text is shown, or to the end, and return all that is new.

        Where nothing comes for a second, `again` is typed: Python's readline loses a signal just before it waits.
        """
        seen = len(self.shown)
        while text not in self.shown[seen:]:
            while again and not select.select([self.descriptor], [], [], 1)[0]:
                self.type(again)
            try:
                part = os.read(self.descriptor, 2**16)
            except OSError:  # the end, on Linux
                break
            if not part:
                break
            self.shown += part.decode()
        assert text == "\0" or text in self.shown[seen:], self.shown
        return self.shown[seen:].replace("\r\n", "\n")

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())


@contextmanager
def terminal(*arguments: str, code: int = 0, columns: int = 80, **environment: str) -> Iterator[Terminal]:
    """Run a session in a terminal of so many columns; it ends with the code."""
    pid, descriptor = at_terminal([*served(), "practice", *arguments], columns, environment)
    try:
        yield Terminal(descriptor)
    finally:
        os.close(descriptor)
        status = os.waitpid(pid, 0)[1]
    assert os.waitstatus_to_exitcode(status) == code


@pytest.mark.slow
def test_a_session_at_a_terminal(diamond: str) -> None:
    with terminal(diamond, *SEED, "--color", "never") as screen:
        x = value_of_x(screen.until("dq/ds = "))
        screen.type(f"{x * x + 1.5}\n")
        assert "✗ not right" in screen.until("dq/ds = ")
        for expected in ("look again at s", "you kept the branch through m"):
            screen.type("?\n")
            assert expected in screen.until("dq/ds = ")
        screen.type("?\n")
        assert f"right is {2 * x * x + 0.8:.6g}" in screen.until("dq/dx = ")
        screen.type("\n")
        rest = screen.until()
        assert "right is " in rest
        assert "0 of 3 points\n2 given up\n" in rest


@pytest.mark.slow
def test_a_line_can_be_edited_and_got_again(diamond: str) -> None:
    left, up, end = "\x1b[D", "\x1b[A", "\x05"
    with terminal(diamond, *SEED, "--color", "never") as screen:
        x = value_of_x(screen.until("dq/ds = "))
        wrong, right = f"{x * x + 1.5:.4f}", f"{2 * x * x + 0.8:.4f}"
        screen.type(f"{wrong}\n")
        assert "✗ not right" in screen.until("dq/ds = ")
        screen.type(f"{up}{end}{chr(127) * len(wrong)}{right[1:]}{left * (len(right) - 1)}{right[0]}\n")
        assert "✓ right" in screen.until("dq/dx = ")
        screen.type("\x04")
        screen.until()


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_gives_the_score_so_far(diamond: str) -> None:
    with terminal(diamond, *SEED, code=-signal.SIGINT) as screen:
        x = value_of_x(re.sub("\x1b[^m]*m", "", screen.until("dq/ds = ")))
        screen.type(f"{2 * x * x + 0.8}\n")
        screen.until("dq/dx = ")
        screen.type("\x03")
        rest = re.sub("\x1b[^m]*m", "", screen.until(again="\x03"))
        assert "\n\n1 of 1 points\n1 right at once\n" in rest
        assert "Traceback" not in screen.shown
        assert "\x1b[32m" in screen.shown, "a terminal has colour"


@pytest.mark.slow
def test_a_front_end_talks_record_by_record(diamond: str) -> None:
    """Each record is there when its answer is awaited, though both ends are pipes."""
    command = [*served(), "practice", diamond, *SEED, "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(QUIET)) as session:
        assert session.stdin
        assert session.stdout
        for _ in range(2):
            while json.loads(session.stdout.readline())["kind"] != "ask":
                pass
            session.stdin.write(b'{"give_up": true}\n')
            session.stdin.flush()
            assert json.loads(session.stdout.readline())["is_over"]
        assert json.loads(session.stdout.readline())["kind"] == "score"
