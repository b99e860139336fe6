"""Drawings of random graphs: nothing on anything else, ports in order, few crossings."""

from __future__ import annotations

from itertools import islice, pairwise, permutations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.render.graph.layered.drawing import MOST, drawing
from gradcli.render.graph.layered.model import RATIO, Box, Drawing, Edge, in_rows
from gradcli.render.graph.layered.order import crossings, fractions, ordered, stationed
from tests.render.graph.geometry import faults

DIRECTIONS: Any = ["LR", "TB"]


def drawn(edges: list[Edge], count: int, direction: Any = "LR", size: tuple[float, float] = (60, 30)) -> Drawing:
    found = drawing([Box(str(n), *size) for n in range(count)], edges, direction)
    assert found is not None
    return found


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Box], list[Edge]]:
    count = draw(st.integers(1, 14))
    sizes = st.integers(10, 120)
    boxes = [Box(str(n), draw(sizes), draw(sizes)) for n in range(count)]
    labels = st.none() | st.tuples(st.integers(5, 120), st.integers(8, 20))
    sources = [st.lists(st.integers(0, target - 1), max_size=4) for target in range(1, count)]
    edges = [
        Edge(str(source), str(target), draw(labels))
        for target, chosen in enumerate(sources, start=1)
        for source in draw(chosen)
    ]
    return boxes, edges


@settings(max_examples=40, deadline=None, derandomize=True)
@given(graphs(), st.sampled_from(DIRECTIONS))
def test_nothing_overlaps(graph: tuple[list[Box], list[Edge]], direction: Any) -> None:
    boxes, edges = graph
    found = drawing(boxes, edges, direction)
    assert found is not None
    assert faults(found) == []
    assert [route.edge for route in found.routes] == edges
    for box in boxes:
        place = found.boxes[box.id]
        assert place.width >= box.width
        assert place.height >= box.height


@settings(max_examples=40, deadline=None, derandomize=True)
@given(graphs())
def test_nothing_overlaps_in_rows(graph: tuple[list[Box], list[Edge]]) -> None:
    boxes, edges = graph
    whole = drawing(boxes, edges, "LR")
    assert whole is not None
    for found in in_rows(whole, RATIO):
        assert faults(found) == []
        assert all(abs(found.boxes[one.edge.target].x - one.end.x) < 0.1 for one in found.routes)
        assert [(route.edge, route.label is None) for route in found.routes] == [(e, e.label is None) for e in edges]


def test_trees_have_no_crossings_and_the_direction_suits_the_depth() -> None:
    edges = [Edge(str(2 * n + k), str(15 + n)) for n in range(7) for k in (0, 1)]
    assert drawn(edges, 22).crossings == 0
    chain = [Edge(str(n), str(n + 1)) for n in range(30)]
    for length, direction in ((7, "LR"), (8, "TB")):
        found = drawing([Box(str(n), 50, 20) for n in range(length + 1)], chain[:length])
        assert found is not None
        assert found.direction == direction
    ladder = [Edge("0", "1"), *(Edge(str(n), str(n + 1)) for n in range(1, 20)), Edge("0", "20")]
    assert drawn(ladder, 21).crossings == 0


def test_edges_from_one_box_part_where_they_must() -> None:
    count = 200
    chain = [Edge(str(n), str(n + 1)) for n in range(1, count - 1)]
    found = drawn([Edge("0", str(n)) for n in range(1, count)] + chain, count)
    ways = [route.segments for route in found.routes[: count - 1]]
    for shorter, longer in pairwise(ways[1:]):
        common = len(shorter) - 4  # then it bends to its box
        assert shorter[:common] == longer[:common]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_long_edge_is_a_straight_line_where_there_is_room(direction: Any) -> None:
    """A source that each box of a chain uses, as a loop uses its weight: its line bends to them alone."""
    count = 100
    chain = [Edge(str(n), str(n + 1)) for n in range(1, count - 1)]
    found = drawn(chain + [Edge("0", str(n)) for n in range(2, count)], count, direction)
    assert faults(found) == []
    assert max(len(route.segments) for route in found.routes) <= 6


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="circle"):
        drawn([Edge("0", "1"), Edge("1", "0")], 2)
    count = int(MOST**0.5) + 2  # boxes in a row, and as many that the first and the last of them use
    fan = [Edge(str(n), str(n + 1)) for n in range(count - 1)]
    fan += [Edge(f"from {n}", end) for n in range(count) for end in ("0", str(count - 1))]
    boxes = [*map(str, range(count)), *(f"from {n}" for n in range(count))]
    assert drawing([Box(id, 10, 10) for id in boxes], fan) is None
    assert drawn([], 0).boxes == {}


def test_small_graphs_have_hardly_more_crossings_than_the_best_order() -> None:
    """The best one is found by trying all."""
    found = best = 0
    for seed in range(60):
        random = Random(seed)
        count = random.randrange(5, 9)
        edges = [(random.randrange(max(0, n - 4), n), n) for n in range(2, count) for _ in range(random.choice((1, 2)))]
        graph = stationed(count, edges, MOST)
        assert graph is not None
        entering = [sum(target == box for _, target in edges) for box in range(count)]
        ports = fractions(graph.links, entering, graph.boxes)
        orders = product(*map(permutations, graph.members()))
        found += ordered(graph, ports)[1]
        best += min(crossings(order, graph, ports) for order in islice(orders, 5000))
    assert found <= best + 1
