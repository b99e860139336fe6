"""Pictures: valid, presentation alone, nothing on anything else, everything said in words, whatever the names."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from gradcli.errors import EvaluationError
from gradcli.explanation.build import explain
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.model import Explanation
from gradcli.language.parser import parse_program
from gradcli.render.graph.layered.drawing import drawing
from gradcli.render.graph.layered.model import Box, Drawing, Edge
from gradcli.render.graph.mermaid import mermaid
from gradcli.render.graph.sketch.sketch import sketch
from gradcli.render.graph.svg import FILLS, GREY, INK, LARGEST, ROSE, box_size, label_size, svg
from gradcli.render.text.looks import Asked
from gradcli.source import Source
from tests.commands.running import ROOT, gradcli
from tests.programs import EXAMPLES, listed_programs, some
from tests.render.graph.geometry import faults
from tests.render.graph.pictures import SVG, read_picture
from tests.render.programs import CASES, explained

PICTURES = ROOT / "samples" / "pictures"
LOOKS: dict[str, dict[str, Any]] = {
    "default": {},
    "full, down": {"detail": "full", "direction": "TB"},
    "names": {"detail": "name", "direction": "LR"},
    "backward": {"backward": True, "values": "shape"},
    "numbers, down": {"values": "full", "direction": "TB"},
    "no numbers": {"values": "none", "backward": True, "direction": "TB"},
    "folded": {"most": 2},
    "ascii": {"ascii": True},
}
CROSSINGS = {  # of the samples as they are drawn; more is worse
    "diamond": 0, "kinks": 0, "logits": 0, "mean_of_products": 1, "softmax_regression": 0, "square_of_sum": 0,
    "newton": 0, "two_layer_network": 0, "two_products": 0,
}  # fmt: skip


def laid_out(explanation: Explanation, asked: Asked) -> Drawing:
    found = sketch(explanation, asked)
    boxes = [Box(vertex.id, *box_size(vertex.lines)) for vertex in found.vertices]
    drawn = drawing(boxes, [Edge(arc.source, arc.target, label_size(arc)) for arc in found.arcs], asked.direction)
    assert drawn is not None
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize(("name", "look"), some(product(CASES, LOOKS), 3))
def test_programs_in_every_look(name: str, look: str) -> None:
    explanation, asked = CASES[name].explain(), Asked(**LOOKS[look])
    text = svg(explanation, asked)
    picture = read_picture(text)
    assert list(picture.faults()) == []
    assert faults(laid_out(explanation, asked)) == []
    found = sketch(explanation, asked)
    assert len(picture.boxes) == len(found.vertices)
    desc = picture.root.findtext(f"{SVG}desc") or ""
    for one in (*found.vertices, *found.arcs):
        assert one.sentence in desc
    assert not asked.ascii or text.isascii() or not explanation.program.isascii()


def sample(path: Path) -> Explanation:
    from gradcli.commands.inputs.programs import Program
    from gradcli.commands.options import Limited

    return Program(file=str(path)).explain(Limited(60, 2**30, 2**26))


@pytest.mark.parametrize("path", sorted((ROOT / "samples").glob("*.grad")), ids=lambda path: path.stem)
def test_samples_have_few_crossings(path: Path) -> None:
    explanation = sample(path)
    for direction in ("LR", "TB"):
        drawn = laid_out(explanation, Asked(direction=direction))
        assert faults(drawn) == []
        assert drawn.crossings <= CROSSINGS[path.stem]


@pytest.mark.slow
@pytest.mark.parametrize("start", range(4))
def test_operations_of_every_kind(start: int) -> None:
    """A part of all examples; boxes and labels of every width, graphs of every form."""
    for program in [*EXAMPLES, *listed_programs()][start::60]:
        explanation = explained(program, {}, upstream=upstream_of(program))
        for look in LOOKS.values():
            assert list(read_picture(svg(explanation, Asked(**look))).faults()) == [], program


def upstream_of(program: str) -> Any:
    """Return a gradient for an output that is no scalar."""
    value = evaluate(parse_program(Source(program)), {}, dtype=np.dtype(float)).output
    return np.ones(value.shape) if value is not None and value.shape else None


COMMANDS = re.findall(r"^gradcli .* -o (\S+\.svg)$", (PICTURES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_pictures_of_the_samples(capsys: pytest.CaptureFixture[str], name: str, monkeypatch: Any) -> None:
    """GRADCLI_RECORD=1 draws them anew; look at them."""
    monkeypatch.chdir(PICTURES)
    text = (PICTURES / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(rf"^gradcli (.*) -o {re.escape(name)}$", text, re.MULTILINE)
    drawn = gradcli(capsys, [*shlex.split(command), "--format", "svg"])
    assert drawn.code == 0, drawn.err
    if os.environ.get("GRADCLI_RECORD"):
        (PICTURES / name).write_text(drawn.out, encoding="utf-8")
    assert (PICTURES / name).read_text(encoding="utf-8") == drawn.out
    if command.startswith("graph"):  # a plot has lines that cross
        assert list(read_picture(drawn.out).faults()) == []
    assert f"({name})" in text


def test_every_picture_of_the_samples_has_its_command() -> None:
    assert {path.name for path in PICTURES.glob("*.svg")} == set(COMMANDS)


HOSTILE = ["</svg><script>alert(1)</script>", "a&b", "\u202eevil\x1b[31m", "n" * 400, "]]>", "&lt;", "漢" * 60, "\x00"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text(name: str) -> None:
    explanation = CASES["diamond"].explain()
    nodes = [dataclasses.replace(node, name=name, grad_fn=name) for node in explanation.nodes]
    hostile = dataclasses.replace(explanation, nodes=tuple(nodes))
    for look in LOOKS.values():
        picture = read_picture(svg(hostile, Asked(**look)))
        assert list(picture.faults()) == []
        assert picture.width < 5000


def test_tensors_by_shape_and_by_numbers() -> None:
    explanation = explained("sum(X @ w)", {"X": np.ones((3, 4)), "w": [1, 2, 3, 4]})
    texts = {values: read_picture(svg(explanation, Asked(values=values))).texts for values in ("auto", "none", "full")}
    assert "value shape (3, 4)" in texts["auto"]
    assert "value = [1, 2, 3, 4]" in texts["auto"]
    assert not any("value" in text or "grad" in text for text in texts["none"])
    assert texts["full"].count("[1, 1, 1, 1]") == 3
    shapes = read_picture(svg(explanation, Asked(values="shape"))).texts
    assert {"value shape (4,)", "value = 30"} <= {*shapes}


def light(color: str) -> float:
    """The luminance of a colour, as the guidelines for accessible content define it."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, two: str) -> float:
    dark, bright = sorted((light(one), light(two)))
    return (bright + 0.05) / (dark + 0.05)


