"""Work on an assignment in a process of its own, whose answers are of one kind."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.errors import EvaluationError
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.worker import in_worker
from gradcli.source import Source
from gradcli.workers.limits import Limits

WEEK = "[[question]]\nid = 'q'\nprogram = 'z = x*y'\nat = { x = 2, y = 3 }\nask = ['dz/dx']\n"
LIMITS = Limits(10.0, 2**36)  # what the tests before have taken counts, too


def told(item: Any, kind: Any) -> Any:
    (answer,) = in_worker(lambda one: one, [item], read_assignment(Source(WEEK)), LIMITS, kind)
    return answer


@pytest.mark.parametrize(
    ("answer", "kind", "other"),
    [
        ("a page", str, 5),
        (("ada", ["page"]), tuple[str, list[str]], ("ada", "page")),
        (("a prompt", "", False, ""), tuple[str, str, bool, str], ("a prompt", "", 2**100, "")),
        ({"ok": True}, str | dict[str, Any], [True]),
    ],
)
def test_an_answer_of_another_kind_is_none(answer: Any, kind: Any, other: Any) -> None:
    assert told(answer, kind) == answer
    with pytest.raises(EvaluationError, match="the answers cannot be computed: it crashes"):
        told(other, kind)
