"""The step page of a snippet as a file: each sample, hostile ones, errors, cells, and what each step shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradcli.findings.examination import Ran, examination
from gradcli.findings.watching import WatchingWitness
from gradcli.render.page.program import program_page
from gradcli.render.page.snippet import page_steps
from gradcli.render.page.snippet.page import run_page
from gradcli.render.run.snippet_document import snippet_document
from gradcli.render.text.looks import Asked, Looks
from gradcli.script.execution import execute
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.reading import read_snippet
from gradcli.script.timeline.model import Backward
from gradcli.stream.values import dump
from tests.render.page.reading import Element, block, own_size, read

SAMPLES = sorted((Path(__file__).parents[3] / "samples" / "snippets").glob("*.*"))
SNIPPETS = [file for file in SAMPLES if file.suffix in (".py", ".ipynb", ".md") and file.stem != "README"]
SLOPE = """\
import torch
w = torch.tensor(2.0, requires_grad=True)
y = w * w
y.backward()
print(w.grad)
w.grad = None
"""


def ran(text: str, name: str = "snippet.py") -> Ran:
    printed: list[str] = []
    machine = Machine(Limits(), printed.append)
    machine.timeline = watcher = WatchingWitness(machine, printed, is_told=True)
    snippet = read_snippet(text, name)
    error, timeline = execute(snippet, machine)
    assert timeline is not None
    examined = examination(watcher, snippet, name, error)
    return Ran(snippet, "".join(printed), timeline, error, examined, watcher.moments)


def shown(page: Element, element: Element, way: str, step: int) -> Any:
    """What a track shows at a step."""
    track = block(page, "gradcli-steps")["tracks"][int(element.attributes[f"data-{way}"])]
    return next(value for start, value in reversed(list(zip(track[::2], track[1::2], strict=True))) if start <= step)


@pytest.mark.slow
@pytest.mark.parametrize("file", SNIPPETS, ids=lambda file: file.name)
def test_the_page_of_each_sample(file: Path) -> None:
    found = ran(file.read_text(encoding="utf-8"), file.name)
    text = run_page(found, Asked())
    page = read(text)
    main = page.one("data-gradcli")
    last = int(main.attributes["data-steps"])
    assert len([step for step in main.all("li") if step.attributes.get("class") == "step"]) == last + 1
    document = snippet_document(file.name, found.printed, found.timeline, found.error, found.examined.findings)
    assert dump(block(page, "gradcli-data")) == dump(document)
    assert main.one("pre").text == found.printed
    assert own_size(text) < 150_000
    for track in block(page, "gradcli-steps")["tracks"]:
        assert track[0] == 0
        assert track[::2] == sorted(set(track[::2]))


def test_each_step_of_a_small_run() -> None:
    page = read(run_page(ran(SLOPE), Asked()))
    told = [step.one("h3").text + ": " + step.all("p")[0].text for step in page.all("li") if "id" in step.attributes]
    first = "upstream 1 times the local derivative ∂y/∂w (1st) = w = 2 gives 2."
    assert told == [
        "Step 0 Beginning: Nothing has run yet.",
        "Step 1 Line 2: w = 2 is a leaf that requires grad.",
        "Step 2 Line 3: y = w·w = 4, and its grad_fn is MulBackward0.",
        f"Step 3 Line 4, backward: The way back begins at y, whose gradient by itself is 1. "
        f"The upstream gradient is the one that has come from y so far. From y to w: {first} "
        "This is the first of 2 contributions to w, which are added up.",
        "Step 4 Line 4, backward: From y to w: upstream 1 times the local derivative ∂y/∂w (2nd) = w = 2 gives 2. "
        "It is added to what w has already: 2 + 2 = 4.",
        "Step 5 Line 4, into .grad: w is a leaf: 4 goes into w.grad, which was None.",
        "Step 6 Line 5: It prints tensor(4.)",
        "Step 7 Line 6: w.grad becomes None.",
    ]


def test_findings_lead_to_their_steps() -> None:
    page = read(run_page(ran(SLOPE.replace("y.backward()", "(w.detach() * y.item()).backward()")), Asked()))
    (item,) = page.one("ul").all("li")
    assert item.text.startswith("left-graph line 4: w.detach() is a value without a history")
    assert item.one("a").attributes["href"] in {f"#{step.attributes.get('id')}" for step in page.all("li")}


def test_the_later_turns_of_a_loop_say_what_changes() -> None:
    update = "    with torch.no_grad():\n        w -= 0.25 * w.grad\n"
    loop = f"for turn in range(5):\n    y = w * w\n    y.backward()\n{update}"
    text = f"import torch\nw = torch.tensor(2.0, requires_grad=True)\nb = torch.ones(1)\n{loop}    w.grad.zero_()\n"
    page = read(run_page(ran(text), Asked()))
    told = [step.all("p")[0].text for step in page.all("li") if "id" in step.attributes]
    assert told[-1] == "y becomes 0.015625. w.grad becomes 0.25. w becomes 0.0625. w.grad becomes 0."
    assert any(one.endswith("The line runs 4 times like this; the numbers are those of the first.") for one in told)
    assert not any("b " in one for one in told[3:]), "nothing is said about a tensor that stays as it is"


def test_why_a_gradient_is_none_as_of_each_step() -> None:
    page = read(run_page(ran(SLOPE), Asked()))
    row = next(row for row in page.all("tr") if row.all("th")[0].text == "w")
    (cell,) = (cell for cell in row.all("td") if cell.attributes.get("class") == "grad")
    grad, details = cell.all("span")[0], cell.one("details")
    assert [shown(page, grad, "text", step) for step in range(8)] == [*["None"] * 5, "4", "4", "None"]
    assert [shown(page, details, "shown", step) for step in range(1, 8)] == [*[True] * 4, False, False, True]
    reason = details.one("p")
    assert shown(page, reason, "text", 1).startswith("w.grad is None: no backward pass has run yet")
    assert shown(page, reason, "text", 7).startswith("w.grad is None: line 6 set it to None")
    assert [shown(page, row, "shown", step) for step in (0, 1, 7)] == [False, True, True]


def test_a_second_pass_shows_what_is_added_to_a_gradient_that_is_there() -> None:
    page = read(run_page(ran(SLOPE.replace("print(w.grad)\nw.grad = None", "(w * 3).backward()")), Asked()))
    first, second = (node for node in page.all("data-node") if node.attributes["data-node"] == "w")
    last = int(page.one("data-gradcli").attributes["data-steps"])
    texts = [shown(page, second.one("data-grad"), "text", step) for step in range(last + 1)]
    assert list(dict.fromkeys(texts)) == ["4", "4 + 3", "7"]
    assert first.one("data-grad").text == "4"


def test_a_snippet_that_fails_and_one_that_does_nothing() -> None:
    page = read(run_page(ran("import torch\nx = torch.ones(2)\nx @ torch.ones(3)\n"), Asked()))
    assert "size" in page.all("main")[0].text
    assert block(page, "gradcli-data")["ok"] is False
    assert read(run_page(ran("a = 1\n"), Asked())).one("data-gradcli").attributes["data-steps"] == "0"


HOSTILE = """\
import torch
# </script><script>alert(1)</script> <img src=x onerror=alert(1)> ]]><!--
d = {"</script><b>": torch.tensor(1e30, requires_grad=True), "a b\\u202e": torch.tensor(float("nan"))}
(d["</script><b>"] * 1e30).backward()
print("</script><script>alert(2)</script>\\u202e\\x1b[31m")
raise ValueError("<script>alert(3)</script>")
"""


def test_nothing_in_a_snippet_is_markup() -> None:
    text = run_page(ran(HOSTILE, "</title><script>.py"), Asked())
    page = read(text)
    assert len(page.all("script")) == 4
    assert [meta.tag for meta in page.all("http-equiv")] == ["meta"]
    assert not page.all("b")
    assert not page.all("img")
    assert all(character not in text for character in "\u202e\x1b")
    assert block(page, "gradcli-data")["error"] is not None


@pytest.mark.slow
def test_a_run_with_more_steps_than_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_steps, "MOST", 60)
    line = "x = x * 1.5\n"
    text = "import torch\nx = torch.tensor(1., requires_grad=True)\n" + line * 100
    found = ran(f"{text}x.backward()\n")
    page = read(run_page(found, Asked()))
    assert int(page.one("data-gradcli").attributes["data-steps"]) <= 62


def test_a_pass_of_a_run_alone_is_a_page_too() -> None:
    (event,) = (event for event in ran(SLOPE).timeline.events if isinstance(event, Backward))
    assert event.explanation is not None
    page = read(program_page(event.explanation, Looks()))
    assert page.one("data-gradcli").attributes["data-steps"] == "4"
    asked = block(page, "gradcli-steps")["questions"].values()
    assert [len(question["wrong"]) for question in asked] == [0, 1]  # without its graph the sum so far alone is known


def test_each_pass_of_a_loop_has_its_section_and_its_numbers() -> None:
    text = (SAMPLES[0].parent / "learn_a_slope.py").read_text(encoding="utf-8")
    page = read(run_page(ran(text), Asked()))
    passes = page.all("data-pass")
    assert [one.attributes["data-pass"] for one in passes] == [str(number) for number in range(1, 41)]
    step = int(passes[7].attributes["data-first"])
    at = page.all("li")
    (shown_step,) = (one for one in at if one.attributes.get("id") == f"step={step}")
    assert "slope.grad becomes -0.343675" in shown_step.text
    assert shown_step.attributes["data-phase"] == "backward"
    slope = [one for one in page.all("data-grad-of") if one.attributes["data-grad-of"] == "slope"][-1]
    assert shown(page, slope, "text", step) == "-0.343675", "the picture has the numbers of the pass"
    loss = block(page, "gradcli-steps")["loss"]
    assert len(loss["steps"]) == len(page.one("data-loss").all("polyline")[0].attributes["points"].split()) == 40


LAYERS = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(1, 2, 2), nn.Flatten(), nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 1))
W = torch.ones(1, 1, requires_grad=True)
loss = (net(torch.tensor([[[1.0, 2.0, -1.0]]])) @ W).sum()
loss.backward()
"""


