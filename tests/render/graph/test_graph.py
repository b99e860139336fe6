from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation, Local, Node
from gradcli.language.parser import parse_program
from gradcli.language.tree import Argument, Binary, Call, Expression, Literal, Name, Program
from gradcli.render.documents.explanation import explanation_document
from gradcli.render.graph.dot import dot
from gradcli.render.graph.mermaid import mermaid
from gradcli.render.graph.tree import LEVELS, tree
from gradcli.render.text.looks import Asked
from gradcli.source import Source, Span
from gradcli.stream.values import dump
from tests.render.programs import CASES, Case, explained

SNAPSHOTS = Path(__file__).parent / "snapshots"
LOOKS = Asked()
ASCII = Asked(ascii=True)
RENDERERS = {
    "diamond.txt": lambda explanation: tree(explanation, LOOKS),
    "diamond-ascii.txt": lambda explanation: tree(explanation, ASCII),
    "diamond.dot": lambda explanation: dot(explanation, LOOKS),
    "diamond.mmd": lambda explanation: mermaid(explanation, LOOKS),
    "diamond.json": lambda explanation: dump(explanation_document(explanation), indent=2),
}
NASTY = "a\"b'c \\n \\N \\ [red]x[/red] <b>&lt;</b> `d` *x* _y_ #35; %% {z} |p| $q$ é梯 \x1b\u202e"
SHOWN = NASTY.replace("\x1b\u202e", "\\x1b\\u202e")[:22]  # of which a box has the beginning
SINGLE = Span(0, 1)
EVERY = pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])


@pytest.mark.parametrize("name", RENDERERS)
def test_diamond(name: str) -> None:
    text = RENDERERS[name](CASES["diamond"].explain()) + "\n"
    assert text == (SNAPSHOTS / name).read_text(encoding="utf-8")


@EVERY
def test_ascii_is_ascii(case: Case) -> None:
    explanation = case.explain()
    if all(node.name.isascii() for node in explanation.nodes):
        for render in (tree, dot, mermaid):
            assert render(explanation, ASCII).isascii()


@EVERY
def test_tree_shows_each_node_of_the_backward_graph_once(case: Case) -> None:
    explanation = folded(case.explain())
    lines = [
        line for line in tree(explanation, LOOKS).splitlines() if line.lstrip("│├└─ ")[:1] in "×[" or line[0].isalpha()
    ]
    shown = [line for line in lines if "see " not in line]
    reached = {explanation.output, *(step.input for step in explanation.steps)}
    assert len(shown) == len(reached)
    assert len(lines) == 1 + len(explanation.steps)


NETWORK = "s = X @ W; e = exp(s); P = e/sum(e, dim=1, keepdim=True); loss = -sum(Y*log(P))/2"
AT = {"X": [[1, 2], [0, 1]], "W": [[0.1, 0.2, 0.3], [-0.1, 0, 0.4]], "Y": [[1, 0, 0], [0, 0, 1]]}


def test_the_tree_of_a_network_is_in_its_words_and_whole() -> None:
    text = tree(explain(parse_program(Source(NETWORK)), {name: np.array(x, float) for name, x in AT.items()}), LOOKS)
    assert "v3 = Y ⊙ v2" in text
    assert not [word for word in ("expand", "squeeze", "…", "shape", "Y·v2") if word in text]


def test_products_with_a_vector_have_no_nodes_that_nobody_wrote() -> None:
    text = tree(explain(parse_program(Source("y = x @ A; 1/sum(y)")), {"x": np.ones(2), "A": np.eye(2)}), LOOKS)
    assert not [word for word in ("squeeze", "y_a", "1·") if word in text]


@pytest.mark.parametrize("picture", [tree, dot, mermaid])
def test_dust_is_0(picture: Callable[[Explanation, Asked], str]) -> None:
    text = picture(explain(parse_program(Source("m = max(x); m + log(sum(exp(x - m)))")), {"x": np.arange(3.0)}), LOOKS)
    assert "e-16" not in text


