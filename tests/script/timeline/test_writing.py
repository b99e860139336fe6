"""Changes in place in the timeline: listening to them changes nothing, and what they do to the graph can be told."""

from __future__ import annotations

import pytest

from gradcli.render.run.timeline import timeline_page
from gradcli.render.text.looks import Looks
from tests.script.running import ours, recorded

START = "import torch\nx = torch.zeros(3, requires_grad=True)\ny = x * 1\n"

WRITINGS = {
    "y[0] = 5": "y_2 = copy_slices(y, y[0], fill_(y[0], 5))",
    "y[1:] *= 2": "copy_slices(y, y[1:], 2*y[1:])",
    "y[1:].copy_(x[:2])": "copy_slices(y, y[1:], copy_(y[1:], v1))",
    "y.view(3, 1)[2].zero_()": "copy_slices(y, reshape(y, (3, 1))[2], zero_(reshape(y, (3, 1))[2]))",
    "y.fill_(2)": "y_2 = fill_(y, 2)",
    "y.copy_(x)": "y_2 = copy_(y, x)",
    "y.zero_()": "y_2 = zero_(y)",
    "y[y > 1] = 0": "index_put(y, 0, v1, dims=(0,))",
}


@pytest.mark.parametrize("change", WRITINGS)
def test_a_change_in_place_is_told(change: str) -> None:
    program = f"{START}{change}\ny.sum().backward()\nprint(x.grad)\n"
    assert ours(program, listen=True) == ours(program)
    assert "Error" not in ours(program)
    assert WRITINGS[change] in timeline_page(recorded(program), Looks(ascii=True))
