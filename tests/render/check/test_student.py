"""The page of a student has what the level of disclosure allows, and no markup but its own."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradcli.commands.forms import FOLDER, forms, renderer
from gradcli.homework.disclosure import LEVELS, revealed
from gradcli.homework.model import CREDITED, Marked
from gradcli.render.page.document import digest
from gradcli.render.text.looks import Asked
from tests.render.check.feedback import GRADING, WRONG, Read, page, result

HOSTILE = [
    "<script>alert(1)</script>",
    "</style></svg></title><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "javascript:alert(1)",
    "]]><b>&lt;&amp;",
    "\u202eabc\x1b[31m",
    "a" * 400,
]


def truths(answer: Marked) -> list[str]:
    """The first digits of a right answer, in each way that a page may write it."""
    if isinstance(answer.expected, str | bool | np.bool_):
        return []
    return [f"{abs(float(entry)):.6g}"[:5] for entry in np.ravel(np.asarray(answer.expected))]


@pytest.mark.parametrize("form", forms(FOLDER))
@pytest.mark.parametrize("level", LEVELS)
def test_no_right_number_is_in_a_page_below_value(form: str, level: str) -> None:
    found = result()
    wrong = [answer for answer in found.answers if answer.verdict not in CREDITED]
    typed = " ".join(answer.given or "" for answer in found.answers)  # which they may read again
    secrets = [secret for answer in wrong for secret in truths(answer) if secret not in typed]
    assert len(secrets) >= 8
    whole = renderer(FOLDER, form)(GRADING, revealed(found, level), Asked())
    text = re.sub("<style>.*?</style>", "", whole, flags=re.DOTALL)  # whatever an attribute or a title holds
    if level == "value":
        assert all(secret in text for secret in secrets)
    else:
        assert [secret for secret in secrets if secret in text] == []


def test_every_place_of_a_mistake_is_in_its_graph() -> None:
    placed = 0
    for answer in result().answers:
        key = GRADING.grader.keys[answer.question]
        problem = key.problems[next(ask.quantity for ask in key.question.asks if ask.written == answer.quantity)]
        for one in answer.diagnoses:
            assert problem is not None
            assert one.vertex is not None
            assert one.node in (problem.label(one.vertex), "")
            assert {*one.edges} <= {*problem.graph.edges}
            placed += len(one.edges)
    assert placed


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_outside_is_markup(text: str) -> None:
    plain = Read(page(result(), "rule"))
    given = {"diamond": {**WRONG["diamond"], "s": text, text: "1"}, text: {"y": text}}
    found = result(given, text)
    whole = page(found, "rule")
    read = Read(whole)
    assert {*read.tags} <= {*plain.tags, "ul", "li"}
    assert {name for name, _ in read.attributes} <= {name for name, _ in plain.attributes}
    assert not re.search(r"[\u202e\x1b]", whole)
    assert "href" not in {name for name, _ in read.attributes}


def test_a_page_runs_nothing_and_loads_nothing() -> None:
    read = Read(page(result(), "rule"))
    attributes = dict(read.attributes)
    assert "script" not in read.tags
    assert attributes["content"]
    policy = next(value for _, value in read.attributes if value and value.startswith("default-src"))
    assert policy.startswith(f"default-src 'none'; style-src {digest(read.style)};")
    assert not {"src", "href", "style", "id"} & {name for name, _ in read.attributes}
    assert not re.search(r"url\(|@import|<!--", read.style + read.text)
