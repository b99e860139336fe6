"""The table of mistakes: by code and kind of quantity, without a name."""

from __future__ import annotations

from dataclasses import replace

from gradcli.homework.model import STRANGER
from gradcli.homework.statistics.mistake_counts import MistakeCounts
from gradcli.homework.submission.submissions import read_text
from gradcli.render.check.reports.gradebook import mistake_counts
from tests.homework.asking import assignment

BODY = "program = 'u = 3*x + 1; q = u**4'\nat = { x = 0.7 }\nask = ['u', 'dq/dx', 'dq/du']\n"
ANSWERS = ["u = 3.1\ndq/dx = 119.164\ndq/du = 4.7", "u = 3.1\ndq/dx = 119.164", "u = what"]


def test_the_mistakes_of_a_class_by_kind_of_quantity() -> None:
    grader = assignment(BODY)
    counts = MistakeCounts(grader.assignment)
    results = [grader.grade(read_text("", f"ada{n}", f"[q]\n{text}\n")) for n, text in enumerate(ANSWERS)]
    for result in [*results, replace(results[0], remarks=(STRANGER,))]:
        counts.add(result)
    text = "".join(mistake_counts(counts))
    assert "inner-dropped,gradient,number,scalar,2," in text
    assert "unknown,gradient,number,scalar,1,0,3" in text
    assert "ada" not in text
