"""The examples in torch's own documentation print the same here, or are refused."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference

torch = pytest.importorskip("torch")

PLACES = (
    "torch", "torch.Tensor", "torch.autograd", "torch.autograd.functional", "torch.autograd.graph", "torch.func",
    "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.optim.lr_scheduler",
    "torch.special",
)  # fmt: skip
START = "import torch, math\nimport torch.nn as nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
# Other devices, memory that nobody has written to, files, and settings that would hold in later tests; the order of
# equal entries; and images that take seconds.
LEFT_OUT = re.compile(
    r"cuda|empty|file|sort\(|\bset_|seed\(|save|load|compile|thread|plt|3d\(|torch\.(vmap|typename)\(|Transformer\w*\("
)
ADDRESS = re.compile("0x[0-9a-f]+")
PARTS, PART = 8, 3  # examples are tested if their name falls into one part of all


def examples() -> Iterator[tuple[str, str]]:
    """Yield the name of what is documented, and its examples as a snippet that prints the value of each expression."""
    seen = set()
    for place in PLACES:
        owner: Any = torch
        for part in place.split(".")[1:]:
            owner = getattr(owner, part)
        for name in filter(lambda name: not name.startswith("_"), dir(owner)):
            text = "" if inspect.ismodule(getattr(owner, name)) else inspect.getdoc(getattr(owner, name)) or ""
            if ">>>" in text and text not in seen and crc32(name.encode()) % PARTS == PART:
                seen.add(text)
                written = snippet(text)
                if written and not LEFT_OUT.search(written):
                    yield f"{place}.{name}", START + written


def snippet(text: str) -> str:
    """Return the statements of the examples in a text, as far as they can be read."""
    lines = []
    try:
        sources = [example.source for example in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        return ""
    for source in sources:
        try:
            body = ast.parse(source).body
        except SyntaxError:
            continue
        for statement in body:
            written = ast.unparse(statement)
            shown = isinstance(statement, ast.Expr) and not written.startswith("print(")
            lines.append(f"shown = {written}\nif shown is not None: print(repr(shown))" if shown else written)
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [pytest.param(*each, id=each[0]) for each in examples()])
def test_examples_print_the_same(name: str, text: str) -> None:
    here, there = (ADDRESS.sub("0x", run(text)).splitlines() for run in (ours, torchs))
    if here and here[-1].startswith("Error: ") and "not supported" in here[-1]:
        here.pop()
        del there[len(here) :]
    assert alike("\n".join(here), "\n".join(there)), difference("\n".join(here), "\n".join(there))
