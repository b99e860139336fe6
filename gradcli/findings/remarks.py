"""The findings about a run as remarks on its lines, for a page."""

from __future__ import annotations

from gradcli.findings.examination import examine
from gradcli.script.execution import Remark
from gradcli.script.machine import Machine
from gradcli.script.reading import Snippet


def remarked(snippet: Snippet, machine: Machine) -> tuple[Remark, ...]:
    """Run a snippet on a machine of its own, and return what is suspicious."""
    return tuple(
        Remark(one.source, one.line, one.code, one.severity, told(one.message, one.because, one.instead))
        for one in examine(snippet, machine, "").findings
    )


def told(message: str, because: str, instead: str | None) -> str:
    """Return a finding in one line."""
    parts = [message.rstrip("."), because.rstrip("."), f"instead: {instead}" if instead else ""]
    return ". ".join(filter(None, parts))
