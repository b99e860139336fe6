"""Sheets in every form: the values of the student, a blank for every answer, and nothing of the key."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from gradcli.commands.forms import FORMS, HANDOUT, renderer
from gradcli.homework.answer_file import answers
from gradcli.homework.assignment.assignments import Assignment, read_assignment
from gradcli.homework.grading import Grader, labels_of
from gradcli.homework.submission.lines import read_lines
from gradcli.homework.submission.submissions import read_text
from gradcli.render.text.looks import Looks, asked
from gradcli.source import Source
from tests.commands.running import ROOT
from tests.homework.course.weeks import variants, week
from tests.render.latex.compiling import compiled

FORMATS = [name for name, form in FORMS.items() if HANDOUT in form.renderers]
SAMPLES = [ROOT / "samples/homework/chain_rule.toml", ROOT / "samples/homework/autograd.toml"]
NASTY = "100% \\input{/etc/passwd} $x$ & # _ <script> | `` [x](y) {unbalanced \u202e"


def sample(file: Path) -> Assignment:
    return read_assignment(Source(file.read_text(encoding="utf-8"), file.name))


ASSIGNMENTS = [variants().sheets["ada"].of(week()), *map(sample, SAMPLES)]


def written(form: str, assignment: Assignment, whose: str = "Ada (ada)") -> str:
    return renderer(HANDOUT, form)(assignment, whose, asked(Looks(), standalone=True))


def test_there_is_every_form() -> None:
    assert FORMATS == ["text", "markdown", "html", "latex"]


@pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda one: one.title)
@pytest.mark.parametrize("form", FORMATS)
def test_a_sheet_has_every_question_and_no_answer(form: str, assignment: Assignment) -> None:
    text = written(form, assignment)
    numbers = set(re.findall(r"(?<![\w.])-?\d+\.\d{3,}", text))
    for id, key in Grader(assignment).keys.items():
        assert id in text.replace("\\_", "_")
        for right in answers(key).values():
            assert not numbers & set(re.findall(r"-?\d+\.\d{3,}", right)), right
    assert "Ada (ada)" in text


@pytest.mark.parametrize("form", FORMATS)
def test_a_sheet_says_what_else_an_answer_may_be_called(form: str) -> None:
    ask = "{ quantity = 'dy/dx', label = 'slope', form = 'expression' }, { quantity = 'y', label = 'height' }"
    text = f"[[question]]\nid = 'q'\nprogram = 'y = x**2'\nat = {{ x = 3 }}\nask = [{ask}]\n"
    sheet = written(form, read_assignment(Source(text, "week.toml")))
    assert "1 point, a formula, also called slope" in sheet
    assert "1 point, also called height" in sheet


@pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda one: one.title)
def test_the_text_is_an_answer_file(assignment: Assignment) -> None:
    """Handed in as it is, every answer is missing and nothing else is said; filled in, it is read."""
    grader, text = Grader(assignment), written("text", assignment)
    for read in (read_text("ada.txt", "ada", text), read_lines("ada.txt", "ada", text, labels_of(assignment))):
        result = grader.grade(read)
        assert {answer.verdict for answer in result.answers} == {"missing"}
        assert result.remarks == ()
    right = iter([answer for key in grader.keys.values() for answer in answers(key).values()])
    filled = re.sub(r"^([^#\n].*=)$", lambda found: f"{found[1]} {next(right)}", text, flags=re.MULTILINE)
    assert grader.grade(read_text("ada.txt", "ada", filled)).score == assignment.max_score


@pytest.mark.parametrize("form", FORMATS)
def test_choices_stand_on_the_sheet_and_not_which_is_right(form: str) -> None:
    ask = '{ choices = ["a leaf", "no leaf"], answer = 2 }, { quantity = "raises", accept = ["RuntimeError"] }'
    asked_for = f'[[question]]\nid = "q"\nscript = "y = 1"\nask = ["y", {ask}]\n'
    question = read_assignment(Source(asked_for, "w.toml"))
    found = written(form, question)
    assert "1 point, (1) a leaf or (2) no leaf" in found
    assert "choice" in found
    assert "RuntimeError" not in found


@pytest.mark.parametrize("form", FORMATS)
def test_the_line_that_prints_stands_on_the_sheet(form: str) -> None:
    """Nobody counts the lines, of which empty ones at the beginning are not shown."""
    script = r'script = "\n\nimport torch\n\nprint(torch.ones(2))"'
    asked_for = f'[[question]]\nid = "q"\n{script}\nask = [{{ quantity = "printed", line = 5 }}]\n'
    found = written(form, read_assignment(Source(asked_for, "w.toml")))
    assert "1 point, by print(torch.ones(2))" in found.replace("\\", "")


@pytest.mark.parametrize("form", FORMATS)
def test_a_name_of_several_lines_stands_on_one(form: str) -> None:
    question = '[[question]]\nid = "q"\nprogram = "y = x**2"\nat = { x = 2 }\nask = ["y"]\n'
    found = written(form, read_assignment(Source(question, "w.toml")), "Ada\n[d]\ns = 9")
    assert "x0a" not in found
    assert "Ada" in found
    assert not re.search(r"^s = 9", found, re.MULTILINE)


@pytest.mark.parametrize("form", FORMATS)
def test_what_the_texts_hold_is_text(form: str) -> None:
    program = 'program = "y = x**2"\nat = { x = 2 }\nask = ["y"]\n'
    source = Source(f'[[question]]\nid = "q"\ntext = {json.dumps(NASTY)}\n{program}', "w.toml")
    found = written(form, read_assignment(source), NASTY)
    assert "\u202e" not in found
    assert ("<script>" in found) == (form == "text")
    assert ("\\input" in found) == (form in ("text", "html"))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    assert compiled(written("latex", ASSIGNMENTS[0], NASTY), tmp_path) == ""
