"""Flowcharts as Mermaid draws them: every box and edge is there, with the texts that it was given."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.render.graph.mermaid import flowchart
from gradcli.render.graph.sketch.sketch import sketch
from gradcli.render.text.looks import Asked
from gradcli.source import visible
from tests.render.graph.test_graph import nasty
from tests.render.programs import CASES, explained

WORDS = ("end", "graph", "subgraph", "click", "style", "default", "o", "x", "call", "href", "TB", "n1", "__proto__")
DRAW = """async (text) => {
    document.body.innerHTML = (await mermaid.render("drawn", text)).svg;
    const said = (one) => one.textContent.replace(/\\s+/g, " ").replaceAll("\\u2060", "");
    const texts = (kind) => [...document.querySelectorAll(kind)].map(said);
    return [texts(".node .nodeLabel"), texts(".edgeLabel .edgeLabel").filter(Boolean)];
}"""


@pytest.mark.slow
def test_mermaid_draws_what_it_is_given(browser: Any, mermaid: str) -> None:
    words = explained(" + ".join(f"{word}*1e308" for word in WORDS), dict.fromkeys(WORDS, float("nan")))
    long = explained(f"sin({'n' * 400})", {"n" * 400: 1e-300})
    graphs = [(case.explain(), Asked()) for case in CASES.values()]
    graphs += [(nasty(), Asked()), (words, Asked()), (long, Asked())]
    graphs += [(CASES[name].explain(), Asked(detail="full", backward=True)) for name in ("diamond", "matrix product")]
    page = browser.new_page()
    page.add_script_tag(content=mermaid)
    page.evaluate("mermaid.initialize({startOnLoad: false, maxEdges: 1000})")
    for explanation, asked in graphs:
        found = sketch(explanation, asked)
        boxes, edges = page.evaluate(DRAW, flowchart(found, asked))
        assert boxes == ["".join(squeezed(f"{line.label} {line.text}") for line in v.lines) for v in found.vertices]
        assert sorted(edges) == sorted(squeezed(arc.label) for arc in found.arcs if arc.label)
    page.close()


def squeezed(text: str) -> str:
    """A text as it is set: spaces beside each other are one."""
    return " ".join(visible(text).split())
