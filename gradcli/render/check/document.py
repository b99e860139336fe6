"""The document of `gradcli check --json`, schema `gradcli.check/1`, written submission by submission."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradcli.homework.assignment.outline import Asked, Outline
from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.model import Branch, Diagnosis, Marked, Result, Value
from gradcli.homework.totals import ClassTotals, Mistake
from gradcli.render.check.marking import sentence
from gradcli.render.documents.explanation import Document
from gradcli.render.text.looks import Looks
from gradcli.stream.values import Json, dump, plain

LONGEST = 10_000  # characters of a text from a submission
LOOKS = Looks()


def check_document(
    outline: Outline, results: Iterable[Result], totals: ClassTotals, *, ascii: bool = False
) -> Iterator[str]:
    """The parts of the document in turn; each result is counted in `totals` and then forgotten.

    `ok` comes last, for only then is it known. All parts make one line.
    """
    head = dump({"schema": "gradcli.check/1", "assignment": _assignment(outline)}, ascii=ascii)
    yield f'{head[:-1]}, "submissions": ['
    for count, result in enumerate(results):
        totals.add(result)
        yield ", " * (count > 0) + dump(submission(result), ascii=ascii)
    foot = dump({"mistakes": [_mistake(one) for one in totals.mistakes], "ok": totals.is_right}, ascii=ascii)
    yield f"], {foot[1:]}\n"


def submission(result: Result) -> Document:
    """One submission with its answers."""
    return {
        "file": _text(result.file),
        "student": _text(result.student),
        "score": plain(result.score),
        "max_score": plain(result.max_score),
        "answers": [_answer(answer) for answer in result.answers],
        "remarks": [_text(remark) for remark in result.remarks],
    }


def _assignment(outline: Outline) -> Document:
    return {
        "title": outline.title,
        "file": outline.file,
        "max_score": plain(outline.max_score),
        "questions": [_question(question) for question in outline.questions],
    }


def _question(question: Asked) -> Document:
    return {
        "id": question.id,
        "text": question.text,
        "quantities": list(question.quantities),
        "max_score": plain(question.max_score),
    }


def _answer(answer: Marked) -> Document:
    return {
        "question": _text(answer.question),
        "quantity": _text(answer.quantity),
        "given": None if answer.given is None else _text(answer.given),
        "expected": _value(answer.expected),
        "verdict": answer.verdict,
        "points": plain(answer.points),
        "max_points": plain(answer.max_points),
        "remark": _text(answer.remark),
        "diagnoses": [_diagnosis(one) for one in answer.diagnoses],
        "ledger": [_branch(branch) for branch in answer.ledger],
    }


def _diagnosis(diagnosis: Diagnosis) -> Document:
    return {
        "code": diagnosis.code,
        "node": _text(diagnosis.node),
        "rule": _text(diagnosis.rule),
        "message": _text(sentence(diagnosis)),
        "value": _value(diagnosis.value),
        "certain": bool(diagnosis.certain),
    }


def _branch(branch: Branch) -> Document:
    return {
        "path": [_text(name) for name in branch.path],
        "value": _value(branch.value),
        "present": bool(branch.present),
    }


def _mistake(mistake: Mistake) -> Document:
    return {
        "code": mistake.code,
        "title": mistake.title,
        "students": mistake.students,
        "answers": mistake.answers,
        "questions": [{"question": question, "answers": answers} for question, answers in mistake.questions],
    }


def _value(value: Value) -> Json:
    """A number or nested lists, true or false, a text; null for None and for what is not shown."""
    if value is WITHHELD:
        return None
    return _text(value) if isinstance(value, str) else plain(value)


def _text(text: str) -> str:
    """A text, cut where somebody wrote megabytes."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + LOOKS.ellipsis
