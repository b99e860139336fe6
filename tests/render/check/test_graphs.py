"""The graphs of questions: how large they may be, and how marks look."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.disclosure import revealed
from gradcli.homework.grading import Grading
from gradcli.homework.submission.submissions import Given, Submission
from gradcli.render.check.feedback import feedback_page
from gradcli.render.check.graphs import TOO_LARGE, drawn, sketches, told
from gradcli.render.check.student import student_page
from gradcli.render.display_options import Asked
from gradcli.source import Source
from tests.render.check.feedback import GRADING, result

SVG = "{http://www.w3.org/2000/svg}"


def test_a_graph_that_is_too_large_is_said_to_be() -> None:
    long = f'[[question]]\nid = "long"\nprogram = "y = {"*".join(["x"] * 70)}"\nat = {{ x = 1.01 }}\nask = ["y"]\n'
    grading = Grading(read_assignment(Source(long, "long.toml")))
    found = grading.grader.grade(Submission("a.txt", "ada", (Given("long", "y", "3"),)))
    for page in (student_page, feedback_page):
        whole = page(grading, revealed(found, "rule"), Asked())
        assert TOO_LARGE in whole
        assert "<svg" not in whole


def test_without_a_graph_there_is_no_mark() -> None:
    """The graph of a snippet tells the answers that are words."""
    script = "import torch\nw = torch.tensor(1.7, requires_grad=True)\ny = w**3\ny.backward()"
    text = f"[[question]]\nid = 'w'\nscript = '''\n{script}'''\nask = ['w.grad', 'y.grad_fn']\n"
    grading = Grading(read_assignment(Source(text, "w.toml")))
    found = grading.grader.grade(Submission("a.txt", "ada", (Given("w", "w.grad", "-8.67"),)))
    for page in (student_page, feedback_page):
        for level, is_drawn in (("rule", False), ("value", True)):
            whole = page(grading, revealed(found, level), Asked())
            assert "look again" in whole or "sign" in whole
            assert bool(re.search(r"[✗?]1", whole)) == is_drawn


def test_marked_edges_are_broad_and_their_marks_are_labels() -> None:
    answers = [answer for answer in revealed(result(), "rule").answers if answer.question == "diamond"]
    marks = told(answers)
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
