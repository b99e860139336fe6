"""Changes in place in the timeline: listening to them changes nothing, and what they do to the graph can be told."""

from __future__ import annotations

import pytest

from gradcli.render.run.snippet_document import snippet_document
from gradcli.render.run.timeline import timeline_page
from gradcli.render.text.looks import Looks
from gradcli.script.timeline.model import Backward
from tests.commands.running import validator
from tests.script.running import ours, recorded

START = "import torch\nx = torch.zeros(3, requires_grad=True)\ny = x * 1\n"

WRITINGS = {
    "y[1:] *= 2": "copy_slices(y, y[1:], 2*y[1:])",
    "y[1:].copy_(x[:2])": "copy_slices(y, y[1:], copy_(y[1:], v1))",
    "y.copy_(x)": "y_2 = copy_(y, x)",
    "y[y > 1] = 0": "index_put(y, 0, v1, dims=(0,))",
}


@pytest.mark.parametrize("change", WRITINGS)
def test_a_change_in_place_is_told(change: str) -> None:
    program = f"{START}{change}\ny.sum().backward()\nprint(x.grad)\n"
    assert ours(program, listen=True) == ours(program)
    assert "Error" not in ours(program)
    assert WRITINGS[change] in timeline_page(recorded(program), Looks(ascii=True))


STEPS = {
    "SGD([w], lr=0.1, momentum=0.9)": ["lr=0.1 momentum=0.9"] * 2,
    "SGD([w], lr=0.1, momentum=0.9, nesterov=True)": ["lr=0.1 momentum=0.9 nesterov=True"] * 2,
    "SGD([w], lr=0.1, maximize=True, foreach=True)": ["lr=0.1 maximize=True"] * 2,
    "Adam([w], lr=0.1, amsgrad=True)": ["lr=0.1 beta1=0.9 beta2=0.999 eps=1e-08 amsgrad=True"] * 2,
}
TWICE = """
import torch
w = torch.tensor([[0.5, 2.0]], requires_grad=True)
optimizer = torch.optim.{}
for epoch in range(2):
    optimizer.zero_grad()
    ((w - 3.51)**2).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize("made", STEPS)
def test_each_step_of_an_optimizer_says_by_which_options(made: str) -> None:
    page = timeline_page(recorded(TWICE.format(made)), Looks(ascii=True), all=True)
    told = [line.strip() for line in page.split("\n") if "how w" in line]
    assert told == [f"how w[0, 0] changes, with {options}" for options in STEPS[made]]
    assert "[0, 0] <-" not in page
    assert "= (-" not in page


def test_a_rebound_leaf_and_its_successor_are_told_apart() -> None:
    loop = "for k in range(2):\n    (w * w).backward()\n    w = w if k else w - 0.1*w.grad\n    print(w.grad)\n"
    timeline = recorded(f"import torch\nw = torch.tensor(2.0, requires_grad=True)\n{loop}")
    arrivals = [one for event in timeline.events if isinstance(event, Backward) for one in event.accumulated]
    assert [one.renamed for one in arrivals] == [0, 5]
    assert "w.grad -> 4 + 3.2 = 7.2  of the leaf that was w until line 5" in timeline_page(timeline, Looks(ascii=True))
    validator("run").validate(snippet_document("a.py", "", timeline, None))
