"""The graphs of questions: how large they may be, and how marks look."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from gradcli.homework.disclosure import revealed
from gradcli.render.check.graphs import drawn, numbered, sketches
from gradcli.render.text.looks import Asked
from tests.render.check.feedback import GRADING, result

SVG = "{http://www.w3.org/2000/svg}"


def test_marked_edges_are_broad_and_their_marks_are_labels() -> None:
    answers = [answer for answer in revealed(result(), "rule").answers if answer.question == "diamond"]
    marks = numbered(answers)
    (found,) = sketches(GRADING.grader.keys["diamond"], answers, marks, Asked())
    assert found is not None
    edges = [arc for arc in found.arcs if arc.is_marked]
    assert edges
    picture = ElementTree.fromstring(drawn(found, Asked()))
    texts = {text.text for text in picture.iter(f"{SVG}text")}
    assert {arc.label for arc in edges} <= texts
    broad = [path for path in picture.iter(f"{SVG}path") if path.get("stroke-width") == "3"]
    assert len(broad) == len(edges)
    assert {one.mark for one in marks if one.diagnosis.edges or one.diagnosis.vertex is not None} <= {
        mark for text in texts for mark in (text or "").removesuffix(" here").split(", ")
    }
