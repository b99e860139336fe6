"""Answers in words: what a line prints, the error of a snippet, a choice, other texts that are accepted."""

from __future__ import annotations

import pytest

from gradcli.errors import UsageError
from gradcli.homework.answer_file import answers
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.submission.lines import read_lines
from gradcli.source import Source
from tests.homework.asking import assignment, marked

BODY = '''script = """
import torch
w = torch.tensor(3.0, requires_grad=True)
loss = w * w / 7
loss.backward()
print(w.grad, "and", loss.shape)
print("done")
loss.backward()
print("never")
"""
'''
PRINTED = "printed line 5"
TOLD = "RuntimeError: Trying to backward through the graph a second time"


def grader(*asks: str) -> Grader:
    return assignment(f"{BODY}ask = [{', '.join(asks)}]\n")


def verdict(ask: str, label: str, text: str) -> str:
    raises = "" if "raises" in ask else "{ quantity = 'raises' }"
    return marked(grader(*filter(None, (ask, raises))), {label: text})[label].verdict


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("True", "correct"),
        ("no", "wrong"),
        ("RuntimeError", ""),
        ("T", "correct"),
        ("tensor(True)", "correct"),
    ],
)
def test_a_yes_or_no(text: str, expected: str) -> None:
    found = marked(grader("'w.is_leaf'", "{ quantity = 'raises' }"), {"w.is_leaf": text})
    answer = found["w.is_leaf"]
    assert answer.verdict == (expected or "unreadable")
    assert answer.remark == ("" if expected else "neither True nor False")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"tensor(0.8571) and torch.Size([])"', "correct"), ("tensor(0.857143) and torch.Size([])", "correct"),
        ("tensor(0.85) and torch.Size([])", "wrong"), ("tensor(0.8572) and torch.Size([])", "wrong"),
        ("0.8571", "wrong"), ("tensor(0.8571) and torch.Size([1])", "wrong"), ("done", "wrong"),
    ],
)  # fmt: skip
def test_a_printed_text(text: str, expected: str) -> None:
    assert verdict("{ quantity = 'printed', line = 5 }", PRINTED, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RuntimeError", "correct"), ("runtimeerror", "correct"), ("**RuntimeError**", "correct"), (TOLD, "correct"),
        ("Trying to backward through the graph a second time", "correct"), ("RuntimeError:", "correct"),
        ("ValueError", "wrong"), ("Exception", "wrong"), ("a", "wrong"), ("backward", "wrong"), ("no error", "wrong"),
        ("Runtime Error", "correct"), ("a RuntimeError", "correct"), ("it raises a RuntimeError", "correct"),
        (f"throws {TOLD}", "correct"), ("error: RuntimeError", "correct"), ("RuntimeError (freed)", "correct"),
        ("RuntimeError - the graph is gone", "correct"), ("raises a ValueError", "wrong"), ("an error", "wrong"),
        ("RuntimeError: shapes do not match", "wrong"), ("to backward throu", "wrong"),
    ],
)  # fmt: skip
def test_an_error(text: str, expected: str) -> None:
    assert verdict("{ quantity = 'raises' }", "raises", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("no error", "correct"), ("none", "correct"), ("RuntimeError", "wrong")]
)
def test_no_error(text: str, expected: str) -> None:
    body = "script = 'import torch; x = torch.ones(2)'\nask = [{ quantity = 'raises' }]\n"
    assert marked(assignment(body), {"raises": text})["raises"].verdict == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2", "correct"), ("b", "correct"), ("(b)", "correct"), ("2)", "correct"), ("not a leaf", "correct"),
        ("Not a leaf.", "correct"), ("2) not a leaf", "correct"), ("b: not a leaf", "correct"), ("**B**", "correct"),
        ("1", "wrong"), ("no backward yet", "wrong"), ("3", "unreadable"), ("0", "unreadable"), ("leaf", "unreadable"),
        ("1) not a leaf", "unreadable"), ("1 or 2", "unreadable"), ("both", "unreadable"),
    ],
)  # fmt: skip
def test_a_choice(text: str, expected: str) -> None:
    ask = "{ quantity = 'why', choices = ['no backward yet', 'not a leaf'], answer = 2 }"
    assert verdict(ask, "why", text) == expected


@pytest.mark.parametrize(
    ("quantity", "text", "expected"),
    [
        ("loss.grad_fn", "<class 'DivBackward0'>", "correct"), ("loss.grad_fn", "a DivBackward0 node", "correct"),
        ("loss.grad_fn", "DivBackward", "wrong"), ("loss.grad_fn", "DivBackward1", "wrong"),
        ("loss.grad_fn", "MulBackward0", "wrong"), ("w.dtype", "float32", "correct"), ("w.dtype", "float64", "wrong"),
        ("w.expand(2, 3).shape", "torch.size([2, 3])", "correct"), ("w.expand(2, 3).shape", "3 by 2", "wrong"),
    ],
)  # fmt: skip
def test_names_and_sizes_of_torch(quantity: str, text: str, expected: str) -> None:
    assert verdict(f"'{quantity}'", quantity, text) == expected


