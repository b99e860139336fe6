"""Large graphs on the page: parts that together are the whole graph, and of which each step has its own."""

from __future__ import annotations

import pytest

from gradcli.explanation.steps.walk import Computed, Contributed, Walk, walk
from gradcli.render.page.picture import LARGEST, ROOM, is_drawn, parts, shown
from gradcli.render.page.program import program_page
from gradcli.render.text.looks import Looks
from tests.render.page.reading import read
from tests.render.programs import explained

PROGRAMS = {
    "a chain with a variable that is used everywhere": "a0 = x*y; "
    + "; ".join(f"a{n} = sin(a{n - 1})*y" for n in range(1, 60)),
    "one statement": " + ".join(f"x*y*{n}" for n in range(1, 50)),
    "an operation with many operands": f"sum(cat([{', '.join('[x, y]' for _ in range(9))}]))*"
    + "*".join(["exp(x)"] * 40),
}


def walked(program: str) -> Walk:
    return walk(explained(program, {"x": 0.5, "y": 0.9}))


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_operation_stands_in_one_part(name: str) -> None:
    found = walked(PROGRAMS[name])
    drawn = [node for node in found.explanation.nodes if is_drawn(node)]
    made = parts(found)
    assert len(drawn) > LARGEST
    assert len(made) > 1
    assert [id for part in made for id in part.operations if id in part.borrowed] == []
    assert sorted(id for part in made for id in part.operations) == sorted(n.id for n in drawn if n.kind == "op")
    for part in made:
        there = {node.id for node in part.boxes}
        inputs = {id for node in part.boxes if node.id in part.operations for id in node.inputs}
        assert {node.id for node in drawn} & (part.operations | inputs) == there
        assert len(there) <= ROOM or len(part.operations) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_step_is_seen_in_the_part_that_is_shown(name: str) -> None:
    found = walked(PROGRAMS[name])
    made = parts(found)
    at = list(shown(found, made))
    assert len(at) == found.last + 1
    for number, move in zip(at[1:], found.moves, strict=True):
        part = made[number]
        match move:
            case Computed(node):
                assert node in part.operations
            case Contributed(edge):
                assert edge.target in part.operations
            case _:
                assert move.node in {node.id for node in part.boxes}


@pytest.mark.slow
def test_the_table_has_the_variables_and_the_part_that_is_shown() -> None:
    found = walked(PROGRAMS["a chain with a variable that is used everywhere"])
    page = read(program_page(found.explanation, Looks()))
    variables, *bodies = page.one("table").all("tbody")
    assert [row.one("th").text for row in variables.all("tr")] == ["x", "y"]
    tracks = [body.attributes["data-shown"] for body in bodies]
    stages = [stage.attributes["data-shown"] for stage in page.all("data-shown") if stage.tag == "div"]
    assert tracks == stages
    assert [len(body.all("tr")) - 1 for body in bodies] == [len(part.operations) for part in parts(found)]
