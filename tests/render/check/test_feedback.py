"""The page of a student in Markdown has the graphs of the questions too."""

from __future__ import annotations

import re

from gradcli.homework.disclosure import revealed
from gradcli.homework.model import Result
from gradcli.render.check.feedback import feedback_page
from gradcli.render.text.looks import Asked
from tests.render.check.feedback import GRADING, result


def blocks(found: Result, level: str) -> list[str]:
    whole = feedback_page(GRADING, revealed(found, level), Asked())
    return re.findall("```mermaid\n(.*?)\n```", whole, re.DOTALL)


def test_the_graph_of_each_question_follows_its_answers() -> None:
    whole = feedback_page(GRADING, revealed(result(), "rule"), Asked())
    parts = whole.split("\n## ")[1:]
    assert [part.partition(" ")[0] for part in parts] == ["diamond", "vectors", "snippet", "words"]
    assert ["```mermaid" in part for part in parts] == [True, True, True, False]  # the last asks for what it would tell


def test_mistakes_are_marked_as_far_as_the_level_allows() -> None:
    own = {"diamond": {"dq/ds": "3.5869"}}
    drawn = {level: blocks(result(own), level)[0] for level in ("verdict", "node", "rule", "value")}
    assert "e0303a" not in drawn["verdict"]
    assert re.search(r"style n\d stroke:#e0303a", drawn["node"])
    assert "linkStyle" not in drawn["node"]
    (marked,) = re.findall(r"-->\|\"[✗?]1.*", drawn["rule"])
    assert drawn["rule"].count("linkStyle") == 1
    assert "×" not in marked
    assert "×1" in drawn["value"]
    page = feedback_page(GRADING, revealed(result(own), "rule"), Asked())
    assert "**?1** `dq/ds`\n\n- one of these: you kept the branch through m; s also feeds p\n- or" in page
    assert "fanout-overwrite" not in page, "the names of mistakes are for teachers"
