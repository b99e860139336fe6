"""Sheets: the same for the same student, other for others, and none that lets a wrong method through."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from gradcli.errors import UsageError
from gradcli.homework.course.sheets import Sheets, example, handed_out, read_secret
from gradcli.homework.course.variants import Variants
from gradcli.homework.lint.lint import findings
from tests.homework.course.weeks import LAYER, SECRET, WEEK, variants, week


def drawn(*students: str, text: str = WEEK + LAYER, secret: bytes = SECRET) -> list[dict[str, dict[str, object]]]:
    sheets = handed_out(week(text), students, secret)
    return [{id: {n: np.asarray(v).tolist() for n, v in at.items()} for id, at in s.values.items()} for s in sheets]


def test_a_sheet_follows_from_secret_assignment_and_student_alone() -> None:
    """These values stay what they are under every version of Python and numpy: what is handed out is not derived again,
    but a sheet that is lost can be."""
    (ada,) = drawn("ada")
    assert ada == {
        "diamond": {"x": 2.6},
        "layer": {"W": [[-0.5, 1.5, -0.5], [1.5, -1.5, -1.0]], "x": [-0.5, -1.0, -0.5]},
    }
    assert drawn("bob", "Ada ") == [*drawn("bob"), ada], "whoever else is in the course, in whichever spelling"
    others = [
        *drawn("eve"),
        *drawn("ada", secret=b"another secret"),
        *drawn("ada", text=f"{WEEK}{LAYER}".replace("3", "4", 1)),
    ]
    assert all(other["layer"] != ada["layer"] for other in others)


SNIPPET = """
[[question]]
id = "loop"
script = '''
import torch
w, n = torch.tensor([1.5, -0.5], requires_grad=True), 2  # é
lr = 0.1; v = torch.tensor([[0.5],
    [1.5]], requires_grad=True)  # é
for y in range(3):
    y = 4
    (lr * v * v * y).sum().backward()
    lr = 0.7
'''
ask = ["v.grad"]
[question.at]
v = { random = [2, 1], from = [-2, 2], step = 0.5 }
lr = { choose = [0.2, 0.3] }
y = { choose = [4, 5, 6.5] }
"""


def test_whole_numbers_are_chosen_for_a_tensor_as_others_are() -> None:
    text = SNIPPET.replace(
        "v = { random = [2, 1], from = [-2, 2], step = 0.5 }", "v = { choose = [[[3], [7]], [[7], [3]]] }"
    )
    (sheet,) = handed_out(week(text), ["ada"], SECRET)
    moved = sheet.of(week(text)).questions[0].source.text
    assert re.search(r"v = torch.tensor\(\[\[(3.0\], \[7|7.0\], \[3).0\]\]", moved)
    assert re.search(r"y = (4|5|6.5)\n", moved)


def test_a_snippet_that_does_not_run_with_a_value_does_not_get_it() -> None:
    text = SNIPPET.replace("y = 4\n", "y = [0][4]\n").replace("y = { choose = [4, 5, 6.5] }\n", "")
    with pytest.raises(UsageError, match=r"no value of the .* tried is fit for a sheet: .*index out of range"):
        drawn("ada", text=text)


@pytest.mark.slow
def test_every_sheet_passes_lint() -> None:
    assignment = week()
    for sheet in handed_out(assignment, map(str, range(3)), SECRET):
        assert list(findings(sheet.of(assignment))) == []
    assert list(findings(example(assignment))) == []


MASKED = (
    """
[[question]]
id = "masked"
program = """
    + "'Z = X @ W + b; A = relu(Z); L = mean((A - Y)**2)'"
    + """
