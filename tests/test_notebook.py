"""What notebooks show: bundles of forms that any reader can show, the magics, and a whole notebook executed."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import gradcli
from gradcli.notebook import Shown, form, load_ipython_extension, magic
from tests.render.programs import CASES, Case

SAMPLE = Path(__file__).parents[1] / "samples" / "notebooks" / "backpropagation.ipynb"
PLAIN = {"div", "h4", "p", "code", "em", "table", "thead", "tbody", "tr", "th", "td", "pre", "img"}
BAD = {
    "markup": Case("x**2 # <script>alert(1)</script><style>*{}</style>", {"x": 1}),
    "a title": Case("x = 2; y = x*x # </code><img src=x onerror=alert(1)> \u202e", {}),
}
ASSIGNMENT = '[[question]]\nid = "square"\nprogram = "y = (x + 1)**2"\nat = {x = 2}\nask = ["dy/dx"]\n'


class Reader(HTMLParser):
    """Collects the elements and their attributes; complains of one that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES | BAD)
def test_an_explanation_displays_itself(name: str) -> None:
    bundle = Shown.of((CASES | BAD)[name].explain())._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "text/latex"}
    elements = read(bundle["text/html"]).elements
    assert {tag for tag, _ in elements} <= PLAIN
    assert {attribute for _, own in elements for attribute in own} <= {"align", "colspan", "cellpadding", "src", "alt"}
    assert "\\begin{align*}" in bundle["text/latex"]


def test_only_the_forms_that_are_asked_for_are_made() -> None:
    shown = gradcli.explain("x*x", x=3)
    assert set(shown._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}
    assert set(shown._repr_mimebundle_(exclude=["text/html"])) == {"text/plain", "text/latex"}


def test_the_wrapper_has_all_that_an_explanation_has() -> None:
    shown = gradcli.explain("z = x*y", x=3, y=2)
    plain = CASES["square"].explain()
    assert {name for name in dir(plain) if not name.startswith("_")} <= set(dir(shown))
    assert shown.node("z").value == 6
    assert "MulBackward0" in shown.graph()._repr_mimebundle_()["text/plain"]


def test_the_steps_stand_in_a_frame_that_reaches_nothing() -> None:
    page = gradcli.explain("x*x # </iframe>\"'", x=3).steps_page()
    ((tag, attributes),) = read(page._repr_mimebundle_()["text/html"]).elements
    assert (tag, attributes["sandbox"], attributes["srcdoc"]) == ("iframe", "allow-scripts", page.page)


def test_a_graded_answer_displays_itself() -> None:
    graded = gradcli.grade(ASSIGNMENT, "[square]\ndy/dx = 3 <b>")
    assert not graded.result.is_right if hasattr(graded.result, "is_right") else graded.result.score == 0
    bundle = graded._repr_mimebundle_()
    assert "<b>" not in bundle["text/html"]
    assert "square" in bundle["text/plain"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["plot", "x**2", "x=0..1"], "svg"),
        (["plot", "x**2", "x=0..1", "--format", "text"], "text"),
        (["plot", "x**2", "x=0..1", "--json"], "text"),
        (["eval", "x**2", "x=1"], "text"),
        (["eval", "x**2", "x=1", "--format=html"], "html"),
    ],
)
def test_a_command_with_a_picture_shows_it(arguments: list[str], found: str) -> None:
    assert form(arguments) == found


def test_the_extension_gives_one_magic() -> None:
    given: dict[str, object] = {}

    class Shell:
        def register_magic_function(self, function: object, **names: str) -> None:
            given.update(names, function=function)

    load_ipython_extension(Shell())
    assert given == {"function": magic, "magic_kind": "line_cell", "magic_name": "gradcli"}


@pytest.mark.slow
def test_ipython_is_not_needed() -> None:
    code = "import sys, gradcli; gradcli.explain('x*x', x=3)._repr_mimebundle_(); print('IPython' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.slow
def test_the_sample_has_the_outputs_that_it_gives() -> None:
    """GRADCLI_RECORD=1 executes it and stores them."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    stored = nbformat.read(SAMPLE, as_version=4)
    executed = copy.deepcopy(stored)
    nbclient.NotebookClient(executed, timeout=120, kernel_name="python3", record_timing=False).execute()
    executed.metadata = stored.metadata
    cells = [cell for cell in executed.cells if cell.cell_type == "code"]
    for cell in cells:
        cell.metadata, cell.outputs = {}, joined(cell.outputs)
    if os.environ.get("GRADCLI_RECORD"):
        nbformat.write(executed, SAMPLE)
        stored = executed
    assert [cell.outputs for cell in stored.cells if cell.cell_type == "code"] == [cell.outputs for cell in cells]
    kinds = [{kind for one in cell.outputs for kind in one.get("data", {"stream": 0})} for cell in cells]
    assert kinds == [
        {"text/plain", "text/html", "text/latex"},
        {"text/plain"},
        {"text/plain", "text/html", "text/latex"},
        {"text/plain", "text/html"},
        set(),
        {"stream"},
        {"image/svg+xml", "text/plain"},
        {"stream"},
        {"text/plain", "text/html"},
    ]


def joined(outputs: list[Any]) -> list[Any]:
    """The outputs, with texts joined that a kernel sends in as many parts as it likes."""
    found: list[Any] = []
    for output in outputs:
        if found and output.output_type == found[-1].output_type == "stream" and output.name == found[-1].name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found
