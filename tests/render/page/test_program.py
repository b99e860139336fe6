"""The step page of a program as a file: what it holds and allows, and that nothing from outside is markup in it."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache

import pytest

from gradcli.explanation.folding import folded
from gradcli.explanation.steps.walk import Contributed, walk
from gradcli.render.documents.explanation import explanation_document
from gradcli.render.page.picture import Notes
from gradcli.render.page.program import program_page
from gradcli.render.text.looks import Looks
from gradcli.stream.values import dump
from tests.programs import some
from tests.render.page.reading import block, own_size, read
from tests.render.programs import CASES, explained

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "\" onclick='alert(1)' x=\"",
    "]]><!--",
    "\u202eabc\u2066",
)


@cache
def page_of(name: str) -> str:
    return program_page(CASES[name].explain(), Looks())


@pytest.mark.slow
@pytest.mark.parametrize("name", some(CASES, 2))
def test_the_page_of_each_case(name: str) -> None:
    """Every promise to those who embed a page or test it."""
    explanation = CASES[name].explain()
    shown = folded(explanation)
    text = page_of(name)
    page, steps = read(text), walk(shown)
    main = page.one("data-gradcli")
    assert (main.tag, main.attributes["data-gradcli"]) == ("main", "lesson")
    assert main.attributes["data-step"] == main.attributes["data-steps"] == str(steps.last)
    actions = [button.attributes["data-action"] for button in main.all("data-action")]
    assert {"next", "previous", "first", "last", "play", "predict"} <= set(actions)
    assert len(main.all("data-steps-slider")) == len(main.all("data-sentence")) == len(main.all("data-predict")) == 1
    assert dump(block(page, "gradcli-data")) == dump(explanation_document(explanation))
    nodes = {node.attributes["data-node"]: node for node in main.all("data-node")}
    assert set(nodes) >= {node.id for node in shown.nodes if node.kind != "constant"}
    for node in shown.nodes:
        if node.id in nodes and node.requires_grad:
            assert (nodes[node.id].one("data-grad").text == "None") is (node.grad is None)
    told = {edge.attributes["data-edge"] for edge in main.all("data-edge")}
    assert told >= {f"{local.input} {node.id}" for node in shown.nodes for local in node.locals}
    assert len([one for one in main.all("li") if one.attributes.get("class") == "step"]) == steps.last + 1
    assert own_size(text) < 100_000


def test_the_page_allows_nothing_from_elsewhere() -> None:
    text = page_of("square")
    page = read(text)
    (policy,) = (meta.attributes["content"] for meta in page.all("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    (style,) = page.all("style")
    (script,) = (script for script in page.all("script") if script.attributes.get("type") == "module")
    for kind, element in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert re.search(rf"{kind}-src [^;]*'sha256-{re.escape(digest)}'", policy)
    assert not re.search(r"https?:|//[a-z]+\.|@import|\burl\(|\bsrc=| style=| on[a-z]+=|\beval\(|innerHTML", text)


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_from_outside_is_markup(hostile: str) -> None:
    program = f"y = x*2 # {hostile}\nmse_loss(y, [1.0, 2.0], reduction='sum')"
    text = program_page(explained(program, {"x": [1.0, 3.0]}), Looks())
    plain = program_page(explained("y = x*2\nmse_loss(y, [1.0, 2.0], reduction='sum')", {"x": [1.0, 3.0]}), Looks())
    assert [e.tag for e in read(text).all("main")[0].all("class")] == [
        e.tag for e in read(plain).all("main")[0].all("class")
    ]
    assert block(read(text), "gradcli-data")["program"] == program
    assert "\u202e" not in text
    assert "\u2066" not in text


@pytest.mark.parametrize("value", [1e308, float("nan"), float("inf"), -1e-300])
def test_values_that_are_hardly_numbers(value: float) -> None:
    page = read(program_page(explained("y = x*x*10", {"x": value}), Looks()))
    asked = block(page, "gradcli-steps")["questions"]
    assert all(len(one["answer"]) == 1 for one in asked.values())


def test_a_wrong_prediction_has_the_mistake_behind_it() -> None:
    page = read(program_page(explained("s=x**2; p=s+1; m=s-1; q=p*m", {"x": 2}), Looks()))
    asked = block(page, "gradcli-steps")["questions"]
    last = asked[max(asked, key=int)]
    assert last["answer"] == [32.0]
    assert [[12.0], "you kept the branch through p; s also feeds m, which adds 5."] in last["wrong"]


def test_sizes_without_numbers_have_formulas_and_no_questions() -> None:
    from gradcli.explanation.sizes.generic import explain_at_any_size
    from gradcli.explanation.sizes.merging import Dims
    from gradcli.language.parser import parse_program
    from gradcli.source import Source

    program = parse_program(Source("mean((X @ w - y)**2)"))
    dims = {"X": Dims(("n", "d")), "w": Dims(("d",)), "y": Dims(("n",))}
    found = explain_at_any_size(program, dims, {}, wrt=None, of=None, is_raw=False, is_traced=True)
    page = read(program_page(found, Looks()))
    assert block(page, "gradcli-steps")["questions"] == {}
    assert "for X (n, d), w (d), y (n)" in page.text


def test_notes_stand_at_their_steps_and_in_a_list() -> None:
    page = read(program_page(explained("log(exp(x) + exp(y))", {"x": 1000.0, "y": 1001.0}), Looks()))
    steps = [step for step in page.all("li") if step.attributes.get("class") == "step"]
    noted = {number: step.text for number, step in enumerate(steps) if any(
        one.attributes.get("class") == "note" for one in step.all("p")
    )}  # fmt: skip
    assert "v1 is infinite: exp(x) overflows." in noted[1]
    last = len(steps) - 1
    assert "write logaddexp(x, y), which is exact" in noted[last], "the nan that goes into .grad has a cause"
    listed = [(one.attributes["data-finding"], one.all("a")[0].attributes["href"]) for one in page.all("data-finding")]
    assert listed
    (head,) = (one for one in page.all("ul") if one.attributes.get("class") == "findings")
    assert "#step=1" in [link.attributes["href"] for link in head.all("a")]


def test_what_a_gradient_means() -> None:
    page = read(program_page(explained("q = x**4 - 1", {"x": 2.0}), Looks()))
    assert page.one("data-meaning").text == "x + 0.01 makes q grow by about 0.32; really 0.3224."
    assert page.one("data-leaf").attributes["data-leaf"] == "x"


def test_what_is_suspicious_stands_at_the_head_once_with_its_step() -> None:
    page = read(program_page(explained("log(x - 1) + y**2", {"x": 1.0, "y": 2.0}), Looks()))
    (head,) = (one for one in page.all("ul") if one.attributes.get("class") == "findings")
    assert "nan-at-edge" in head.text
    assert [link.attributes["href"] for link in head.all("a")] == ["#step=2"]
    assert not page.all("data-finding")


def test_matrices_of_few_entries_stand_whole_in_their_boxes() -> None:
    text = program_page(explained("sum(W @ x)", {"W": [[0.5, -1, 2], [3, 0.25, 1]], "x": [1, 2, 3]}), Looks())
    box = text[text.index('data-value="W"') :]
    assert "[0.5\u00a0\u00a0-1\u00a0\u00a0\u00a0\u00a0\u00a02]<tspan" in box
    assert ">[3\u00a0\u00a0\u00a0\u00a0\u00a00.25\u00a0\u00a01]</tspan>" in box


def test_a_gradient_that_becomes_nan_is_told_at_the_step_at_which_it_does() -> None:
    explanation = explained("log(exp(x) + exp(y))", {"x": 1000, "y": 1001})
    found = walk(explanation)
    notes = Notes(found, range(found.last + 1))
    (step,) = (number for number, told in notes.by_step.items() if any("becomes nan" in one.message for one in told))
    move = found.moves[step - 1]
    assert isinstance(move, Contributed)
    assert (move.edge.target, move.edge.source) == ("v2", "y")
    assert 0 not in notes.by_step, "before the first step nothing is wrong yet"


def test_sentences_bracket_what_is_below_zero_and_say_why_nothing_comes_back() -> None:
    diamond = program_page(explained("s = x*y; p = s + x; m = s*y; q = p*m + s", {"x": 2.0, "y": -1.0}), Looks())
    assert "It is added to what x has already: 2 + (-3) = -1." in diamond
    choice = program_page(explained("where(x > 0, x, 0.1*x)", {"x": 1.0}), Looks())
    assert "It passes no gradient on, so no gradient will come back here." in choice
    assert "Nothing in it requires grad" not in choice
