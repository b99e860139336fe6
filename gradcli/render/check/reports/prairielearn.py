"""PrairieLearn's `results.json` of an external grader: one submission, one test an answer.

The score is a share. A submission that cannot be read at all is not gradable: it costs its student no attempt.
"""

from __future__ import annotations

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import VERDICTS, Marked, Result
from gradcli.render.check.marking import NAME, clipped, remarks, report
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import plain

MOST = 400  # tests: PrairieLearn takes no file beyond 1 MB


def document(assignment: Assignment, result: Result) -> Document:
    """The report of one submission."""
    lines = remarks(result)
    if result.unreadable:
        return {"gradable": False, "format_errors": lines, "message": "\n".join(lines)}
    share = result.score / result.max_score if result.max_score else float(result.is_right)
    hidden = len(result.answers) - MOST
    if hidden > 0:
        lines.append(f"and {hidden} more answers")
    return {
        "gradable": True,
        "score": plain(min(max(share, 0.0), 1.0)),
        "message": "\n".join(lines),
        "tests": [_test(answer) for answer in result.answers[:MOST]],
    }


def _test(answer: Marked) -> Document:
    question, quantity = (clipped(text, NAME) for text in (answer.question, answer.quantity))
    return {
        "name": f"{question}: {quantity}",
        "description": "",
        "points": plain(answer.points),
        "max_points": plain(answer.max_points),
        "message": VERDICTS[answer.verdict],
        "output": report(answer),
    }
