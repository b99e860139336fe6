"""Findings as a list on a page, each with a link to its step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gradcli.findings.finding import Finding
from gradcli.render.page.document import Html, element


def findings_list(findings: Sequence[Finding], step_of: Callable[[Finding], int | None]) -> Html | None:
    """Return the findings, the most suspicious first; None where there is none. `step_of` finds the step of a page."""
    if not findings:
        return None
    return element("ul", *(element("li", *parts(finding, step_of(finding))) for finding in findings), class_="findings")


def parts(finding: Finding, step: int | None) -> Iterator[Html]:
    place = f"cell {finding.cell}, line {finding.line}" if finding.cell is not None else f"line {finding.line}"
    yield element("strong", finding.code)
    yield element("span", f" {place}: ") if step is None else element("a", f" {place}: ", href=f"#step={step}")
    yield element("span", finding.message)
    if finding.because:
        yield element("div", finding.because)
    if finding.instead:
        yield element("span", " instead: ")
        yield element("code", finding.instead)
