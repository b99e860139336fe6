"""The assignments that come with gradcli, by topic; each is a file of `gradcli/topics`."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from gradcli.source import Source

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment

FOLDER = files("gradcli") / "topics"
ORDER = ("chain", "fan-out", "product", "quotient", "sigmoid-neuron", "two-layers", "softmax", "broadcasting",
         "accumulation")  # fmt: skip


def topic(name: str) -> Assignment:
    """Return the assignment of a topic. Raises FileNotFoundError for another name."""
    from gradcli.homework.assignment.assignments import read_assignment  # heavy; a shell completes names alone

    file = f"{name}.toml"
    return read_assignment(Source((FOLDER / file).read_text(encoding="utf-8"), file))
