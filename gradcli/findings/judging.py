"""The findings of a run in the order in which they are told."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.findings.declaration import CAUSES
from gradcli.findings.finding import SEVERITIES, Finding


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings with the most suspicious first; of those of one severity causes come before what follows."""
    return sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), CAUSES[one.code].order, one.line))
