"""What a level shows, and that nothing it keeps back comes out anywhere."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from gradcli.homework.disclosure import LEVELS, WITHHELD, for_student, revealed
from gradcli.homework.model import Branch, Diagnosis, Marked, Result
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.document import check_document
from gradcli.render.check.page import check_page
from gradcli.render.check.reports.registry import REPORTS
from gradcli.render.text.looks import Looks
from tests.homework.results import ASSIGNMENT, BRANCH, ENDED, LOCAL, PARTLY, results

LESS = LEVELS[:-1]
SECRET = "31337"
TRUTH = np.float64(31337.0)
LEAKY = Result(
    "eve.txt",
    "eve",
    tuple(
        Marked(
            "diamond",
            "dq/ds",
            given,
            expected,
            verdict,
            0.0,
            1.0,
            f"right is {SECRET}",
            (Diagnosis("sign", "s", "-g", "you slipped a sign", f"31337 became {SECRET}", TRUTH, True),),
            (Branch(("q", "s"), TRUTH, True),),
        )
        for verdict in ("wrong", "shape", "precision", "carried")
        for given, expected in (("5", TRUTH), ("[1]", np.full(3, TRUTH)), ("x", f"{SECRET}*x"), ("31337.5", TRUTH))
    ),
)


def everything(result: Result) -> list[str]:
    """All that is ever written of a result."""
    texts = [check_page(result, Looks(), assignment=ASSIGNMENT)]
    texts.append("".join(check_document(ASSIGNMENT, [result], ClassTotals(ASSIGNMENT))))
    return texts + ["".join(report.write(ASSIGNMENT, [result])) for report in REPORTS.values()]


@pytest.mark.parametrize("level", LESS)
def test_nothing_leaks(level: str) -> None:
    own = replace(LEAKY, answers=tuple(a for a in LEAKY.answers if SECRET not in str(a.given)))
    assert any(SECRET in text for text in everything(own))
    assert not any(SECRET in text for text in everything(revealed(own, level)))
    beside = "".join(everything(revealed(LEAKY, level)))  # an answer close to the truth says nothing of the gap
    assert "too large" not in beside
    assert "31337." not in beside.replace("31337.5", "")


@pytest.mark.slow
@settings(max_examples=25)
@given(results())
def test_grades_stay(result: Result) -> None:
    for level in LEVELS:
        shown = revealed(result, level)
        assert (shown.score, shown.max_score, shown.is_right) == (result.score, result.max_score, result.is_right)
        assert [a.verdict for a in shown.answers] == [a.verdict for a in result.answers]
        assert [a.given for a in shown.answers] == [a.given for a in result.answers]
        assert revealed(shown, "value") is shown


def test_levels() -> None:
    wrong = {level: revealed(PARTLY, level).answers[1] for level in LEVELS}
    assert wrong["value"] == PARTLY.answers[1]
    assert all(wrong[level].expected is WITHHELD for level in LESS)
    assert wrong["verdict"].diagnoses == wrong["verdict"].ledger == wrong["node"].ledger == ()
    assert [(one.code, one.rule, one.message) for one in wrong["node"].diagnoses] == [
        ("", "", "look again at s"),
        ("", "", "look again at q"),
    ]
    assert wrong["rule"].diagnoses == (
        replace(BRANCH, rule="", detail="", value=WITHHELD),
        replace(LOCAL, rule="", detail="", value=WITHHELD),
    )
    assert [(branch.path, branch.present) for branch in wrong["rule"].ledger] == [
        (("q", "p", "s"), False),
        (("q", "m", "s"), True),
    ]
    assert all(branch.value is WITHHELD for branch in wrong["rule"].ledger)


def test_what_looks_the_same_is_said_once() -> None:
    several = (replace(BRANCH, certain=False), replace(LOCAL, node="s"), replace(BRANCH, value=np.float64(7)))
    result = replace(PARTLY, answers=(replace(PARTLY.answers[1], diagnoses=several),))
    (once,) = revealed(result, "node").answers[0].diagnoses
    assert (once.message, once.certain) == ("look again at s", True)
    assert [one.code for one in revealed(result, "rule").answers[0].diagnoses] == [
        "fanout-overwrite",
        "local-not-total",
    ]


def test_why_grading_was_ended_is_no_secret() -> None:
    ended = replace(PARTLY, answers=(ENDED,), unreadable="it is empty", reason="memory")
    for level in LESS:
        shown = revealed(ended, level)
        assert (shown.unreadable, shown.reason) == ("it is empty", "memory")
        assert (shown.answers[0].reason, shown.answers[0].remark) == ("time", ENDED.remark)


def test_unknown_level() -> None:
    with pytest.raises(ValueError, match="'all' is none of verdict, node, rule, value"):
        revealed(PARTLY, "all")


def test_what_is_withheld_stays_so_in_another_process() -> None:
    assert pickle.loads(pickle.dumps(WITHHELD)) is WITHHELD


@pytest.mark.parametrize("level", LEVELS)
def test_code_names_are_for_teachers(level: str) -> None:
    def words(result: Result) -> str:
        written = [check_page(result, Looks(), assignment=ASSIGNMENT)]
        for name in ("gradescope", "check50", "junit", "prairielearn"):
            text = "".join(REPORTS[name].write(ASSIGNMENT, [result]))
            written.append(re.sub(r'"(?:mistakes|tags)": \[[^\]]*\]', "", text))  # lists for programs
        return "".join(written)

    assert BRANCH.code in words(PARTLY)
    assert BRANCH.message in words(for_student(PARTLY))
    assert not any(code in words(for_student(revealed(PARTLY, level))) for code in (BRANCH.code, LOCAL.code))
