"""Gradescope's `results.json`: one submission, one test an answer.

Every text is marked as plain: Gradescope would read the text of the whole submission as HTML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import CREDITED, Marked, Result
from gradcli.render.check.marking import NAME, clipped, mistakes, remarks, report
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import plain


def document(assignment: Assignment, result: Result) -> Document:
    """The report of one submission."""
    return {
        "score": plain(result.score),
        "output": "\n".join(remarks(result)),
        "output_format": "text",
        "tests": [_test(answer, number) for answer, number in zip(result.answers, _numbers(result), strict=True)],
    }


def _numbers(result: Result) -> Iterator[str]:
    """`2.1` is the first answer to the second question."""
    questions: dict[str, int] = {}
    answers: Counter[str] = Counter()
    for answer in result.answers:
        question = questions.setdefault(answer.question, len(questions) + 1)
        answers[answer.question] += 1
        yield f"{question}.{answers[answer.question]}"


def _test(answer: Marked, number: str) -> Document:
    question, quantity = (clipped(text, NAME) for text in (answer.question, answer.quantity))
    return {
        "name": f"{question}: {quantity}",
        "number": number,
        "score": plain(answer.points),
        "max_score": plain(answer.max_points),
        "status": "passed" if answer.verdict in CREDITED else "failed",
        "output": report(answer),
        "output_format": "text",
        "tags": [question, answer.verdict],
        "visibility": "visible",
        "extra_data": {
            "question": question,
            "quantity": quantity,
            "verdict": answer.verdict,
            "mistakes": mistakes(answer),
            "reason": answer.reason,
        },
    }
