"""Edges told apart, on random graphs, against the definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gradcli.explanation.chain import links
from gradcli.explanation.chain.links import dependent_inputs

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
    before = links.CHUNK
    links.CHUNK = chunk
    try:
        found = dependent_inputs(graph)
    finally:
        links.CHUNK = before
    for node, inputs in graph.items():
        for x in inputs:
            others = tuple(o for o in dict.fromkeys(inputs) if o != x and depends(graph, o, x))
            assert found.get((node, x), ()) == others
