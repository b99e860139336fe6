"""What cannot have a part in an answer leaves it as it is, whatever number a student has there."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.solve.carried import is_still, passed_on
from gradcli.homework.solve.recomputing import bears, recomputed
from gradcli.homework.submission.numerals import Typed
from gradcli.source import Source

QUESTIONS = {
    "program = 's = x**2; p = s + y; m = s*y; q = p*m'\nat = { x = 2, y = 3 }": (
        ["s", "p", "m", "q", "local ds/dx", "local dm/ds", "dq/dp", "dq/dm", "dq/ds", "dq/dx", "dq/dy"],
    ),
    "program = 'h = W @ x + b; y = relu(h); L = sum((y - t)**2)'\n"
    "at = { W = [[1.5, -2.0], [0.5, 0.25]], x = [2, 3], b = [0.5, 0.1], t = [1, 2] }": (
        ["h", "y", "L", "dL/dy", "dL/dh", "dL/dW", "dL/db", "dL/dx"],
    ),
    "program = 'p = softmax(z, dim=0); L = -sum(y*log(p))'\nat = { z = [0.5, 1.5, -1.0], y = [0, 1, 0] }": (
        ["p", "L", "dL/dz"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", QUESTIONS)
def test_what_does_not_bear_on_an_answer_changes_nothing(body: str) -> None:
    (asked,) = QUESTIONS[body]
    text = f'[[question]]\nid = "q"\n{body}\nask = {asked}\n'
    (key,) = Grader(read_assignment(Source(text, "class.toml"))).keys.values()
    seen = set()
    for (_, problem), (quantity, other) in permutations(key.problems.items(), 2):
        assert problem is not None
        assert other is not None
        wrong = {quantity: (other, Typed(np.asarray(other.truth * 1.3 + 0.7)[()]))}
        with np.errstate(all="ignore"):
            found = recomputed(problem, {**passed_on(wrong), **wrong})
        is_changed = found is not None and not is_still(found, problem.truth)
        assert bears(problem, other) or not is_changed, (problem.by, quantity)
        seen.add((bears(problem, other), is_changed))
    assert (True, True) in seen
