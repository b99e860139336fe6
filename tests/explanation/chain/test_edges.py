"""Edges told apart, on random graphs, against the definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gradcli.explanation.build import explain
from gradcli.explanation.chain import edges
from gradcli.explanation.chain.edges import dependent_inputs
from gradcli.explanation.variables import Variables
from gradcli.language.parser import parse_program
from gradcli.render.lesson.terms import Terms
from gradcli.render.text.looks import Looks
from gradcli.source import Source

Graph = dict[str, tuple[str, ...]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Nodes in the order of evaluation, each with its inputs."""
    count = draw(st.integers(1, 12))
    earlier = [draw(st.lists(st.integers(0, max(n - 1, 0)), max_size=3 if n else 0)) for n in range(count)]
    return {f"n{n}": tuple(f"n{x}" for x in inputs) for n, inputs in enumerate(earlier)}


def depends(graph: Graph, node: str, on: str) -> bool:
    return any(x == on or depends(graph, x, on) for x in graph[node])


@given(graphs(), st.integers(1, 4))
def test_an_input_is_held_where_it_depends_on_the_other(graph: Graph, chunk: int) -> None:
    before = edges.CHUNK
    edges.CHUNK = chunk
    try:
        found = dependent_inputs(graph)
    finally:
        edges.CHUNK = before
    for node, inputs in graph.items():
        for x in inputs:
            others = tuple(o for o in dict.fromkeys(inputs) if o != x and depends(graph, o, x))
            assert found.get((node, x), ()) == others


PROGRAMS = {
    "x*exp(x)": {"y": ["∂y/∂x|v1", "∂y/∂v1"]},
    "z + z": {"y": ["∂y/∂z (1st)", "∂y/∂z (2nd)"]},
    "s = x*w; s*x + s*w": {"s": ["∂s/∂x", "∂s/∂w"], "v1": ["∂v1/∂s", "∂v1/∂x|s"]},
    "x*sum(x)": {"y": ["∂y/∂x|v1", "∂y/∂v1"]},
    "x1*x2": {"y": ["∂y/∂x1", "∂y/∂x2"]},
    "x*detach(x)": {"y": ["∂y/∂x"]},
}


def test_symbols_of_edges_differ_from_one_another_and_from_totals() -> None:
    for text, expected in PROGRAMS.items():
        program = parse_program(Source(text.replace("; ", "; y = ") if ";" in text else f"y = {text}"))
        found = explain(program, dict.fromkeys(Variables.of(program).places, 2.0))
        for ascii in (False, True):
            terms = Terms(found, Looks(ascii=ascii))
            edges = [(terms.edge(node.name, local), local) for node in found.nodes for local in node.locals]
            symbols = [symbol for symbol, _ in edges]
            assert len(set(symbols)) == len(symbols)
            totals = {terms.total(node.name) for node in found.nodes}
            assert all(symbol not in totals for symbol, local in edges if local.held)
        unicode = Terms(found, Looks())
        for node in found.nodes:
            if node.name in expected:
                assert [unicode.edge(node.name, local) for local in node.locals] == expected[node.name]
