"""Wrong numbers that a student did not go on with, and gradients that are known under another name."""

from __future__ import annotations

import pytest

from gradcli.guard import guard
from gradcli.homework import key
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.submission.lines import read_lines
from gradcli.source import Source


def verdicts(body: str, *lines: str) -> list[str]:
    grader = Grader(read_assignment(Source(f'[[question]]\nid = "week"\n{body}', "week.toml")))
    result = grader.grade(read_lines("a", "a", "\n".join(("[week]", *lines)), grader.labels))
    return [answer.verdict for answer in result.answers]


SHARED = "program = 'a = x*y; b = a + x; c = a*x; f = b*c + y'\nat = { x = 1.3, y = 2.2 }\n"  # a 2.86, b 4.16, c 3.718


def test_a_right_end_is_right_behind_a_wrong_number() -> None:
    body = SHARED + "ask = ['df/db', 'df/dc', 'df/da', 'df/dx']\n"
    assert verdicts(body, "df/db = 9.9", "df/dc = 4.16", "df/da = 9.126", "df/dx = 35.6928") == [
        "wrong", "correct", "correct", "correct",
    ]  # fmt: skip


def test_a_wrong_number_that_right_ones_do_not_have_is_left_out() -> None:
    body = SHARED + "ask = ['local da/dx', 'df/db', 'df/da', 'df/dx']\n"
    lines = ["local da/dx = 3.0", "df/db = 9.9", "df/da = 9.126", "df/dx = 42.9936"]  # df/da has the right df/db
    assert verdicts(body, *lines) == ["wrong", "wrong", "correct", "carried"]
    lines[2] = "df/da = 5.5"  # nothing shows now that df/db was not gone on with
    lines[3] = "df/dx = 32.1156"
    assert verdicts(body, *lines) == ["wrong", "wrong", "wrong", "wrong"]


def test_the_gradient_of_what_was_only_added_is_that_of_the_sum() -> None:
    body = "program = 'd = x - m; f = d**2'\nat = { x = 2.3, m = 0.6 }\nask = ['df/dx', 'df/dm']\n"
    assert verdicts(body, "df/dx = 1.7", "df/dm = -1.7") == ["wrong", "carried"]


def test_a_value_that_was_changed_in_place_is_gone_on_with() -> None:
    script = "w = torch.tensor(1.4, requires_grad=True)\na = w * 3.0\na.mul_(2.0)\na += w\ny = a**2\ny.backward()"
    body = f'script = """\nimport torch\n{script}\n"""\nask = ["a", "w.grad"]\n'
    assert verdicts(body, "a = 8.4", "w.grad = 117.6") == ["wrong", "carried"]


def test_a_failure_beside_the_sheet_spoils_no_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(key, "in_agreement", fails)
    monkeypatch.setattr(guard, "is_strict", False)
    with pytest.warns(UserWarning, match="a bug in gradcli, ZeroDivisionError in fails"):
        assert verdicts(SHARED + "ask = ['df/da', 'df/db']\n", "df/da = 4.16", "df/db = 3.718") == ["wrong", "correct"]
