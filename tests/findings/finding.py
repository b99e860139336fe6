"""Findings of small snippets."""

from __future__ import annotations

from collections.abc import Callable

from gradcli.findings.examination import examine
from gradcli.findings.finding import Finding
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.reading import read_snippet

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"


def unheard(text: str) -> None:
    """Drop what a snippet prints."""


def findings(text: str, name: str = "snippet.py", write: Callable[[str], None] = unheard) -> tuple[Finding, ...]:
    """Return what is found in a snippet."""
    machine = Machine(Limits(), write)
    return examine(read_snippet(text, name), machine, name).findings


def codes(text: str, *, notes: bool = False) -> list[str]:
    """Return the codes of errors and warnings, with `notes` of all findings, in a snippet behind the usual imports."""
    found = findings(HEAD + text)
    return [one.code for one in found if notes or one.severity != "note"]
