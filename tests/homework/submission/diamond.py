"""A small question, the right answers to it, and who grades them."""

from __future__ import annotations

from pathlib import Path

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.course.layouts import collected
from gradcli.homework.grading import Grader
from gradcli.homework.model import Result
from gradcli.homework.submission.files import File
from gradcli.homework.submission.submissions import Submission
from gradcli.source import Source

DIAMOND = """\
[[question]]
id = "d"
program = '''
s = x**2
q = (s + 1)*(s - 1)
'''
at.x = 3
ask = ["s", "q", "dq/ds", "dq/dx", "local ds/dx"]
"""
ASKED = ["s", "q", "dq/ds", "dq/dx", "local ds/dx"]
GRADER = Grader(read_assignment(Source(DIAMOND, "week1.toml")))
RIGHT = {"s": "9", "q": "80", "dq/ds": "18", "dq/dx": "108", "local ds/dx": "6"}


def verdicts(result: Result) -> dict[str, str]:
    """Of what was asked."""
    return {answer.quantity: answer.verdict for answer in result.answers if answer.max_points}


def submissions(*paths: Path) -> list[Submission]:
    """Those in files that are named."""
    return [item.read() for item in collected([File(path) for path in paths])]


def from_file(path: Path, content: str | bytes) -> list[Submission]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return submissions(path)


def one(path: Path, content: str | bytes) -> Submission:
    (found,) = from_file(path, content)
    return found
