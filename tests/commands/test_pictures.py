"""Pictures from the command line: options, the graph of a snippet, what cannot be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.script.timeline import graphs
from tests.commands.running import ROOT, document, gradcli
from tests.render.graph.pictures import read_picture

LOOP = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
early = (w * 5).sum()
early.backward()
w.grad = None
for step in range(10):
    loss = (w - 3)**2
    loss.backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
    w.grad = None
print("done")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text(LOOP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_the_last_backward_pass_of_a_snippet(capsys: pytest.CaptureFixture[str]) -> None:
    shown = gradcli(capsys, "graph train.py --format svg")
    texts = read_picture(shown.out).texts
    assert {"w", "value = 2.99609", "loss = v2**2"} <= set(texts)  # 3 - 2/2**9: the tenth turn
    assert gradcli(capsys, "run train.py --format svg").out == shown.out
    assert gradcli(capsys, "graph -f train.py --format svg").out == shown.out
    assert "value = 5" in read_picture(gradcli(capsys, "graph train.py --of early --format svg").out).texts
    assert gradcli(capsys, "run train.py --of early --format dot").out.startswith("digraph")
    assert gradcli(capsys, "graph train.py").out.startswith("loss = v2**2")
    assert document(gradcli(capsys, "graph train.py --json").out)["format"] == "tree"


def test_what_snippets_cannot_have(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, code, words in (
        ("graph train.py x=1", 2, "a value is for a program"),
        ("graph train.py --wrt w", 2, "--wrt is for a program"),
        ("graph train.py --of nothing", 2, "there is no backward pass from 'nothing'"),
        ("graph missing.py", 2, "cannot read missing.py"),
    ):
        refused = gradcli(capsys, arguments)
        assert (refused.code, refused.out) == (code, "")
        assert words in refused.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import torch\nx = torch.ones(2)\n", "runs no backward pass"),
        ("import torch\nx = torch.ones(2, requires_grad=True)\nx.backward()\n", "only for scalar outputs"),
    ],
)
def test_a_snippet_without_a_graph(capsys: pytest.CaptureFixture[str], text: str, words: str) -> None:
    Path("train.py").write_text(text, encoding="utf-8")
    for command in ("graph train.py", "run train.py --format svg"):
        refused = gradcli(capsys, command)
        assert (refused.code, refused.out) == (3, "")
        assert words in refused.err


def test_a_graph_that_is_too_large(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "MOST_DRAWN", 1)
    refused = gradcli(capsys, "graph train.py --of loss")
    assert refused.code == 3
    assert "the graph of loss is too large to draw" in refused.err


def test_a_run_that_fails_after_a_pass_still_has_its_picture(capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(LOOP + "loss.backward()\n", encoding="utf-8")
    done = gradcli(capsys, "run train.py -o train.svg")
    assert (done.code, done.out) == (3, "")
    assert "second time" in done.err
    assert "loss = v2**2" in read_picture(Path("train.svg").read_text(encoding="utf-8")).texts


@pytest.mark.slow
@pytest.mark.parametrize("form", ["svg", "dot", "mermaid"])
def test_every_form_takes_the_options(capsys: pytest.CaptureFixture[str], form: str) -> None:
    def drawn(options: str) -> str:
        done = gradcli(capsys, f"graph -f {ROOT}/samples/two_layer_network.grad --format {form} {options}")
        assert done.code == 0
        return done.out

    plain = drawn("")
    seen = {plain}
    turned = "--direction TB" if form == "svg" else "--direction LR"  # which others take for what is not too wide
    for options in ("--detail name", "--detail full", "--values none", "--values full", turned, "--backward"):
        text = drawn(options)
        assert text not in seen
        seen.add(text)
    assert drawn("--values auto --detail default") == plain
    assert "AccumulateGrad" in drawn("--backward")
    assert "AccumulateGrad" not in plain