def test_a_network_opens_with_its_layers() -> None:
    """A line is as thick as the gradient behind it, and leads to the step at which that gradient arrives."""
    found = ran(LAYERS)
    page = read(run_page(found, Asked()))
    (network,) = [one for one in page.all("class") if one.attributes["class"] == "layers"]
    links = network.all("a")
    assert [len(link.all("path")) for link in links] == [2, 4 * 8, 8, 1]
    steps = [link.attributes["href"].removeprefix("#step=") for link in links]
    says = {one.attributes["id"]: one.text for one in page.all("id") if one.attributes["id"].startswith("step=")}
    for step, weight in zip(steps, ["net.0.weight", "net.2.weight", "net.4.weight", "W"], strict=True):
        assert f" to {weight}: " in says[f"step={step}"]
    event = next(event for event in found.timeline.events if isinstance(event, Backward))
    assert event.explanation is not None
    gradient = abs(event.explanation.node("net.4.weight").grad[0])
    widths = [float(path.attributes["stroke-width"]) for path in links[2].all("path")]
    assert widths == pytest.approx(0.6 + 9 * gradient[:8] / gradient.max(), abs=0.06)
    assert not [one for one in read(run_page(ran(SLOPE), Asked())).all("class") if one.attributes["class"] == "layers"]


def test_an_optimizer_that_changes_what_is_not_told_says_by_how_much() -> None:
    lines = ["import torch", "w = torch.arange(40.0).requires_grad_()", "opt = torch.optim.SGD([w], lr=0.5)"]
    lines += ["w[20].backward()", "opt.step()"]
    page = read(run_page(ran("\n".join(lines)), Asked()))
    told = [step.all("p")[0].text for step in page.all("li") if "id" in step.attributes]
    assert any("SGD changes w by 0.5 at most." in one for one in told)