def test_colours_read_on_white_and_on_black() -> None:
    for page in ("#ffffff", "#000000"):
        assert min(contrast(GREY, page), contrast(ROSE, page)) >= 4.5
    assert min(contrast(ink, fill) for ink in INK.values() for fill in FILLS.values()) >= 4.5


@pytest.mark.slow
def test_what_repeats_is_folded() -> None:
    layers = "; ".join(f"z{n} = h{n - 1}*w{n} + b{n}; h{n} = tanh(z{n})" for n in range(1, 21))
    values: dict[str, Any] = {"x": 0.5, **{f"w{n}": 0.9 for n in range(1, 21)}, **{f"b{n}": 0.1 for n in range(1, 21)}}
    program = parse_program(Source(f"h0 = x*2; {layers}; loss = (h20 - 1)**2"))
    explanation = explain(program, values)
    texts = read_picture(svg(explanation, Asked())).texts
    assert "×20, up to h20" in texts
    assert {"z1 = h0·w1 + b1", "h1 = tanh(z1)", "loss = (h20 - 1)**2", "… 40 in all"} <= set(texts)
    inner = explain(program, values, of="h7")
    assert mermaid(inner, Asked()).count(" output") == 2  # its class, and the box that has it
    assert {"×6, up to h6", "h7 = tanh(z7)"} <= set(read_picture(svg(inner, Asked())).texts)
    whole = read_picture(svg(explanation, Asked(all=True)))
    assert len(whole.boxes) == len([node for node in explanation.nodes if node.kind != "constant"])
    assert list(whole.faults()) == []
    apart = explained("; ".join(f"a{n} = x*{n}*y" for n in range(1, 9)) + "; a1 + a8", {"x": 1, "y": 2})
    assert not any("×" in text for text in read_picture(svg(apart, Asked(most=5))).texts)
    statements = read_picture(svg(explained("a = x*y + 1; b = a*x + y; a*b", {"x": 1, "y": 2}), Asked(most=5))).texts
    assert {"a = x·y + 1", "b = a·x + y"} <= set(statements)