@pytest.mark.parametrize("text", ["?", "-", "—", "...", "n/a", "N/A.", "I don't know", "idk", "skipped", "="])
@pytest.mark.parametrize("quantity", ["w.grad", "w.is_leaf", "loss.grad_fn"])
def test_a_mark_for_no_answer(quantity: str, text: str) -> None:
    assert verdict(f"'{quantity}'", quantity, text) == "missing"


@pytest.mark.parametrize(
    ("lines", "label", "expected"),
    [
        ("5", "printed", "correct"),
        ("5", "output", "correct"),
        ("56", "printed", "missing"),
        ("56", "line 5", "correct"),
    ],
)
def test_the_only_line_that_is_asked_for_needs_no_number(lines: str, label: str, expected: str) -> None:
    asks = (f"{{ quantity = 'printed', line = {line} }}" for line in lines)
    text = f"[q]\n{label} = tensor(0.8571) and torch.Size([])\n"
    read = grader(*asks, "{ quantity = 'raises' }")
    found = read.grade(read_lines("s.txt", "s", text, read.labels))
    assert found.answers[0].verdict == expected


@pytest.mark.parametrize(("text", "expected"), [("torch.Size([])", "correct"), ("scalar", "correct"), ("()", "correct"),
                                                ("[]", "correct"), ("[1]", "shape"), ("0", "shape")])  # fmt: skip
def test_an_empty_size_and_texts_that_are_accepted(text: str, expected: str) -> None:
    assert verdict("{ quantity = 'loss.shape', accept = ['a scalar', 'Scalar'] }", "loss.shape", text) == expected


def test_the_key_gets_full_marks() -> None:
    made = grader("'w.grad'", "'loss.shape'", "{ quantity = 'printed', line = 5 }", "{ quantity = 'printed' }",
                  "{ quantity = 'raises' }", "{ quantity = 'why', choices = ['a', 'b'], answer = 2 }")  # fmt: skip
    found = marked(made, {name: " ".join(text.split()) for name, text in answers(made.keys["q"]).items()})
    assert {answer.verdict for answer in found.values()} == {"correct"}


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ("{ quantity = 'w', line = 5 }", "a line is the number of one that prints"),
        ("{ choices = ['a', 'b'] }", "no choice is the right one"),
        ("{ choices = ['a', 'b'], answer = 3 }", "no choice is the right one"),
        ("{ choices = ['a'], answer = 1 }", "there are 1 choices"),
        ("{ choices = ['a', 'A'], answer = 1 }", "two choices are the same"),
        ("{ quantity = 'w', answer = 1 }", "an answer goes with choices"),
        ("{ quantity = 'w', accept = 'x' }", "accept is 'x'"),
    ],
)
def test_asks_that_are_refused(ask: str, said: str) -> None:
    raises = "" if ask == "'w'" else "{ quantity = 'raises' }"
    with pytest.raises(UsageError, match=r"(?s).+") as caught:
        grader(*filter(None, (ask, raises)))
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [("[grading]\ncarry_share = 2", "carry_share is 2"), ("[grading]\nentries = 'some'", "entries is 'some'"),
     ("[input]\nstrict = 1", "strict is 1"), ("[input]\nloose = true", "[input] has no loose"),
     ("input = 3", "input is a table")],
)  # fmt: skip
def test_settings_that_are_refused(text: str, said: str) -> None:
    from gradcli.homework.assignment.assignments import read_assignment
    from gradcli.source import Source

    source = Source(f"{text}\n[[question]]\nid = 'q'\nprogram = 'q = 1'\nask = ['q']\n", "week.toml")
    with pytest.raises(UsageError) as caught:
        read_assignment(source)
    assert said in caught.value.message


KINK = """
[[question]]
id = "kink"
program = "q = abs(x)"
at = { x = 0 }
ask = [{ quantity = "dq/dx", undefined = true }, "q"]
"""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("existiert nicht", "correct"),
        ("DNE", "correct"),
        ("undefined or 0", "wrong"),
    ],
)
def test_that_there_is_no_number_may_be_the_right_answer(text: str, verdict: str) -> None:
    grader = Grader(read_assignment(Source(KINK, "week.toml")))
    answers = grader.grade(read_lines("a", "a", f"[kink]\ndq/dx = {text}\nq = {text}", grader.labels)).answers
    assert answers[0].verdict == verdict
    assert answers[1].verdict == ("correct" if text == "0" else answers[1].verdict)
    assert text == "0" or answers[1].verdict != "correct"
