"""Questions for other tools: read as Moodle imports them, and answered with right and wrong numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from gradcli.homework.answer_file import answers
from gradcli.homework.assignment.assignments import Assignment, read_assignment
from gradcli.homework.expected_answers import Foreseen, foreseen
from gradcli.homework.grading import Grader
from gradcli.render.check.reports.registry import QUESTIONS
from gradcli.source import Source, visible
from tests.homework.results import NASTY
from tests.render.check.reports.importers import Imported, graded, read_gift, read_xml

SAMPLES = Path(__file__).parents[4] / "samples" / "homework"
READERS: dict[str, Callable[[str], Iterator[Imported]]] = {"moodle": read_xml, "gift": read_gift}
HOSTILE = r"""
title = "Week 1/2 ]]> <b> {1:NUMERICAL:=1} ~=#:"
[[question]]
id = "a::b }~=<i>"
text = '''
// no comment ]]></text> {1:NUMERICAL:=7} &lt;b&gt; \n \\ ~ = # : [plain]
$CATEGORY: mine

::other::2 + 2 {#4}
'''
program = "y = where(x < 3, x**2, x) + sum(W) # {~=}"
at = { x = 1.7, W = [[1.2, 3.4], [-2.3, 4.1]] }
ask = ["y", "dy/dx", "dy/dW", { quantity = "dy/dx ", form = "expression" }]
[[question]]
id = "words"
script = "import torch\na = torch.tensor(2., requires_grad=True)\nb = a*3\nt = '* -> }'\ns = 'a * b ~ c'"
ask = ["b.grad", "b.grad_fn", "b.requires_grad", "t", "s"]
""".replace(', { quantity = "dy/dx ", form = "expression" }', "")
FORMULA = """
[[question]]
id = "f"
program = "y = x**2*exp(x)"
at.x = 1.3
ask = [{ quantity = "dy/dx", form = "expression", points = 3 }]
"""


def assignment(text: str) -> Assignment:
    return read_assignment(Source(text, "week1.toml"))


def questions(name: str, grader: Grader, level: str = "rule") -> list[Imported]:
    return list(READERS[name]("".join(QUESTIONS[name](grader.assignment, foreseen(grader.assignment, level)))))


def fields(found: list[Imported]) -> dict[str, list[Imported]]:
    """The questions by quantity; GIFT has one an entry."""
    by_name: dict[str, list[Imported]] = {}
    for one in found:
        by_name.setdefault(one.name, []).append(one)
    return by_name


@pytest.fixture(scope="module")
def chain_rule() -> Grader:
    file = SAMPLES / "chain_rule.toml"
    return Grader(read_assignment(Source(file.read_text(encoding="utf-8"), file.name)))


@pytest.fixture(scope="module")
def expected(chain_rule: Grader) -> list[Foreseen]:
    return list(foreseen(chain_rule.assignment, "rule"))


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_right_and_wrong_answers(chain_rule: Grader, expected: list[Foreseen], name: str) -> None:
    """Every right answer has the full mark, and the answer of every mistake none, with a feedback that names it."""
    imported = READERS[name]("".join(QUESTIONS[name](chain_rule.assignment, expected)))
    boxes = [box for one in imported for box in one.boxes or [one.answers] if one.kind != "essay"]
    entries = [numbers for one in expected for _, numbers in one.entries]
    assert len(boxes) == len(entries) > 20
    mistakes = 0
    for box, numbers in zip(boxes, entries, strict=True):
        for place, number in enumerate(numbers):
            for off in (0.0, 0.9, -0.9):
                found = graded(box, repr(float(number.value) + off * number.tolerance))
                assert found is not None
                assert found.fraction == (0.0 if place else 1.0)
                assert place == 0 or number.verdict.diagnoses[0].message in found.feedback
            mistakes += place > 0
        other = graded(box, repr(2 * max(float(n.value) for n in numbers) + 17.7))
        assert other is not None
        assert (other.text, other.fraction) == ("*", 0.0)
    assert mistakes > 60


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_that_grading_takes_is_taken(chain_rule: Grader, expected: list[Foreseen], name: str) -> None:
    """The key of the assignment, and the same rounded to three digits, unless a mistake is nearer than that."""
    found = READERS[name]("".join(QUESTIONS[name](chain_rule.assignment, expected)))
    imported = {one.name: one for one in found if one.kind == "numerical"}
    for id, key in chain_rule.keys.items():
        for quantity, text in answers(key).items():
            one = imported.get(f"{id}: {quantity}")
            for typed in {text, f"{float(text):.3g}"} if one else ():
                assert one is not None
                taken = graded(one.answers, typed)
                assert taken is not None
                assert taken.fraction == 1.0


@pytest.mark.parametrize("name", QUESTIONS)
def test_nothing_from_outside_is_read_as_a_question(name: str) -> None:
    grader = Grader(assignment(HOSTILE))
    text = "".join(QUESTIONS[name](grader.assignment, foreseen(grader.assignment, "rule")))
    assert "\x00" not in text
    found = questions(name, grader)
    first, *_ = found
    assert first.name.startswith("a::b }~=<i>: y")
    for part in ("// no comment ]]></text> {1:NUMERICAL:=7} &lt;b&gt; \\n \\\\ ~ = # : [plain]", "$CATEGORY: mine"):
        assert part in first.text
    assert "::other::2 + 2 {#4}" in first.text
    assert "x < 3" in first.text
    entries = 4 if name == "gift" else 1
    assert len(found) == 2 + entries + 5
    kinds = [one.kind for one in found]
    assert kinds[2] == ("numerical" if name == "gift" else "cloze")
    words = {one.name: one for one in found if one.kind == "shortanswer"}
    for quantity, right in (("b.grad", "None"), ("b.grad_fn", "MulBackward0"), ("s", "a * b ~ c")):
        answers = words[f"words: {quantity}"].answers
        assert [getattr(graded(answers, typed), "fraction", None) for typed in (right, "else")] == [1.0, 0.0]


@pytest.mark.parametrize("name", QUESTIONS)
def test_any_text_is_shown_as_it_is(name: str) -> None:
    """In the title, the id, the text and the program; what acts on a terminal or a parser is written out."""
    grader = Grader(assignment(FORMULA.replace('{ quantity = "dy/dx", form = "expression", points = 3 }', '"y"')))
    (one,) = foreseen(grader.assignment, "rule")
    for text in NASTY:
        source = Source(f"# {text}\n{one.question.source.text}", "program")
        asked = replace(one.question, id=text or "1", text=f"a {text} z", source=source)
        titled = replace(grader.assignment, title=text)
        (found,) = READERS[name]("".join(QUESTIONS[name](titled, [replace(one, question=asked)])))
        lines = "\n".join(map(visible, f"a {text} z".splitlines()))
        assert lines in found.text
        assert visible(text.splitlines()[-1] if text else "") in found.text.partition(lines)[2]
        assert [answer.fraction for answer in found.answers].count(1) == 1


WORDS = r"""
[[question]]
id = "words"
script = "import torch\nx = torch.ones(2, requires_grad=True)\nprint(x.sum().size())"
ask = [
  { quantity = "printed", line = 3, accept = ["size *"] },
  { quantity = "Is x a leaf?", choices = ["no ~ {=", "yes < 2", "= never", "%50% of it"], answer = 2 },
]
"""


@pytest.mark.parametrize("name", QUESTIONS)
def test_words_and_choices(name: str) -> None:
    printed, choice = questions(name, Grader(assignment(WORDS)))
    assert printed.kind == "shortanswer"
    assert "printed line 3, by print(x.sum().size()) = ?" in printed.text
    for typed, fraction in (("torch.Size([])", 1), ("size *", 1), ("size 2", 0)):
        found = graded(printed.answers, typed)
        assert found is not None
        assert found.fraction == fraction
    assert choice.kind == "multichoice"
    texts = [unescape(answer.text) for answer in choice.answers]
    assert texts == ["no ~ {=", "yes < 2", "= never", "%50% of it"]
    assert [answer.fraction for answer in choice.answers] == [0, 1, 0, 0]


ERRORS = """
[[question]]
id = "errors"
script = "import torch\\nw = torch.ones(2)\\nfor n in range(2):\\n    print(n,  'of 2')\\nEND"
ask = ["printed", "raises"]
"""


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize(
    ("end", "typed"),
    [("w.sum().backward()", ["RuntimeError", "runtimeerror"]), ("print('->')", ["no error", "None", "nothing"])],
)
def test_what_is_printed_and_raised_can_be_typed_on_one_line(name: str, end: str, typed: list[str]) -> None:
    printed, raises = questions(name, Grader(assignment(ERRORS.replace("END", end))))
    for found, texts in ((printed, ["0 of 2 1 of 2" + " ->" * ("->" in end)]), (raises, typed)):
        for text, fraction in (*((text, 1) for text in texts), ("ValueError", 0), ("1 of 2", 0)):
            told = graded(found.answers, text)
            assert found.kind == "essay" or (told and told.fraction == fraction)
    assert (printed.kind == "essay") is (name == "gift" and "->" in end), "GIFT would make pairs of it"
    assert all("\n" not in answer.text for answer in (*printed.answers, *raises.answers))


@pytest.mark.slow
def test_feedback_tells_as_much_as_asked_for(chain_rule: Grader) -> None:
    own = replace(chain_rule.assignment, questions=chain_rule.assignment.questions[:1])
    told = {
        level: [a.feedback for one in questions("gift", Grader(own), level) for a in one.answers]
        for level in ("verdict", "node", "value")
    }
    assert set(told["verdict"]) <= {"", "right", "not right", "not right, and by no mistake that is known"}
    assert any("look again at" in text for text in told["node"])
    assert any("which adds 24" in text for text in told["value"])


VARYING = """
title = "Week 1"
[[question]]
id = "a/b"
program = "y = x**2*exp(x)"
at.x = { random = [], from = [-1, 2], step = 0.1 }
ask = ["y", "dy/dx"]
[[question]]
id = "same"
program = "y = x**2*exp(x)"
at.x = 1.3
ask = ["y"]
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_values_that_vary_give_versions(name: str) -> None:
    """Each with its own right answer, in a category from which a quiz draws one."""
    own = assignment(VARYING)
    text = "".join(QUESTIONS[name](own, foreseen(own, "rule")))
    found = list(READERS[name](text))
    paths = re.findall(r"\$course\$/top/[^<\n]*", text)
    assert paths == [f"$course$/top/Week 1{group}" for group in ("/a//b: y", "/a//b: dy//dx", "")]
    names = [one.name for one in found]
    assert names == [f"a/b: {quantity} ({n})" for quantity in ("y", "dy/dx") for n in range(1, 9)] + ["same: y"]
    assert len({one.text for one in found[:8]}) == len({one.answers[0].text for one in found[:8]}) == 8