def chain(length: int) -> Explanation:
    """x -> n1 -> n2 -> ..., each the double of the one before."""
    one = np.float64(1)
    common = {"span": SINGLE, "shape": (), "dtype": "float64", "value": one, "requires_grad": True, "grad": one}
    leaf = Node("x", "x", "leaf", Name("x"), op=None, grad_fn=None, inputs=(), is_leaf=True, locals=(), **common)
    nodes = [leaf]
    for number in range(1, length):
        below = nodes[-1].id
        double = Binary("+", Name(below), Name(below))
        local = Local(below, Name("k"), one, Name("g"))
        facts = {"op": "add", "grad_fn": "AddBackward0", "inputs": (below,), "is_leaf": False, "locals": (local,)}
        nodes.append(Node(f"n{number}", f"n{number}", "op", double, **facts, **common))
    return Explanation(Program(()), nodes[-1].id, one, one, tuple(nodes), (), (), ())


@pytest.mark.slow
def test_deep_tree() -> None:
    deep = chain(2_000)
    text = tree(deep, LOOKS)
    assert text.count("\n") < 2_300
    assert len(text) < 270_000


@pytest.mark.slow
def test_long_pictures() -> None:
    long = chain(1_500)
    everything = Asked(all=True)
    assert dot(long, everything).count("->") == 1_499
    assert mermaid(long, everything).count("-->") == 1_499


def test_tree_goes_on_below() -> None:
    text = tree(chain(LEVELS + 5), LOOKS)
    first, second = text.split("\n\n")
    assert first.splitlines()[-1].strip() == "└── ×1  ↓ see n4"
    assert second.splitlines()[0].startswith("n4 = n3 + n3 = 1   gradient ")
    assert second.splitlines()[-1].strip().startswith("└── ×1  x = 1   gradient ")


def nasty() -> Explanation:
    """The diamond, with text in it that means something in DOT, in Mermaid or to a terminal."""
    explanation = CASES["diamond"].explain()
    text: Expression = Call("f", (Argument(Literal(NASTY)),))
    nodes = [
        dataclasses.replace(
            node,
            name=NASTY,
            grad_fn=node.grad_fn and NASTY,
            locals=tuple(dataclasses.replace(local, formula=None, rule=text) for local in node.locals),
        )
        for node in explanation.nodes
    ]
    return dataclasses.replace(explanation, nodes=tuple(nodes))


def test_dot_escapes() -> None:
    labels = re.findall(r'label="((?:[^"\\]|\\.)*)"', dot(nasty(), LOOKS))
    for label in labels:
        assert "&" not in label.replace("&amp;", "")
        text = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], label).replace("&amp;", "&")
        assert text.startswith((SHOWN, "f("))
    assert len(labels) == 6 + 6


def test_mermaid_escapes() -> None:
    text = mermaid(nasty(), LOOKS)
    labels = re.findall(r'"([^"]*)"', text)
    for label in labels:
        assert not re.search(r"[*_`\\|%{}\[\]]", label)
        lines = label.split("<br/>")
        assert all("<" not in line and ">" not in line for line in lines)
        assert re.sub(r"#(\d+);", lambda found: chr(int(found[1])), lines[0].replace("#8288;", "")).startswith(
            (SHOWN, "f(")
        )
    assert len(labels) == 6 + 6
    statement = re.compile(
        r"flowchart (LR|TB)"
        r'|n\d+(\("[^"]*"\)|\["[^"]*"\]):::(leaf|data|op)'
        r'|n\d+ (-->\|"[^"]*"\||-\.->) n\d+'
        r"|classDef \w+ [-\w:#,]+"
        r"|class n\d+ output"
    )
    assert all(statement.fullmatch(line.strip()) for line in text.splitlines())


def test_the_direction_suits_the_depth_and_the_width() -> None:
    """Of programs that do their own layout, too: a graph that would be too wide to read goes down."""
    lines = [f"v{n + 1} = sin({f'v{n}' if n else 'x'})*1.000000000000001e-{n}00" for n in range(5)]
    wide = explained("; ".join(lines), {"x": 0.5})
    for explanation, asked, found in (
        (CASES["diamond"].explain(), Asked(), "LR"),
        (explained("; ".join(f"v{n + 1} = sin({f'v{n}' if n else 'x'})" for n in range(9)), {"x": 0.5}), Asked(), "TB"),
        (wide, Asked(), "TB"),
        (wide, Asked(direction="LR"), "LR"),
    ):
        assert mermaid(explanation, asked).startswith(f"flowchart {found}\n")
        assert f"rankdir={found}" in dot(explanation, asked)
