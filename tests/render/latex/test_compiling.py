"""Every sample compiles, and all maths is maths to KaTeX, too; one document and one call for all of them."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from gradcli.errors import EvaluationError
from gradcli.explanation.chain.links import trace
from gradcli.explanation.model import Explanation
from gradcli.explanation.sizes.generic import explain_at_any_size
from gradcli.explanation.sizes.merging import Dims
from gradcli.explanation.steps.walk import walk
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.language.parser import parse_program
from gradcli.render.latex.formulas import Symbols, Writer
from gradcli.render.latex.graph.tikz import POINTS, PREAMBLE
from gradcli.render.latex.key import key_page
from gradcli.render.latex.pages import derivations, document, eval_page, lesson, listing
from gradcli.render.latex.pieces import Equation, Piece, aligned
from gradcli.render.latex.slides import beamer, graph_page
from gradcli.render.text.looks import Asked
from gradcli.source import Source
from tests.commands.running import ROOT
from tests.programs import EXAMPLES
from tests.render.latex.compiling import compiled, displayed, katex, katex_errors
from tests.render.programs import CASES, Case, explained

pytestmark = pytest.mark.slow

NASTY = "100% \\input{/etc/passwd} $x$ & # _ ^^M ~ {unbalanced \u202e </script> 梯 --- '' ``"
BAD = {
    "commands": Case("end_document = input*x_y_; end_document + def_", {"input": 1, "x_y_": 2, "def_": 3}),
    "a long name": Case("a*" + "n" * 400, {"a": 1, "n" * 400: 2}),
    "long names": Case(
        "weighted_sum = learning_rate_of_layer_1*input_feature + bias_of_the_first_layer_of; (weighted_sum - goal)**2",
        {"learning_rate_of_layer_1": 0.5, "input_feature": 1.25, "bias_of_the_first_layer_of": -0.1, "goal": 1},
    ),
    "scripts": Case("вес*梯 + été*ẋ*x₁ + ß", dict.fromkeys(["вес", "梯", "été", "ẋ", "x₁", "ß"], 0.5)),
    "comments": Case(f"x**2 # {NASTY}\n", {"x": 1}),
    "not numbers": Case("x*y + z", {"x": 1e308, "y": -1.5e-300, "z": float("nan")}),
    "many": Case("+".join(f"x{n}*{n}" for n in range(60)), {f"x{n}": n for n in range(60)}),
    "deep": Case("sin(" * 40 + "x" + ")" * 40, {"x": 1}),
    "a long sum": Case("bce_with_logits(scores, [1, 0])", {"scores": [0.5, -1]}),
    "a wide matrix": Case("sum(x*x)", {"x": [[0.125, -0.25, 0.375], [0.625, -0.75, 0.875]]}),
    "a tensor of four dimensions": Case("sum(x*x)", {"x": [[[[1, 2]]]]}),
    "large": Case("sum(x*y)", {"x": [[0.1] * 30] * 30, "y": [0.2] * 30}),
}


def at_any_size() -> Explanation:
    program = parse_program(Source("mean((X @ w - y)**2)"))
    dims = {"X": Dims(("n", "d")), "w": Dims(("d",)), "y": Dims(("n",))}
    return explain_at_any_size(program, dims, {}, wrt=None, of=None, is_raw=False, is_traced=True)


@cache
def fragments() -> list[str]:
    explanations = [case.explain() for case in (*CASES.values(), *BAD.values())]
    derived = [*explanations, at_any_size()]
    return [
        *map(lesson, explanations),
        *(derivations(one, [trace(one, leaf.name, 3) for leaf in one.leaves[:4]]) for one in derived),
        *map(operation, EXAMPLES),
    ]


def operation(example: str) -> str:
    statement = parse_program(Source(example)).statements[-1]
    return aligned([Equation(Piece("y"), [Writer(Symbols(), {}).formula(statement.value)])])


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles_every_sample(tmp_path: Path) -> None:
    body = "\n".join([*fragments(), listing([NASTY])])
    plain = f"\\documentclass{{article}}\\usepackage{{amsmath}}\\begin{{document}}\n{body}\n\\end{{document}}"
    assert compiled(plain, tmp_path) == ""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles_pictures_and_whole_documents(tmp_path: Path) -> None:
    cases = {name: case for name, case in (CASES | BAD).items() if name not in ("many", "deep")}
    pictures = [graph_page(case.explain(), Asked()) for case in cases.values()]
    assert compiled(document("\n\\clearpage\n".join(pictures), preamble=PREAMBLE), tmp_path) == ""
    assert compiled(eval_page(CASES["square"].explain(), Asked(standalone=True)), tmp_path) == ""
    path = ROOT / "samples" / "homework" / "chain_rule.toml"
    grader = Grader(read_assignment(Source(path.read_text(encoding="utf-8"), path.name)))
    assert compiled(key_page(grader, Asked(standalone=True)), tmp_path) == ""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles_slides_with_a_frame_for_each_step(tmp_path: Path) -> None:
    explanation = BAD["commands"].explain()
    slides = beamer(explanation, Asked())
    assert slides.count(r"\begin{frame}") == walk(explanation).last + 1 + ("Its graph" in slides) + (
        "The gradients" in slides
    )
    assert "The gradients" in slides
    assert compiled(slides, tmp_path) == ""


@pytest.mark.parametrize("name", CASES)
def test_letters_of_slides_have_nine_points_at_least_and_each_is_written(name: str) -> None:
    """A graph that does not fit so has a frame of its own, and the steps show parts of it."""
    slides = beamer(CASES[name].explain(), Asked())
    frames = [frame for frame in slides.split(r"\begin{frame}")[1:] if "{Its graph}" not in frame]
    scales = [float(scale) for frame in frames for scale in re.findall(r"scale=([\d.]+)", frame)]
    assert all(scale * 10 >= 9 for scale in scales)
    assert "[U+22" not in slides, "no sign of mathematics is unknown"
    assert graph_page(CASES[name].explain(), Asked(detail="name")), "names alone"


def test_slides_of_a_wide_graph_show_the_part_in_which_the_step_is() -> None:
    chain = explained("; ".join(f"a{n + 1} = sin(a{n})*y" for n in range(9)), {"a0": 0.5, "y": 2.0})
    program, whole, *frames, results, rest = beamer(chain, Asked()).split(r"\begin{frame}")[1:]
    assert "tikz" not in program
    assert "clip" not in whole
    assert "{The gradients}" in results
    assert any("{a0}" in frame or "a_{0}" in frame for frame in frames[-2:]), "the last steps, which reach the leaves"
    assert len(frames) <= 17
    assert "--all" in rest
    for frame in frames:
        left, top, right, bottom = map(float, re.findall(r"-?[\d.]+", re.findall(r"\[clip\] (.*);", frame)[0]))
        (x, y), *_ = re.findall(r"\\node\[draw=active.* at \((.*?),(.*?)\)", frame)
        assert left <= float(x) <= right
        assert top <= float(y) <= bottom
        boxes = r"minimum width=(\S+)pt, minimum height=(\S+)pt.* at \((\S+),(\S+)\) \{.+\};"
        for wide, high, x, y in (map(float, box) for box in re.findall(boxes, frame)):
            assert min(x - left, right - x) >= wide / POINTS / 2 - 0.2, "no words are cut"
            assert min(y - top, bottom - y) >= high / POINTS / 2 - 0.2


def test_what_is_too_large_for_a_page_is_refused() -> None:
    many = Case("+".join(f"x{n}*{n}" for n in range(100)), {f"x{n}": n for n in range(100)}).explain()
    for page in (graph_page, beamer):
        with pytest.raises(EvaluationError, match="are the most"):
            page(many, Asked(all=True))


@pytest.mark.skipif(katex() is None, reason="KaTeX is not installed")
def test_katex_reads_all_maths() -> None:
    slides = beamer(CASES["diamond"].explain(), Asked())
    maths = [one for fragment in [*fragments(), slides] for one in displayed(fragment)]
    assert len(maths) > 400
    assert katex_errors(maths) == []