@pytest.mark.slow
def test_a_picture_that_is_too_large() -> None:
    explanation = explained("; ".join(["y = x", *["y = y + x"] * (LARGEST + 10)]), {"x": 1})
    with pytest.raises(EvaluationError, match="1,511 boxes"):
        svg(explanation, Asked(all=True))
    assert len(read_picture(svg(explanation, Asked())).boxes) == 3


def test_a_picture_has_the_shape_of_a_page_unless_a_direction_is_asked_for() -> None:
    lines = "; ".join(f"h{n + 1} = tanh(h{n}*w)" for n in range(6))
    long = explained(lines, {"h0": 0.5, "w": 0.9})

    def shape(asked: Asked) -> float:
        picture = read_picture(svg(long, asked))
        assert list(picture.faults()) == []
        return picture.width / picture.height

    assert shape(Asked(direction="LR")) > 4
    assert shape(Asked(direction="TB")) < 1
    assert 1 < shape(Asked()) < 2.2


def test_a_film_shows_each_step_without_a_script() -> None:
    """Values are there from their step on, gradients from theirs; a number travels along each edge."""
    text = svg(CASES["diamond"].explain(), Asked(animate=True))
    still = svg(CASES["diamond"].explain(), Asked())
    root = ElementTree.fromstring(text)
    movers = [one for one in root.iter() if one.tag.endswith("animateMotion")]
    assert len(movers) == len(CASES["diamond"].explain().steps)
    assert len({one.attrib["dur"] for one in root.iter() if "dur" in one.attrib}) == 1
    for one in root.iter():
        if "keyTimes" in one.attrib:
            times = [float(time) for time in one.attrib["keyTimes"].split(";")]
            assert times[0] == 0
            assert times == sorted(times)
            assert times[-1] <= 1
    assert not any(word in text for word in ("<script", "<style", " id="))
    assert re.sub(r"<animate.*?/>|<text [^>]*opacity.*?</text>", "", text).count("<text") == still.count("<text")


SLIDE = 960, 540  # points of a slide of 16:9
LEAST = 9.0  # points of the smallest letters that the last row of a hall can read
DENSE = {"two_layer_network"}  # of 12 boxes, of which three hold a matrix


@pytest.mark.parametrize(
    "path", [path for path in sorted(ROOT.glob("samples/*.grad")) if path.stem not in DENSE], ids=lambda path: path.stem
)
def test_letters_can_be_read_on_a_slide(path: Path) -> None:
    explanation = explained(path.read_text(encoding="utf-8"), {})
    written = svg(explanation, Asked())
    width, height = map(float, written.partition('viewBox="')[2].partition('"')[0].split()[2:])
    scale = min(SLIDE[0] / width, SLIDE[1] / height)
    sizes = [float(part.partition('"')[0]) for part in written.split('font-size="')[1:]]
    assert min(sizes) * scale >= LEAST
