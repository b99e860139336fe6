"""What must hold of every timeline: it changes nothing, its passes are the engine's, its document can be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradcli.render.run.snippet_document import snippet_document
from gradcli.render.run.timeline import timeline_page
from gradcli.render.text.looks import Looks
from gradcli.script.timeline.model import Backward
from tests.commands.running import validator
from tests.programs import some
from tests.script.record_snippets import SNIPPETS, shortened
from tests.script.running import ours, recorded

LONG = "two_bumps"  # the one run that has all its rounds
TAKEN = [*some((file for file in SNIPPETS if file.stem != LONG), 9), *(file for file in SNIPPETS if file.stem == LONG)]


@pytest.mark.slow
@pytest.mark.parametrize("file", TAKEN, ids=lambda file: file.stem)
def test_listening_changes_nothing_and_passes_add_up(file: Path) -> None:
    whole, printed = file.read_text(encoding="utf-8"), list[str]()
    text = whole if file.stem == LONG else shortened(whole)
    timeline = recorded(text, write=printed.append)
    silent = file.with_suffix(".out").read_text(encoding="utf-8") if text == whole else ours(text)
    assert "".join(printed) == silent
    for event in timeline.events:
        if isinstance(event, Backward):
            for arrival in event.accumulated:
                if arrival.after is not None and arrival.gradient is not None:
                    before = 0 if arrival.before is None else arrival.before
                    np.testing.assert_allclose(arrival.after, before + arrival.gradient, rtol=1e-5, atol=1e-6)
    document = snippet_document(file.name, "", timeline, None)
    small = [event for event in document["timeline"] if len(str(event)) < 10_000]  # each number takes its time
    validator("run").validate(document | {"timeline": small[:50]})
    page = timeline_page(timeline, Looks(ascii=True))
    assert page.isascii() or not text.isascii()
    assert timeline_page(timeline, Looks(ascii=True), all=True)


SPECIAL = """
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)
    {name} = refuse
try:
    model = Own()
except ValueError as error:
    print(error)
x = torch.ones(1, requires_grad=True)
x.sum().backward()
"""
NAMES = "__eq__ __hash__ __bool__ __len__ __iter__ __contains__ __getitem__ __repr__ __str__ __format__ __getattr__"
METHODS = "named_parameters parameters named_modules modules children state_dict forward"


@pytest.mark.parametrize("name", f"{NAMES} {METHODS}".split())
def test_listening_calls_nothing_that_the_snippet_defines(name: str) -> None:
    start = "import torch\nfrom torch import nn\ndef refuse(*rest, **options): raise ValueError('called')\n"
    timeline = recorded(start + SPECIAL.format(name=name))
    assert timeline_page(timeline, Looks())
    assert "x" in [leaf.name for leaf in timeline.leaves]
