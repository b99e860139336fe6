"""A week of a course: an assignment whose values differ, a roster, and sheets."""

from __future__ import annotations

from functools import cache

from gradcli.homework.assignment.assignments import Assignment, read_assignment
from gradcli.homework.course.roster import Roster, read_roster
from gradcli.homework.course.sheets import handed_out
from gradcli.homework.course.variants import Variants
from gradcli.homework.submission.names import identity
from gradcli.source import Source

SECRET = b"a secret of the course"
WEEK = """\
title = "Week 3"
[[question]]
id = "diamond"
program = '''
s = x**2
p = s + 1
m = s - 1
q = p*m
'''
ask = ["s", "dq/ds", { quantity = "dq/dx", points = 2 }]
[question.at]
x = { choose = [1.3, 1.7, 2.2, 2.6] }
"""
LAYER = """\
[[question]]
id = "layer"
program = '''
z = W @ x + b
L = sum(sigmoid(z))
'''
ask = ["z", "W.grad"]
[question.at]
W = { random = [2, 3], from = [-2, 2], step = 0.5 }
x = { random = [3], from = [-1, 1], step = 0.25 }
b = [0.1, -0.2]
"""
ROSTER = """\
id,name,email,github
ada,Ada Lovelace,ada@x.org,countess
bob,Bob Ross,bob@x.org,happytrees
zoe,"Müller, Zoë",zoe@x.org,zoem
"""


def week(text: str = WEEK + LAYER) -> Assignment:
    return read_assignment(Source(text, "week3.toml"))


def roster(text: str = ROSTER) -> Roster:
    return read_roster(text, "roster.csv")


@cache
def variants() -> Variants:
    """The sheets of the students of the roster."""
    sheets = handed_out(week(), [student.id for student in roster()], SECRET)
    return Variants({identity(sheet.student): sheet for sheet in sheets})
