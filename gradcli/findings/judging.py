"""The findings of a run in the order in which they are told."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.findings.declaration import CAUSES
from gradcli.findings.finding import SEVERITIES, Finding


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings with the most suspicious first; of those of one severity causes come before what follows."""
    findings = list(findings)
    first = [finding for finding in findings if not any(is_cause(other, finding) for other in findings)]
    return sorted(
        first, key=lambda finding: (SEVERITIES.index(finding.severity), CAUSES[finding.code].order, finding.line)
    )


def is_cause(cause: Finding, other: Finding) -> bool:
    """Return whether a finding is why another one holds."""
    is_near = cause.source == other.source and not {cause.line, *cause.see}.isdisjoint((other.line, *other.see))
    return cause.code in CAUSES[other.code].follows and cause.severity != "note" and is_near