ask = ["Z", "dL/dA", "dL/dZ", "dL/dW", "dL/db"]
[question.at]
X = { random = [2, 3], from = [-2, 2], step = 0.5 }
W = { random = [3, 2], from = [-1, 1], step = 0.1 }
b = [0.1, -0.2]
Y = [[1, 0], [0, 1]]
"""
)


def test_a_layer_with_a_mask_has_a_sheet_for_each_student() -> None:
    """Which mistakes are alike whatever the values depends on what the mask lets through: it differs by sheet."""
    sheets = Sheets(week(MASKED))
    values = [repr(sheets.of(SECRET, "week", student)) for student in ("ada", "bob", "eve", "ida")]
    assert len(set(values)) == 4
    assert len(sheets.questions["masked"].tried) < 100


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "[1.3, 1.7, 2.2, 2.6]",
            "[2, -2]",
            "is fit for a sheet: s is 4: one digit.*also comes out if",
        ),
        ("[1.3, 1.7, 2.2, 2.6]", "[1, -1]", "m is 0"),
        ("q = p*m", "q = p*m + sigmoid(30*x)", "sigmoid.* is saturated"),
        ("q = p*m", "q = p*m + relu(-x)", "lets nothing through"),
    ],
)
def test_values_of_which_none_will_do_say_why(old: str, new: str, told: str) -> None:
    text = WEEK.replace(old, new)
    with pytest.raises(UsageError, match=told) as refused:
        drawn("ada", text=text)
    assert refused.value.span is not None
    assert text.startswith("x", refused.value.span.start)
    assert refused.value.help == "give it other values"
    assert example(week(text)).questions[0].at["x"] in (2, -2, 1, -1, 1.3, 1.7, 2.2, 2.6)


def test_whether_there_is_one_good_value_alone_is_known() -> None:
    for values, is_alone in (("[1, 2.2, -1]", True), ("[1, 2.2, 1.3]", False), ("[1.7, 2.2]", False)):
        sheets = Sheets(week(WEEK.replace("[1.3, 1.7, 2.2, 2.6]", values)))
        for number in range(40):
            sheets.of(SECRET, "week", str(number))
        assert sheets.questions["diamond"].is_alone == is_alone


def test_what_was_handed_out_stays() -> None:
    """Whoever comes later gets a new sheet, and the others have theirs, whatever the secret is now."""
    found = list(handed_out(week(), ["ada", "late", "bob"], b"lost, and made anew", variants()))
    assert [sheet.student for sheet in found] == ["ada", "late", "bob"]
    assert found[::2] == [variants().of("ada"), variants().of("bob")]
    assert [sheet.student for sheet in variants().without(["Ada", "bob"])] == ["zoe"]


@pytest.mark.parametrize(
    ("text", "told"), [("", "secret is empty"), (" \n", "secret is empty"), ("1234567\n", "fewer than 8")]
)
def test_a_secret_that_is_guessed(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as refused:
        read_secret(text, "secret")
    assert "openssl rand -hex 16 > secret" in refused.value.help
    assert read_secret(" 12345678\n", "secret") == b"12345678"
    assert Variants().of("ada") is None


LOSS = {
    "program": "program = 'L = mean(d**POWER)'\nask = ['dL/dd']\n",
    "snippet": 'script = """\nimport torch\nd = torch.tensor([1.5, -0.5], requires_grad=True)\n'
    '(d**POWER).mean().backward()\n"""\nask = [\'d.grad\']\n',
}


def loss(kind: str, power: int, at: str) -> str:
    text = LOSS[kind].replace("POWER", str(power))
    return f"[[question]]\nid = 'error'\n{text}[question.at]\nd = {at}\n"


@pytest.mark.parametrize("kind", LOSS)
@pytest.mark.parametrize(("entries", "is_told"), [(2, True), (3, False)])
def test_mistakes_that_are_alike_whatever_the_values_are_named(kind: str, entries: int, is_told: bool) -> None:
    """With two entries the factor 2 and 1/n cannot be told apart: every value would do as little as another."""
    question = loss(kind, 2, f"{{ random = [{entries}], from = [1, 5], step = 0.5 }}")
    sheets = Sheets(week(question))
    assert len(list(handed_out(week(question), ["ada", "bob"], SECRET, sheets=sheets))) == 2
    told = sheets.lasting.get("error", [])
    assert bool(told) is is_told
    assert all("(mean-n, power-rule); another number of entries would do" in one for one in told)


@pytest.mark.parametrize("kind", LOSS)
def test_mistakes_that_are_alike_at_some_values_alone_give_another_sheet(kind: str) -> None:
    """At (2, 2) the exponent that was kept is as much as the 1/n that was forgotten, and nowhere else."""
    question = loss(kind, 3, "{ choose = [[2, 2], [1.3, 2.6]] }")
    sheets = Sheets(week(question))
    drawn = [sheet.values["error"]["d"] for sheet in handed_out(week(question), "abcdef", SECRET, sheets=sheets)]
    assert [np.asarray(value).tolist() for value in drawn] == [[1.3, 2.6]] * 6
    assert not sheets.lasting
    none = week(question.replace("[1.3, 2.6]", "[2, 2.0]"))
    with pytest.raises(UsageError, match=r"no value of its 2 .* is the same if .* \(mean-n, power-rule\)"):
        next(handed_out(none, ["ada"], SECRET))


@pytest.mark.parametrize("kind", LOSS)
def test_a_mistake_of_the_teacher_gives_no_right_answer_on_a_sheet(kind: str) -> None:
    of = "dL/dd" if kind == "program" else "d.grad"
    mistake = f"[[mistake]]\nof = '{of}'\nis = 'IS'\nsay = 'you squared'\ncode = 'squared'\n"
    question = loss(kind, 2, "{ choose = [[1.7, 1.7, 1.7], [1.3, 2.6, 0.7]] }") + mistake
    by_chance = week(question.replace("IS", "d**2/2.55"))
    (sheet,) = handed_out(by_chance, ["ada"], SECRET)
    assert np.asarray(sheet.values["error"]["d"]).tolist() == [1.3, 2.6, 0.7]
    other = by_chance.questions[0].moved({"d": np.array([1.7, 1.7, 1.7])})
    (found,) = findings(replace(by_chance, questions=(other,)))
    assert found.code == "collision"
    assert "also comes out if you compute d**2/2.55 (squared)" in found.message
    sheets = Sheets(week(question.replace("IS", "d*2/3")))
    assert len(list(handed_out(by_chance, ["ada", "bob"], SECRET, sheets=sheets))) == 2
    told = f"d*2/3 is no mistake: it gives the right {of} whatever the values (squared)"
    assert sheets.lasting == {"error": [f"{told}; mend the formula of [[mistake]]"]}
