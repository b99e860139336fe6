"""Whole hand-ins in the layouts that students give them: every answer reaches its question."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from gradcli.homework.grading import Grader
from gradcli.homework.submission.lines import read_lines
from tests.homework.asking import assignment
from tests.homework.course import pages
from tests.programs import some

ASSIGNMENT = """program = "s = x**2; p = s + 1; m = s - 1; q = p*m"
at = { x = 2 }
ask = ["s", "dq/ds", "local ds/dx", { quantity = "dq/dx", form = "expression" }]
[[question]]
id = "layer"
program = "Z = X @ W; L = sum(Z**2)"
at = { X = [[1.0, 2.0], [3.0, -1.0]], W = [[0.5], [-1.5]] }
ask = ["Z", "dL/dW", "dL/dX"]
"""
FIRST = "q"
RIGHT = {
    FIRST: {"s": "4", "dq/ds": "8", "local ds/dx": "4", "dq/dx": "4*x^3"},
    "layer": {"Z": "[[-2.5], [3.0]]", "dL/dW": "[[13.0], [-16.0]]", "dL/dX": "[[-2.5, 7.5], [3.0, -9.0]]"},
}
Line = Callable[[str, str], str]
HEADINGS: dict[str, Callable[[int, str], str]] = {
    "brackets": lambda number, name: f"[{name}]",
    "number and name": lambda number, name: f"Question {number} ({name})",
    "short number": lambda number, name: f"Q{number} - {name}",
    "list": lambda number, name: f"{number}. {name}",
    "list with a bracket": lambda number, name: f"{number}) {name}:",
    "number alone": lambda number, name: f"Question {number}",
    "quotes": lambda number, name: f'Exercise "{name}"',
    "underlined": lambda number, name: f"{name}\n=======",
    "between signs": lambda number, name: f"== {name} ==",
    "angles": lambda number, name: f"<{name}>",
    "section": lambda number, name: rf"\section*{{Question {name}}}",
    "lenticular": lambda number, name: f"【{name}】",
    "html": lambda number, name: f"<h2>{name}</h2>",
    "table": lambda number, name: f"## {name}\n\n| quantity | answer |\n|:--|--:|",
}
LINES: dict[str, Line] = {
    "equals": lambda label, text: f"{label} = {text}",
    "bold with its colon": lambda label, text: f"- **{label}:** {text}",
    "checked": lambda label, text: f"- [x] {label} = {text}",
    "twice bulleted": lambda label, text: f"* a) {label} = {text}",
    "item": lambda label, text: rf"\item ${label} = {text}$",
    "displayed": lambda label, text: rf"\[ {label} = {text} \]",
    "aligned": lambda label, text: rf"{label} &= {text} \\",
    "wide": lambda label, text: f"{label} ＝ {text}",
    "wide colon": lambda label, text: f"{label}：{text}",
    "underscores": lambda label, text: f"{label.replace('/', '_').replace(' ', '_')} = {text}",
    "no slash": lambda label, text: f"{label.replace('/', '')} = {text}",
    "words": lambda label, text: f"{in_words(label)}: {text}",
    "below": lambda label, text: f"{label} =\n    {text}",
    "paragraph": lambda label, text: f"<p>{label} = {text}</p>",
    "row": lambda label, text: f"| `{label}` | {text} |",
    "local derivative": lambda label, text: f"{label.replace('local', 'local derivative')} = {text}",
    "at a point": lambda label, text: f"{label}{'(2)' if label == 's' else ''} = {text}",
}


def in_words(label: str) -> str:
    of, _, by = label.partition("/d")
    return f"the gradient of {of[1:]} with respect to {by}" if label.startswith("d") else label


@pytest.fixture(scope="module")
def grader() -> Grader:
    return assignment(ASSIGNMENT)


def sheet(heading: str, line: str) -> str:
    parts = []
    for number, (name, answers) in enumerate(RIGHT.items(), 1):
        parts += [HEADINGS[heading](number, name), *(LINES[line](*one) for one in answers.items())]
    return "\n".join(parts)


@pytest.mark.parametrize(
    ("heading", "line"), [*((one, "equals") for one in HEADINGS), *(("brackets", one) for one in LINES)]
)
def test_every_answer_reaches_its_question(heading: str, line: str, grader: Grader) -> None:
    result = grader.grade(read_lines("ada.txt", "ada", sheet(heading, line), grader.labels))
    assert {(one.question, one.quantity): one.verdict for one in result.answers} == {
        (name, label): "correct" for name, answers in RIGHT.items() for label in answers
    }
    assert not result.remarks


@pytest.mark.parametrize("mark", [";", ",", "\t"])
def test_rows_of_a_table_without_a_header(mark: str, grader: Grader) -> None:
    rows = [f"{name}{mark} {label}{mark} {text}" for name, answers in RIGHT.items() for label, text in answers.items()]
    result = grader.grade(read_lines("ada.txt", "ada", "\n".join(rows), grader.labels))
    assert {one.verdict for one in result.answers} == {"correct"}


@pytest.mark.parametrize("label", ["dq/dss", "dz/ds", "dq/ds/dx", "ds/dq", "- dq"])
def test_a_label_that_is_another_one_is_not_taken(label: str, grader: Grader) -> None:
    result = grader.grade(read_lines("ada.txt", "ada", f"[{FIRST}]\n{label} = 8", grader.labels))
    assert {one.verdict for one in result.answers if one.question == FIRST and one.max_points} == {"missing"}


@pytest.mark.parametrize("seed", some(range(8), 3))
def test_pages_of_courses_in_ten_languages(seed: int) -> None:
    grader = assignment(pages.ASSIGNMENT)
    for draw in (Random(10 * seed + nth) for nth in range(10)):
        text, expected = pages.page(draw)
        found = grader.grade(read_lines("ada.txt", "ada", text, grader.labels))
        verdicts = {(one.question, one.quantity): one.verdict for one in found.answers if one.max_points}
        assert verdicts.keys() == expected.keys()
        for place, is_right in expected.items():
            wanted = (
                ("missing",) if is_right is None else ("correct", "precision") if is_right else ("wrong", "unreadable")
            )
            assert verdicts[place] in wanted, (place, text)
