"""A class whose right numbers are found nowhere but in right answers, and its pages as a browser reads them."""

from __future__ import annotations

from html.parser import HTMLParser

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.disclosure import revealed
from gradcli.homework.grading import Grading
from gradcli.homework.model import Result
from gradcli.homework.submission.submissions import Given, Submission
from gradcli.render.check.student import student_page
from gradcli.render.text.looks import Asked
from gradcli.source import Source

GRADING = Grading(
    read_assignment(
        Source(
            '''\
title = "Week 1"
[[question]]
id = "diamond"
text = "Differentiate q."
program = """
s = x**2
p = s + 1.71
m = s - 3.9
q = p*m
"""
at = { x = 1.37 }
ask = ["s", "p", "m", "q", "dq/ds", "local dq/dp", "dq/dx"]
[[question]]
id = "vectors"
program = "L = sum((a - t)**2*w)"
at = { a = [0.31, 2.19], t = [1.07, -0.53], w = [0.77, 1.9] }
ask = ["L", "dL/da"]
[[question]]
id = "snippet"
script = """
import torch
w = torch.tensor(1.23, requires_grad=True)
y = w*w*w
(y*y).backward()
"""
ask = ["w.grad", "y"]
[[question]]
id = "words"
script = """
import torch
w = torch.tensor(1.23, requires_grad=True)
y = w.detach()*3
(y*w).backward()
"""
ask = ["y.requires_grad", "w.grad"]
''',
            "week1.toml",
        )
    )
)
WRONG = {  # the branch through m alone, a slipped sign, an inner derivative dropped, ...
    "diamond": {"s": "2.74", "p": "9.1", "m": "7.3", "q": "-8.8", "dq/ds": "3.5869", "local dq/dp": "3.5869"},
    "vectors": {"L": "3.3", "dL/da": "[-1.52, 5.44]"},
    "snippet": {"w.grad": "4.5387", "y": "3.69"},
    "words": {"y.requires_grad": "True", "w.grad": "7.38"},
}


def result(answers: dict[str, dict[str, str]] = WRONG, student: str = "ada") -> Result:
    """The result of a student with these answers."""
    given = [Given(question, quantity, text) for question, own in answers.items() for quantity, text in own.items()]
    return GRADING.grader.grade(Submission("class/ada.txt", student, tuple(given)))


def page(found: Result, level: str) -> str:
    """The page of a student at a level of disclosure."""
    return student_page(GRADING, revealed(found, level), Asked())


class Read(HTMLParser):
    """The elements, attributes and texts of a page; those of `<style>` apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.style = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["style"] and not self.style:
            self.style = data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)
