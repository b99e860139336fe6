"""What a step is about is in the window together, whatever the window: sentence, numbers, both ends of the arrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcli.render.page.program import program_page
from gradcli.render.page.snippet.page import run_page
from gradcli.render.text.looks import Asked, Looks
from tests.commands.running import ROOT
from tests.render.page.test_in_a_browser import NEURON, opened
from tests.render.page.test_snippet import ran
from tests.render.programs import explained

pytestmark = pytest.mark.slow

SIZES = ((360, 640), (844, 390), (1280, 720), (2560, 1440))
SQUARE = [[round(((7 * i + 3 * j) % 11) / 4 - 1, 2) for j in range(6)] for i in range(6)]
NAMES = ("weight_of_the_first_layer", "input_of_the_network", "bias_of_the_first_layer", "target_of_the_network")
CHAIN = "a0 = x*y; " + "; ".join(f"a{n} = sin(a{n - 1})*y" for n in range(1, 26))
NETWORK = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
X = torch.tensor([[1., 2.], [3., 4.], [-1., 0.5], [0., 2.]])
for epoch in range(4):
    optimizer.zero_grad()
    loss = (net(X)**2).mean()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
"""
RECURRENT = """import torch
w = torch.tensor(0.8, requires_grad=True)
u = torch.tensor(0.3, requires_grad=True)
h = torch.tensor(0.0)
for x in [0.5, -1.0, 2.0, 0.3, 1.5]:
    h = torch.tanh(u*x + w*h)
loss = (h - 1)**2
loss.backward()
print(w.grad, u.grad)
"""
ATTENTION = """import torch
from torch import nn
torch.manual_seed(0)
q, k, v = (nn.Linear(4, 4, bias=False) for _ in range(3))
x = torch.tensor([[1., 0., 0.5, 0.2], [0., 1., 0.3, -0.4], [0.5, 0.5, 1., 0.1]])
weights = torch.softmax(q(x) @ k(x).T / 2, dim=-1)
loss = (weights @ v(x)).pow(2).mean()
loss.backward()
"""


def program(text: str, values: dict[str, Any]) -> Callable[[], str]:
    return lambda: program_page(explained(text, values), Looks())


def snippet(text: str) -> Callable[[], str]:
    return lambda: run_page(ran(text), Asked())


def recorded(file: Path) -> Callable[[], str]:
    return lambda: file.read_text(encoding="utf-8")


PAGES = {
    **{name: recorded(ROOT / "samples" / "pages" / f"{name}.html") for name in ("kinks", "two_layer_network")},
    "neuron": program("a = w1*x1 + w2*x2 + b; y = tanh(a); l = (y - t)**2", NEURON),
    "large matrices": program("L = mean((A @ B - C)**2)", {"A": SQUARE, "B": SQUARE, "C": SQUARE}),
    "long names": program(
        "error_of_the_network = ({}*{} + {} - {})**2".format(*NAMES),
        {name: n + 1.5 for n, name in enumerate(NAMES)},
    ),
    "chain": program(CHAIN, {"x": 0.5, "y": 0.9}),
    "overflow": program("log(exp(x)+exp(y))", {"x": 1000, "y": 1001}),
    "mask": program("sum(where(x > 0, log(x), x))", {"x": [-1, 0, 2]}),
    "convolution": program(
        "sum(conv2d(x, k)**2)", {"x": [[[[1, 2, 3, 4], [5, 6, 7, 8], [1, 0, 1, 0]]]], "k": [[[[1, 0.5], [0, -1]]]]}
    ),
    "network": snippet(NETWORK),
    "recurrent": snippet(RECURRENT),
    "attention": snippet(ATTENTION),
}
UNSEEN = """() => {
    const slider = document.querySelector("[data-steps-slider]");
    const last = Number(slider.max);
    const box = (element) => element.getBoundingClientRect();
    const isClipping = (element) => /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowY);
    const isSeen = (element) => {
        const inner = box(element);
        const frames = [new DOMRect(0, 0, innerWidth, innerHeight)];
        for (let outer = element.parentElement; outer !== document.body; outer = outer.parentElement)
            if (isClipping(outer)) frames.push(box(outer));
        return frames.every((frame) => inner.left >= frame.left - 2 && inner.right <= frame.right + 2
            && inner.top >= frame.top - 2 && inner.bottom <= frame.bottom + 2);
    };
    const letters = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    const least = innerWidth < 900 ? 8 : 10.9;
    const graph = "main .stage:not([data-close]) .graph";
    const parts = {
        sentence: "[data-sentence]",
        card: ".step[data-now] .product .box",
        arrow: `${graph} .edge[data-state=active] > path:first-child, .close .edge > path:first-child`,
        box: `${graph} .node[data-state=active] > rect, .close .node > rect`,
    };
    const wrong = [];
    for (let step = 0; step <= last; step += Math.ceil(last / 10)) {
        slider.value = step;
        slider.dispatchEvent(new Event("input"));
        const add = (text, element) => wrong.push(`step ${step}: ${text} ${element.textContent.slice(0, 30)}`);
        const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) =>
            one.checkVisibility({ visibilityProperty: true }));
        for (const [name, selector] of Object.entries(parts))
            for (const part of shown(selector)) if (!isSeen(part)) add(name, part);
        for (const text of shown(`${graph} .edge[data-state=active] text, .close text`))
            if (letters(text) < least) add(`${letters(text)} pixels`, text);
        for (const table of shown(".step[data-now] .product table"))
            if (box(table).right > box(table.closest(".box")).right) add("table", table);
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is wider than the window");
    return wrong;
}"""


@pytest.mark.parametrize("name", PAGES)
def test_sentence_numbers_and_arrow_are_in_the_window_together(browser: Any, tmp_path: Path, name: str) -> None:
    """At every size nothing of them is cut, and the letters at an arrow can be read."""
    with opened(browser, tmp_path, PAGES[name](), reduced_motion="reduce") as page:
        unseen = {}
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            unseen[width, height] = page.evaluate(UNSEEN)
        assert {size: wrong for size, wrong in unseen.items() if wrong} == {}
